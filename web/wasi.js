// wasi.js - what one run of the program asks of a system: arguments, a clock, and one
// folder of files, all in memory. Whatever is not here is not imported by the module.
"use strict";

const ERRNO = {ok: 0, badf: 8, exist: 20, inval: 28, noent: 44, notsup: 58, spipe: 70};
const FILE_TYPE = {unknown: 0, folder: 3, regular: 4};
const FOLDER = 3;                      // the descriptor of the one folder
const OPEN = {create: 1, exclusive: 4, truncate: 8};

class ProgramEnd extends Error {
    constructor(status) {
        super("exit status " + status);
        this.status = status;
    }
}

// bytes[0 .. length); grows by doubling.
class MemoryFile {
    constructor(inode, bytes) {
        this.inode = inode;
        this.bytes = bytes || new Uint8Array(0);
        this.length = this.bytes.length;
    }

    write(at, data) {
        if (at + data.length > this.bytes.length) {
            const grown = new Uint8Array(2 * (at + data.length));
            grown.set(this.bytes.subarray(0, this.length));
            this.bytes = grown;
        }
        this.bytes.set(data, at);
        this.length = Math.max(this.length, at + data.length);
    }

    contents() { return this.bytes.subarray(0, this.length); }
}

// files: {name: Uint8Array or text}
class System {
    constructor(words, files) {
        this.words = words.map(word => new TextEncoder().encode(word + "\0"));
        this.inode = 10;
        this.files = new Map();
        for (const [name, data] of Object.entries(files))
            this.files.set(name, this.file(typeof data === "string" ?
                new TextEncoder().encode(data) : data));
        this.open = [];
        for (let standard = 0; standard < 3; standard++)
            this.open[standard] = {file: this.file(), at: 0};
    }

    file(bytes) { return new MemoryFile(this.inode++, bytes); }

    get view() { return new DataView(this.memory.buffer); }

    bytes(at, length) { return new Uint8Array(this.memory.buffer, at, length); }

    name(at, length) {
        return new TextDecoder().decode(this.bytes(at, length)).replace(/^\/+/, "");
    }

    text(descriptor) { return new TextDecoder().decode(this.open[descriptor].file.contents()); }

    // Calls each(bytes) of a list of pieces of memory, until one is not taken whole.
    pieces(list, count, each) {
        let total = 0;
        for (let i = 0; i < count; i++) {
            const at = this.view.getUint32(list + 8 * i, true);
            const length = this.view.getUint32(list + 8 * i + 4, true);
            const done = each(this.bytes(at, length));
            total += done;
            if (done < length) break;
        }
        return total;
    }

    putStat(at, type, inode, size) {
        const view = this.view;
        this.bytes(at, 64).fill(0);
        view.setBigUint64(at, 1n, true);
        view.setBigUint64(at + 8, BigInt(inode), true);
        view.setUint8(at + 16, type);
        view.setBigUint64(at + 24, 1n, true);
        view.setBigUint64(at + 32, BigInt(size), true);
        return ERRNO.ok;
    }

    putList(list, at) {
        for (const word of this.words) {
            this.view.setUint32(list, at, true);
            this.bytes(at, word.length).set(word);
            list += 4;
            at += word.length;
        }
        return ERRNO.ok;
    }

    openFile(name, flags, result) {
        let file = this.files.get(name);
        if (file && flags & OPEN.exclusive) return ERRNO.exist;
        if (!file && !(flags & OPEN.create)) return ERRNO.noent;
        if (!file) this.files.set(name, file = this.file());
        if (flags & OPEN.truncate) file.length = 0;
        let descriptor = FOLDER + 1;
        while (this.open[descriptor]) descriptor++;
        this.open[descriptor] = {file, at: 0};
        this.view.setUint32(result, descriptor, true);
        return ERRNO.ok;
    }

    rename(from, to) {
        const file = this.files.get(from);
        if (!file) return ERRNO.noent;
        this.files.delete(from);
        this.files.set(to, file);
        return ERRNO.ok;
    }

    seek(entry, offset, whence, result) {
        const from = [0, entry.at, entry.file.length][whence];
        if (from === undefined || from + Number(offset) < 0) return ERRNO.inval;
        entry.at = from + Number(offset);
        this.view.setBigUint64(result, BigInt(entry.at), true);
        return ERRNO.ok;
    }

    // The functions of wasi_snapshot_preview1 that the module imports.
    imports() {
        const of = (descriptor, use) =>
            this.open[descriptor] ? use(this.open[descriptor]) : ERRNO.badf;
        const put = (at, value) => { this.view.setUint32(at, value, true); return ERRNO.ok; };
        const read = (entry, to) => {
            const from = entry.file.bytes.subarray(entry.at,
                Math.min(entry.file.length, entry.at + to.length));
            to.set(from);
            entry.at += from.length;
            return from.length;
        };
        const write = (entry, data) => {
            entry.file.write(entry.at, data);
            entry.at += data.length;
            return data.length;
        };
        return {
            args_sizes_get: (count, bytes) => {
                put(count, this.words.length);
                return put(bytes, this.words.reduce((sum, word) => sum + word.length, 0));
            },
            args_get: (list, text) => this.putList(list, text),
            environ_sizes_get: (count, bytes) => { put(count, 0); return put(bytes, 0); },
            environ_get: () => ERRNO.ok,               // an empty environment
            clock_time_get: (clock, precision, at) => {
                this.view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
                return ERRNO.ok;
            },
            fd_close: descriptor => of(descriptor, () => {
                this.open[descriptor] = undefined;
                return ERRNO.ok;
            }),
            fd_fdstat_get: (descriptor, at) => {
                if (descriptor !== FOLDER && !this.open[descriptor]) return ERRNO.badf;
                this.bytes(at, 24).fill(0);
                this.view.setUint8(at, descriptor === FOLDER ? FILE_TYPE.folder :
                    descriptor < FOLDER ? FILE_TYPE.unknown : FILE_TYPE.regular);
                this.view.setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
                this.view.setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
                return ERRNO.ok;
            },
            fd_fdstat_set_flags: () => ERRNO.notsup,
            fd_filestat_get: (descriptor, at) => of(descriptor, entry =>
                this.putStat(at, descriptor < FOLDER ? FILE_TYPE.unknown : FILE_TYPE.regular,
                    entry.file.inode, entry.file.length)),
            fd_prestat_get: (descriptor, at) => {
                if (descriptor !== FOLDER) return ERRNO.badf;
                put(at, 0);
                return put(at + 4, 1);
            },
            fd_prestat_dir_name: (descriptor, at) => {
                this.bytes(at, 1)[0] = 47;
                return ERRNO.ok;
            },
            fd_read: (descriptor, list, count, done) => of(descriptor, entry =>
                put(done, this.pieces(list, count, to => read(entry, to)))),
            fd_write: (descriptor, list, count, done) => of(descriptor, entry =>
                put(done, this.pieces(list, count, data => write(entry, data)))),
            fd_sync: descriptor => of(descriptor, () => ERRNO.ok),      // there is no disk
            fd_seek: (descriptor, offset, whence, at) => of(descriptor, entry =>
                descriptor < FOLDER ? ERRNO.spipe : this.seek(entry, offset, whence, at)),
            path_filestat_get: (folder, flags, name, length, at) => {
                const path = this.name(name, length), file = this.files.get(path);
                if (path === "" || path === ".") return this.putStat(at, FILE_TYPE.folder, 1, 0);
                if (!file) return ERRNO.noent;
                return this.putStat(at, FILE_TYPE.regular, file.inode, file.length);
            },
            path_open: (folder, look, name, length, flags, rights, inherited, mode, at) =>
                this.openFile(this.name(name, length), flags, at),
            path_rename: (folder, from, fromLength, other, to, toLength) =>
                this.rename(this.name(from, fromLength), this.name(to, toLength)),
            path_unlink_file: (folder, name, length) =>
                this.files.delete(this.name(name, length)) ? ERRNO.ok : ERRNO.noent,
            proc_exit: status => { throw new ProgramEnd(status); },
        };
    }
}

// One command line of the program: its exit status, what it printed, and its files.
//     runProgram(module, ["predict", "--mode", ...], {"profile.csv": text})
function runProgram(module, words, files) {
    const system = new System(["sgdperf", ...words], files || {});
    const instance = new WebAssembly.Instance(module,
        {wasi_snapshot_preview1: system.imports()});
    let status = 0;
    system.memory = instance.exports.memory;
    try {
        instance.exports._start();
    } catch (end) {
        if (!(end instanceof ProgramEnd)) throw end;
        status = end.status;
    }
    return {
        status,
        stdout: system.text(1),
        stderr: system.text(2),
        file: name => system.files.has(name) ? system.files.get(name).contents() : null,
        fileText: name => system.files.has(name) ?
            new TextDecoder().decode(system.files.get(name).contents()) : null,
    };
}
