// commands.js - the command lines that answer for a state, and their files. Everything that
// the page shows of a job comes from these; the same lines in a shell print the same digits.
"use strict";

// ---- CSV, as the program writes it ---------------------------------------------------------

// {header: [], rows: [[]]} of RFC 4180 text; comment lines are left out.
function parseCsv(text) {
    const rows = [];
    let row = [], cell = "", quoted = false;
    const endRow = () => {
        row.push(cell);
        if (row.length > 1 || (cell !== "" && !cell.startsWith("#"))) rows.push(row);
        row = [];
        cell = "";
    };
    text = text.replace(/^\uFEFF/, "").replace(/^#.*\r?\n/gm, "");
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quoted) {
            if (c !== "\"") cell += c;
            else if (text[i + 1] === "\"") { cell += c; i++; }
            else quoted = false;
        } else if (c === "\"") quoted = true;
        else if (c === ",") { row.push(cell); cell = ""; }
        else if (c === "\n") endRow();
        else if (c !== "\r") cell += c;
    }
    if (cell !== "" || row.length > 0) endRow();
    return {header: rows[0] || [], rows: rows.slice(1)};
}

function formatCsv(header, rows) {
    const quote = cell => /[",\n\r]/.test(cell) ? `"${String(cell).replace(/"/g, "\"\"")}"` : cell;
    return [header, ...rows].map(row => row.map(quote).join(",") + "\n").join("");
}

// The same table, with some columns' numbers multiplied where `wanted` says so.
function scaleCsv(text, columns, factor, wanted) {
    const table = parseCsv(text);
    if (factor === 1) return text;
    for (const row of table.rows)
        for (const column of columns) {
            const i = table.header.indexOf(column);
            if (i >= 0 && row[i] !== "" && (!wanted || wanted(table.header, row)))
                row[i] = String(Number(row[i]) * factor);
        }
    return formatCsv(table.header, table.rows);
}

// ---- Files ---------------------------------------------------------------------------------

// Compute times are taken in proportion to the batch.
function batchFactor(state) {
    return state.profileBatch === null ? 1 : state.batch / state.profileBatch;
}

function profileCsv(state) {
    const factor = batchFactor(state);
    const cells = {
        forward_s: state.forward * factor, backward_s: state.backward * factor,
        update_s: state.update, model_bytes: state.size,
        bandwidth_bytes_per_s: state.bandwidth,
    };
    if (state.profileBatch !== null) cells.batch = state.batch;
    for (const [column, value] of Object.entries(state.kept)) {
        if (column in KEPT_OPTIONS) continue;
        const overlaps = column.startsWith("overlap_");
        const traced = !overlaps && column !== "measured_on";
        if (overlaps &&
            (overlapOf(state) !== "measured" || state.mode !== "allreduce")) continue;
        const tokens = column === "alltoall_bytes";   // as many more as examples
        if (traced && factor !== 1 && !tokens) continue;
        cells[column] = tokens ? value * factor : value;
    }
    return formatCsv(Object.keys(cells), [Object.values(cells)]);
}

// The layers of the file, or so many alike that together they are the profile: as many as
// there are servers, where nothing overlaps.
function layersCsv(state) {
    const factor = batchFactor(state);
    if (state.layers)                      // plain ones, as the profile has no traced link
        return scaleCsv(state.layers, ["forward_s", "backward_s"], factor)
            .replace("traced_workers", "not_used");
    const parts = overlapOf(state) === "none" ? serversOf(state) :
        Math.ceil(state.parts / serversOf(state)) * serversOf(state);
    const rows = [];
    for (let i = 0; i < parts; i++)
        rows.push([`part ${i + 1}`, state.size / parts, state.forward * factor / parts,
            state.backward * factor / parts, state.update / parts]);
    return formatCsv(["layer", "bytes", "forward_s", "backward_s", "update_s"], rows);
}

function scaledTrace(state) {
    return scaleCsv(state.trace, ["duration_s"], batchFactor(state), (header, row) =>
        row[header.indexOf("resource")] === "worker");
}

// A kind of software says itself how much of an exchange is hidden.
function overlapOf(state) {
    return state.mode === "allreduce" && state.stack !== "" ? "none" : state.overlap;
}

function serversOf(state) { return state.mode === "allreduce" ? 1 : state.servers; }

// Servers of an imported trace: those that it names.
function serversOfTrace(text) {
    const table = parseCsv(text), column = table.header.indexOf("server");
    return 1 + largest(table.rows, row => Number(row[column]) || 0);
}

// Buckets are sent while something is still computed, to one server.
function bucketCounts(state) {
    return !state.trace && overlapOf(state) !== "none" && serversOf(state) === 1;
}

// ---- Workers to ask about -------------------------------------------------------------------

const AXIS_ENDS = [8, 16, 32, 64, 128, 256];

function axisEnd(state) {
    return AXIS_ENDS.find(end => end >= state.workers * 1.25) || 256;
}

// All up to 10, then ever fewer, whatever the state's own: what is recommended is a matter of
// the job, and not of where the slider stands.
const ADVISED_WORKERS = (() => {
    const list = [...AXIS_ENDS];
    for (let w = 1; w <= 256; w += w < 10 ? 1 : Math.floor(w / 3.5)) list.push(w);
    return [...new Set(list)].sort((a, b) => a - b);
})();
const MOST_ADVISED = ADVISED_WORKERS[ADVISED_WORKERS.length - 1];

// Points of advise to draw: as far as the axis goes, the state's own among them.
function curvePoints(state, advise, here) {
    const own = here.answer.points[0];
    return advise.answer.points.filter(p => p.workers <= axisEnd(state) &&
        p.workers !== own.workers).concat(own).sort((a, b) => a.workers - b.workers);
}

// Powers of two, and the state's own.
function stepWorkers(state) {
    const list = [state.workers];
    for (let w = 1; w < axisEnd(state); w *= 2) list.push(w);
    return [...new Set(list)].sort((a, b) => a - b);
}

// ---- Command lines --------------------------------------------------------------------------

// The machines of an all-reduce; latency: the option that a command has for it.
function machineWords(state, latency) {
    const words = [];
    if (state.gpus > 1) words.push("--gpus", String(state.gpus),
        "--local-bandwidth", String(state.localBandwidth));
    if (state.latency > 0) words.push(latency, `${state.latency}s`);
    if (state.network !== "") words.push("--network", state.network);
    if (state.gpus > 1 && state.localNetwork !== "")
        words.push("--local-network", state.localNetwork);
    if (state.stack !== "") words.push("--stack", state.stack);
    for (const [column, option] of Object.entries(KEPT_OPTIONS))
        if (state.kept[column] !== undefined && overlapOf(state) === "none" &&
            (column !== "growth_between" || state.gpus > 1))
            words.push(option, String(state.kept[column]));
    return words;
}

function clusterWords(state) {
    const words = ["--mode", state.mode];
    if (state.mode === "allreduce") words.push(...machineWords(state, "--latency"));
    else words.push("--servers", String(state.servers));
    const overlap = overlapOf(state);
    if (overlap === "full" ||
        (overlap === "measured" && state.mode !== "allreduce")) words.push("--overlap");
    const traced = state.kept.bandwidth_bytes_per_s;      // another link than the traced one
    if (traced !== undefined && traced !== state.bandwidth)
        words.push("--bandwidth", String(state.bandwidth));
    return words;
}

function predictWords(state) {
    return ["predict", "--profile", "profile.csv", ...clusterWords(state),
        "--workers", stepWorkers(state).join(","), "--format", "json"];
}

function adviseWords(state, workers) {
    const deadline = state.deadline === null ? [] : ["--deadline", `${state.deadline}s`];
    return ["advise", "profile.csv", ...clusterWords(state), "--workers", workers.join(","),
        "--price", `${state.price}/h`, "--steps", String(state.steps), ...deadline,
        "--format", "json"];
}

// Asynchronous workers whose steps never vary would stay in step.
const VARIATION = ["--vary", "0.05", "--steps", "20"];

function traceWords(state) {
    const words = ["trace-from-layers", "layers.csv"];
    if (overlapOf(state) === "none") words.push("--whole");
    else if (bucketCounts(state)) words.push("--bucket", String(state.bucket));
    if (serversOf(state) > 1) words.push("--servers", String(state.servers));
    return state.mode === "async" ? words.concat(VARIATION) : words;
}

const REPLAYED_OPERATIONS = 20000;     // of all workers, at most about

// The rule by which a replay shares links, for each model that predicts: both are to be of the
// same thing. Asynchronous streams to several servers at once rhythm takes as shared equally.
function linkWords(state, model, servers) {
    if (model === "rhythm" && servers > 1) return ["--link", "ps"];
    if (model !== "staggered" && model !== "rhythm") return [];
    return ["--link", "tcp"].concat(servers > 1 ?
        ["--worker-bandwidth", String(state.bandwidth)] : []);
}

function simulateWords(state, traceText, model) {
    const lines = traceText.split("\n").length - 2;
    const traced = state.trace ? parseCsv(traceText) : null;
    const profiled = traced ? new Set(traced.rows.map(row =>
        row[traced.header.indexOf("step")])).size : state.mode === "async" ? 20 : 1;
    const fit = Math.floor(REPLAYED_OPERATIONS * profiled / (lines * state.workers));
    const steps = Math.min(200, Math.max(6, fit));
    const words = ["simulate", "trace.csv", "--workers", String(state.workers),
        "--mode", state.mode, "--bandwidth", String(state.bandwidth), "--steps", String(steps)];
    const async = state.mode === "async", wanted = async ? Math.max(50, 5 * state.workers) : 50;
    const half = Math.floor(steps / 2) * state.workers;      // of a few long steps
    if (async || wanted > half) words.push("--warmup", String(Math.min(wanted, half)));
    if (state.mode === "allreduce") {
        words.push(...machineWords(state, state.gpus > 1 ? "--latency" : "--delay"));
        if (overlapOf(state) !== "none") words.push("--overlap");
    } else {
        const servers = state.trace ? serversOfTrace(traceText) : state.servers;
        words.push("--servers", String(servers), ...linkWords(state, model, servers));
    }
    return words.concat(["--timeline", "timeline", "--format", "json"]);
}

// ---- Answers --------------------------------------------------------------------------------

// The largest of their numbers, and of 0: a call does not take a hundred thousand arguments.
function largest(list, number) {
    return list.reduce((most, each) => Math.max(most, number(each)), 0);
}

// How a run came out: {words, files, status, stdout, stderr, answer, elapsed}; answer is its
// JSON, elapsed in ms.
function runCommand(module, words, files) {
    const began = performance.now(), run = runProgram(module, words, files);
    run.words = words;
    run.files = files;
    run.answer = run.stdout.startsWith("{") ? JSON.parse(run.stdout) : null;
    run.elapsed = performance.now() - began;
    return run;
}

// The last run of each command of which a slider may change nothing.
const lastRuns = new Map();

function runUnlessKnown(module, words, files) {
    const asked = JSON.stringify([words, files]), last = lastRuns.get(words[0]);
    if (last && last.asked === asked) return last.run;
    const run = runCommand(module, words, files);
    lastRuns.set(words[0], {asked, run});
    return run;
}

// Each slice: {worker, resource, server, step, tracedStep, op, start, end}; see slices.c.
function readSlices(bytes, mode) {
    const numbers = new Float64Array(bytes.slice().buffer), slices = [];
    const resources = ["downlink", "worker", mode === "allreduce" ? "link" : "uplink", "server"];
    for (let i = 0; i + 8 <= numbers.length; i += 8)
        slices.push({worker: numbers[i], resource: resources[numbers[i + 1]],
            server: numbers[i + 2], step: numbers[i + 3], tracedStep: numbers[i + 4],
            op: numbers[i + 5], start: numbers[i + 6], end: numbers[i + 7]});
    return slices;
}

// All that is shown for a state. A run that failed has answer null, and says why.
function answerState(module, state) {
    const profile = {"profile.csv": profileCsv(state)};
    const answers = {
        predict: runCommand(module, predictWords(state), profile),
        advise: runUnlessKnown(module, adviseWords(state, ADVISED_WORKERS), profile),
        here: runCommand(module, adviseWords(state, [state.workers]), profile),
        points: [], trace: null, simulate: null, slices: [],
    };
    if (answers.advise.answer && answers.here.answer)
        answers.points = curvePoints(state, answers.advise, answers.here);
    let trace = state.trace && scaledTrace(state);
    if (!trace) {
        answers.trace = runUnlessKnown(module, traceWords(state),
            {"layers.csv": layersCsv(state)});
        trace = answers.trace.status === 0 ? answers.trace.stdout : null;
    }
    if (trace) {
        const model = answers.predict.answer && answers.predict.answer.model;
        const run = runCommand(module, simulateWords(state, trace, model), {"trace.csv": trace});
        answers.simulate = run;
        if (run.file("timeline")) answers.slices = readSlices(run.file("timeline"), state.mode);
    }
    return answers;
}

function answerRuns(answers) {
    return [answers.predict, answers.advise, answers.here, answers.trace, answers.simulate]
        .filter(run => run);
}

// A file as a shell writes it, whatever its lines are.
function shellFile(name, text) {
    let end = "END";
    while (text.split("\n").includes(end)) end += "_";
    return `cat > ${name} <<'${end}'\n${text.replace(/([^\n])$/, "$1\n")}${end}`;
}

function shellLine(words) {
    return "sgdperf " + words.map(word =>
        /^[A-Za-z0-9_.,:/=+-]+$/.test(word) ? word : `'${word}'`).join(" ");
}
