// state.js - what the page knows: a profile, a cluster, a price. All of it stands behind the
// # of the address, in the program's units (seconds, bytes, bytes per second), so that
// a link reproduces every digit.
"use strict";

const MIB = 1048576;

// Each number: its smallest and largest value, and what it is to begin with. These are an
// example, of no network in particular.
const NUMBERS = {
    forward:      {min: 0, max: 1e6, start: 0.04},
    backward:     {min: 0, max: 1e6, start: 0.08},
    update:       {min: 0, max: 1e6, start: 0.004},
    size:         {min: 1, max: 1e15, start: 102e6},
    profileBatch: {min: 1, max: 1e9, start: 32, whole: true, optional: true},
    parts:        {min: 1, max: 200, start: 16, whole: true},
    workers:      {min: 1, max: 256, start: 8, whole: true},
    servers:      {min: 1, max: 16, start: 1, whole: true},
    bandwidth:    {min: 1e5, max: 1e12, start: 1.25e9},
    batch:        {min: 1, max: 1e9, start: 32, whole: true},
    bucket:       {min: 65536, max: 1024 * MIB, start: 25 * MIB, whole: true},
    price:        {min: 0, max: 1e9, start: 2.5},
    steps:        {min: 1, max: 1e15, start: 100000, whole: true},
};
const CHOICES = {
    mode: ["async", "sync", "allreduce"],
    overlap: ["none", "full", "measured"],
};
// Columns of a profile that the page keeps, and does not let you set.
const KEPT = ["overlap_exponent", "host_s", "traced_workers", "traced_step_s", "measured_on"];

function initialState() {
    const state = {kept: {}, layers: null, trace: null, fileName: ""};
    for (const [key, of] of Object.entries(NUMBERS)) state[key] = of.start;
    for (const [key, words] of Object.entries(CHOICES)) state[key] = words[0];
    state.mode = "sync";
    return state;
}

// NaN if it is none that the page takes; null where an optional one is empty.
function checkedNumber(key, text) {
    const of = NUMBERS[key], value = Number(text);
    if (of.optional && String(text).trim() === "") return null;
    if (String(text).trim() === "" || !(value >= of.min && value <= of.max)) return NaN;
    return of.whole && !Number.isInteger(value) ? NaN : value;
}

function stateToFragment(state) {
    const words = new URLSearchParams();
    for (const key of Object.keys(CHOICES)) words.set(key, state[key]);
    for (const key of Object.keys(NUMBERS))
        words.set(key, state[key] === null ? "" : String(state[key]));
    for (const key of KEPT)
        if (state.kept[key] !== undefined) words.set(key, String(state.kept[key]));
    return "#" + words.toString();
}

// The state that a fragment holds, and what of it was not understood.
function stateFromFragment(fragment) {
    const state = initialState(), wrong = [];
    for (const [key, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
        if (NUMBERS[key]) {
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
