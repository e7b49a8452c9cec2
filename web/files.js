// files.js - what is dropped on the page: our tables, and whatever sgdperf import reads
"use strict";

class FileProblem extends Error { }

async function readBytes(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    try {
        return await throughStream(bytes, new DecompressionStream("gzip"));
    } catch (problem) {
        throw new FileProblem(`${file.name}: compressed by gzip, and damaged or cut off`);
    }
}

// The columns of our tables, told to whoever has others.
const COLUMNS = {
    profile: "a profile has the columns forward_s, backward_s, and as far as known update_s, " +
        "model_bytes, bandwidth_bytes_per_s, batch",
    layers: "layers have the columns layer, bytes, forward_s, backward_s, update_s",
    trace: "a trace has the columns step, op, resource, duration_s, bytes, waits_for",
    transfers: "a log of transfers has the columns step, phase, start_s, end_s",
};

// Is it a table at all, of whatever columns?
function isTable(bytes) {
    const text = new TextDecoder().decode(bytes.subarray(0, 65536));
    const header = parseCsv(text).header;
    return header.length > 1 && header.every(cell => /^\s*\w+\s*$/.test(cell));
}

// What to add to a complaint about a table: the columns of its kind, or of all kinds.
function columnsText(kind, bytes, problem) {
    if (kind && /\bcolumns? /.test(problem) && !/: column '/.test(problem))
        return `; ${COLUMNS[kind]}`;
    return !kind && isTable(bytes) ? `; as CSV ${Object.values(COLUMNS).join("; ")}` : "";
}

// Which of our tables: "layers", "trace", "profile", or "" for none of them.
function kindOfTable(bytes) {
    const text = new TextDecoder().decode(bytes.subarray(0, 65536));
    if (/^[\s\uFEFF]*[{[]/.test(text)) return "";
    const header = parseCsv(text).header;
    if (header.includes("layer") && header.includes("bytes")) return "layers";
    if (header.includes("resource") && header.includes("waits_for")) return "trace";
    if (header.includes("phase")) return "";
    if (header.includes("forward_s") || header.includes("model_bytes")) return "profile";
    return "";
}

// The program's own line about what is wrong, without its name.
function programSays(run) {
    return inPageWords(run.stderr.trim().split("\n").pop().replace(/^sgdperf: /, ""));
}

function notesOf(run) {
    return (run.answer && run.answer.notes || []).map(noteInPageWords).filter(note => note !== "");
}

function runOrFail(module, words, files) {
    const run = runCommand(module, words, files);
    if (run.status !== 0) throw new FileProblem(programSays(run));
    return run;
}

// ---- Profiles -------------------------------------------------------------------------------

// Whatever of a profile's first row the page can hold, into `state`; adds to `notes`.
function takeProfile(state, name, text, notes) {
    const table = parseCsv(text), row = table.rows[0] || [];
    const cell = column => {
        const i = table.header.indexOf(column);
        if (i < 0 || row[i] === undefined || row[i].trim() === "") return null;
        if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(row[i]))
            throw new FileProblem(`${name}: column '${column}': '${row[i]}' is not a number`);
        if (table.header.indexOf(column, i + 1) >= 0)
            throw new FileProblem(`${name}: column '${column}' is there twice`);
        return Number(row[i]);
    };
    const set = (key, value) => {
        if (value === null) return;
        if (Number.isNaN(checkedNumber(key, String(value))))
            throw new FileProblem(`${name}: ${key} of ${value} is out of the page's range`);
        state[key] = value;
    };
    const up = cell("uplink_s"), down = cell("downlink_s");
    if (cell("forward_s") === null || cell("backward_s") === null)
        throw new FileProblem(`${name}: no column forward_s or backward_s`);
    if (table.rows.length > 1)
        notes.push(`${name}: the first of ${table.rows.length} rows is shown`);
    set("forward", cell("forward_s"));
    set("backward", cell("backward_s"));
    state.update = 0;
    set("update", cell("update_s"));
    set("bandwidth", cell("bandwidth_bytes_per_s"));
    set("size", cell("model_bytes"));
    if (up !== null || down !== null) {
        takeTransfers(state, name, up, down, cell("model_bytes"), notes);
        set("size", state.size);
        set("bandwidth", state.bandwidth);
    } else if (cell("model_bytes") === null)
        notes.push(`${name}: no model_bytes: the size is that of before`);
    state.profileBatch = null;
    set("profileBatch", cell("batch"));
    if (state.profileBatch !== null) state.batch = state.profileBatch;
    state.kept = {};
    for (const column of KEPT)
        if (cell(column) !== null) state.kept[column] = cell(column);
    if (!(state.kept.traced_workers > 1)) delete state.kept.bandwidth_bytes_per_s;
    state.overlap = state.kept.overlap_exponent === undefined ? "none" : "measured";
    if (state.overlap === "measured") state.stack = "";
    takeKinds(state, name, table.header, row);
}

// The kinds of links and of software that a profile names.
function takeKinds(state, name, header, row) {
    const columns = {network: "network", local_network: "localNetwork", stack: "stack"};
    for (const [column, key] of Object.entries(columns)) {
        const word = (row[header.indexOf(column)] || "").trim();
        if (word === "") continue;
        if (!CHOICES[key].includes(word))
            throw new FileProblem(`${name}: column '${column}': '${word}' is no kind that the ` +
                "program knows");
        state[key] = word;
        if (key === "localNetwork" && LINE_OF[word]) state.localBandwidth = LINE_OF[word];
        if (key === "network" && LINE_OF[word] && !header.includes("bandwidth_bytes_per_s"))
            state.bandwidth = LINE_OF[word];
    }
}

// Measured times of transfers: the bandwidth that they say, or the size.
function takeTransfers(state, name, up, down, size, notes) {
    const time = up !== null && down !== null ? (up + down) / 2 : up !== null ? up : down;
    if (!(time > 0)) return;
    if (size === null) {
        state.size = time * state.bandwidth;
        notes.push(`${name}: transfers take ${time} s, of unknown size: taken as of this link`);
    } else {
        state.bandwidth = size / time;
        notes.push(`${name}: the bandwidth is that at which ${size} bytes take ${time} s`);
    }
    if (up !== null && down !== null && Math.abs(up - down) > 0.01 * time)
        notes.push(`${name}: uplink and downlink differ, the page takes their mean`);
}

// ---- Layers and traces ----------------------------------------------------------------------

// Layers and traces of traced workers: the profile that the page makes of them has no link.
function noteTraced(name, text, notes) {
    if (parseCsv(text).header.includes("traced_workers"))
        notes.push(`${name}: the traced link and overlap do not count in the prediction: they do ` +
            "with the trace that it was imported from");
}

function takeLayers(module, state, name, text, notes) {
    const table = parseCsv(text);
    const sum = column => table.rows.reduce((total, row) =>
        total + Number(row[table.header.indexOf(column)] || 0), 0);
    runOrFail(module, ["trace-from-layers", name], {[name]: text});
    Object.assign(state, {layers: text, trace: null, kept: {}, forward: sum("forward_s"),
        backward: sum("backward_s"), update: sum("update_s"), size: sum("bytes")});
    state.profileBatch = null;
    if (state.overlap === "measured") state.overlap = "none";
    notes.push(`${name}: ${table.rows.length} layers; their sums are the profile`);
}

// A trace of ours, and with it the profile of its mean step.
function takeTrace(module, state, name, text, notes) {
    const words = ["simulate", name, "--workers", "1", "--mode", "sync", "--steps", "1",
        "--warmup", "0", "--bandwidth", "1GB/s", "--servers", String(serversOfTrace(text))];
    runOrFail(module, words, {[name]: text});
    const table = parseCsv(text), column = key => table.header.indexOf(key);
    const steps = new Set(table.rows.map(row => row[column("step")])).size;
    const sum = (resource, key) => table.rows.reduce((total, row) =>
        total + (row[column("resource")] === resource ? Number(row[column(key)] || 0) : 0), 0);
    const compute = sum("worker", "duration_s") / steps, bytes = sum("uplink", "bytes") / steps;
    Object.assign(state, {trace: text, layers: null, kept: {}, forward: compute / 3,
        backward: compute * 2 / 3, update: sum("server", "duration_s") / steps,
        size: bytes || state.size, profileBatch: null, overlap: "none"});
    if (!table.rows.some(row => row[column("resource")] === "downlink")) state.mode = "allreduce";
    else if (state.mode === "allreduce") state.mode = "sync";
    state.servers = Math.min(serversOfTrace(text), CONTROLS.servers.max);
    notes.push(`${name}: ${steps} steps; their means are the profile, a third of the ` +
        "computation taken as forward");
}

// ---- What other programs wrote ----------------------------------------------------------------

// Of what sgdperf import can write, as much as this file has.
function importFile(module, name, bytes) {
    const wanted = [["--profile", "profile.csv", "--trace", "trace.csv"],
        ["--profile", "profile.csv", "--layers", "layers.csv"],
        ["--profile", "profile.csv"], ["--trace", "trace.csv"], []];
    let run = null;
    for (const outputs of wanted) {
        const words = ["import", name, ...outputs, "--format", "json"];
        const tried = runCommand(module, words, {[name]: bytes});
        const whole = !outputs.includes("--layers") || tried.fileText("layers.csv") !== null;
        if (tried.status === 0 && whole) return tried;
        run = run || tried;
    }
    throw new FileProblem(programSays(run));
}

function takeImported(module, state, name, bytes, notes) {
    const run = importFile(module, name, bytes);
    const profile = run.fileText("profile.csv"), trace = run.fileText("trace.csv");
    const layers = run.fileText("layers.csv"), found = run.answer;
    notes.push(...notesOf(run));
    if (!profile && !trace) throw new FileProblem(`${name}: read, but it says too little for a ` +
        "profile; sgdperf import prints what it holds");
    if (layers) takeLayers(module, state, name, layers, notes);
    else if (trace) takeTrace(module, state, name, trace, notes);
    if (profile) {
        const said = [];
        takeProfile(state, name, profile, said);
        if (!layers) notes.push(...said);
    }
    if (found && found.workers >= 1 && found.workers <= CONTROLS.workers.max)
        state.workers = found.workers;
    if (found && found.source === "kineto") state.mode = "allreduce";
    return run;
}

// Reads a file into a copy of `state`: {state, notes, run}, run being that of import.
async function takeFile(module, before, file) {
    const state = {...before, kept: {...before.kept}, layers: null, trace: null}, notes = [];
    const bytes = await readBytes(file), kind = kindOfTable(bytes);
    const name = file.name.replace(/\.gz$/, "").replace(/[^A-Za-z0-9_.-]|^-/g, "_") || "file";
    const text = kind ? new TextDecoder().decode(bytes) : "";
    let run = null;
    try {
        if (kind === "layers") takeLayers(module, state, name, text, notes);
        else if (kind === "trace") takeTrace(module, state, name, text, notes);
        else if (kind === "profile") takeProfile(state, name, text, notes);
        else run = takeImported(module, state, name, bytes, notes);
        if (kind === "layers" || kind === "trace") noteTraced(name, text, notes);
    } catch (problem) {
        if (problem instanceof FileProblem)
            problem.message += columnsText(kind, bytes, problem.message);
        throw problem;
    }
    state.fileName = file.name;
    return {state, notes, run};
}
