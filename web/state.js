// state.js - what the page knows: a profile, a cluster, a price. All of it stands behind the
// # of the address, in the program's units (seconds, bytes, bytes per second), so that
// a link reproduces every digit.
"use strict";

// ---- Controls ---------------------------------------------------------------------------------

// Sliders have places, whole numbers from `from` to `to`, and the value of each, in the unit of
// their control.
const logarithmic = (from, to, perTenfold) => ({
    from: Math.round(perTenfold * Math.log10(from)), to: Math.round(perTenfold * Math.log10(to)),
    value: place => Number(Math.pow(10, place / perTenfold).toPrecision(2)),
    place: value => Math.round(perTenfold * Math.log10(value)),
});
const binary = (from, to) => ({
    from: Math.log2(from), to: Math.log2(to), value: place => Math.pow(2, place),
    place: value => Math.round(Math.log2(value)),
});
const plain = (from, to) => ({from, to, value: place => place, place: value => value});

// Each number: the option that takes it, what the page calls it, and the unit that it is shown
// in. What a number begins with, whether it is whole or may be 0, what its unit is worth, and
// its explanation come out of the program's table (see learnOptions), but where they stand
// here: an example, of no network in particular, and limits of the page.
const CONTROLS = {
    workers:      {option: "--workers", label: "Workers", max: 256, start: 8,
        scale: plain(1, 128)},
    gpus:         {option: "--gpus", label: "GPUs per machine", max: 64,
        scale: binary(1, 16)},
    bandwidth:    {option: "--bandwidth", label: "Link of a machine", unit: "Gbit/s",
        min: 1e5, max: 1e12, start: 1.25e9, scale: logarithmic(0.1, 1000, 20)},
    localBandwidth: {option: "--local-bandwidth", label: "Local link",
        unit: "GB/s", min: 1e6, max: 1e14, start: 1e11},
    latency:      {option: "--latency", label: "Latency", unit: "us", max: 1},
    forward:      {option: "--forward", label: "Forward pass", unit: "ms", max: 1e6, start: 0.04},
    backward:     {option: "--backward", label: "Backward pass", unit: "ms", max: 1e6,
        start: 0.08},
    size:         {option: "--model-size", label: "Model size", unit: "MB", min: 1,
        max: 1e15, start: 102e6},
    update:       {option: "--update", label: "Model update", unit: "ms", max: 1e6,
        start: 0.004},
    steps:        {option: "--steps", label: "Mini-batches in all", max: 1e15, start: 100000},
    price:        {option: "--price", label: "Machine, price/h", max: 1e9, start: 2.5},
    deadline:     {option: "--deadline", label: "Deadline", unit: "h", min: 1, max: 1e10,
        optional: true},
    servers:      {option: "--servers", label: "Parameter servers", max: 16, scale: plain(1, 16)},
    batch:        {option: "--batch", label: "Mini-batch of a worker", whole: true,
        max: 1e9, start: 32, scale: binary(1, 8192)},
    profileBatch: {label: "Measured batch", whole: true, min: 1, max: 1e9, start: 32,
        optional: true},
    bucket:       {option: "--bucket", label: "Bucket", unit: "MiB", whole: true, min: 65536,
        max: 1 << 30, scale: binary(0.25, 256)},
    parts:        {label: "Layers, all alike", whole: true, min: 1, max: 200, start: 16},
};
// Each choice: its words; the first is what the page opens on. Those of mode, network and stack
// are the program's. "": unknown.
const CHOICES = {
    mode: ["allreduce", "sync", "async"],
    overlap: ["none", "full", "measured"],
    network: [""], localNetwork: [""], stack: [""],
};
const LINE_OF = {};                    // of a kind of network: bytes per second, or null
const HELP_OF = {};                    // of an option of the table

// Kinds of links inside a machine have a choice of their own.
const INSIDE = ["pcie", "nvlink"];

// The rows of sgdperf networks and sgdperf stacks.
function learnKinds(networks, stacks) {
    for (const of of networks) {
        CHOICES[INSIDE.includes(of.kind) ? "localNetwork" : "network"].push(of.name);
        LINE_OF[of.name] = of.line_bytes_per_s;
    }
    CHOICES.stack.push(...stacks.map(of => of.stack));
}

// Takes from the program's table what the controls do not say themselves.
function learnOptions(table) {
    for (const [option, row] of Object.entries(table.options)) HELP_OF[option] = row.help;
    for (const of of Object.values(CONTROLS)) {
        const row = table.options[of.option] || {};
        of.factor = of.unit ? table.units[of.unit] : 1;
        of.whole = of.whole || Boolean(row.whole);
        of.min = of.min || (row.positive ? 1 : 0);
        of.start = of.start === undefined ? row.preset : of.start;
        of.help = row.help || "";
    }
    const words = table.options["--mode"].words.split(" ");
    CHOICES.mode = CHOICES.mode.filter(word => words.includes(word))
        .concat(words.filter(word => !CHOICES.mode.includes(word)));
}

// ---- State ------------------------------------------------------------------------------------

// Columns of a profile that the page keeps, and does not let you set.
const KEPT = ["overlap_exponent", "overlap_part", "vary", "host_s", "traced_workers", "traced_step_s",
    "bandwidth_bytes_per_s",                               // at which it was traced
    "measured_on", "exposure", "growth", "growth_between", "alltoall_bytes"];
// Those that the replay takes too, as options.
const KEPT_OPTIONS = {exposure: "--exposure", growth: "--growth",
    growth_between: "--growth-between"};

function initialState() {
    const state = {kept: {}, layers: null, trace: null, fileName: ""};
    for (const [key, of] of Object.entries(CONTROLS)) state[key] = of.start;
    for (const [key, words] of Object.entries(CHOICES)) state[key] = words[0];
    return state;
}

// NaN if the page does not take it; null where an optional number is empty.
function checkedNumber(key, text) {
    const of = CONTROLS[key], value = Number(text);
    if (of.optional && String(text).trim() === "") return null;
    if (String(text).trim() === "" || !(value >= of.min && value <= of.max)) return NaN;
    return of.whole && !Number.isInteger(value) ? NaN : value;
}

function stateToFragment(state) {
    const words = new URLSearchParams();
    for (const key of Object.keys(CHOICES)) words.set(key, state[key]);
    for (const key of Object.keys(CONTROLS))
        words.set(key, state[key] === null ? "" : String(state[key]));
    for (const key of KEPT)
        if (state.kept[key] !== undefined) words.set(key, String(state.kept[key]));
    return "#" + words.toString();
}

// The state that a fragment holds, and what of it was not understood.
function stateFromFragment(fragment) {
    const state = initialState(), wrong = [];
    for (const [key, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
        if (CONTROLS[key]) {
            const value = checkedNumber(key, text);
            if (Number.isNaN(value)) wrong.push(`${key}=${text}`);
            else state[key] = value;
        } else if (CHOICES[key]) {
            if (CHOICES[key].includes(text)) state[key] = text;
            else wrong.push(`${key}=${text}`);
        } else if (KEPT.includes(key)) {
            if (Number.isFinite(Number(text)) && text !== "") state.kept[key] = Number(text);
            else wrong.push(`${key}=${text}`);
        } else if (key !== "layers" && key !== "trace") {
            wrong.push(key);
        }
    }
    if (state.overlap === "measured" && state.kept.overlap_exponent === undefined)
        state.overlap = "none";
    return {state, wrong};
}

// ---- Files in a link: compressed, in the alphabet of addresses --------------------------

const LINK_MOST = 8000;                // characters of a file in a link

async function throughStream(bytes, stream) {
    const piped = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(piped).arrayBuffer());
}

async function packText(text) {
    const packed = await throughStream(new TextEncoder().encode(text),
        new CompressionStream("gzip"));
    let binary = "";
    for (const byte of packed) binary += String.fromCharCode(byte);
    return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function unpackText(packed) {
    const binary = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0));
    return new TextDecoder().decode(
        await throughStream(bytes, new DecompressionStream("gzip")));
}
