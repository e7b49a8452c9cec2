// words.js - what the program says in words of a command line, said in those of the page
"use strict";

// The control of each option. What has none the page sets for itself, or does not know.
const OPTION_CONTROLS = {
    "--workers": "workers", "--measured-on": "workers", "--bandwidth": "bandwidth",
    "--servers": "servers", "--batch": "batch", "--bucket": "bucket", "--forward": "forward",
    "--backward": "backward", "--update": "update", "--model-size": "size", "--price": "price",
    "--mode": "mode", "--overlap": "overlap", "--overlap-exponent": "overlap",
};
// Controls that are no number.
const CHOICE_LABELS = {mode: "Workers are", overlap: "Transfers and computing"};

// What the page says in place of a note of the program, by the note's key: where the program
// advises what only a shell can do. "": nothing.
const NOTE_WORDS = {
    "largest-recommended": "",         // the tile says so
    "short-warmup": "",
    "free-messages": "messages take no time but for their bytes: without a latency of messages, " +
        "which the page does not know, the smallest buckets always win",
    "workers-in-step": "workers whose steps never vary stay in step on equally shared links, " +
        "as if synchronous",
    "workers-wait-at-server": "workers keep in step, no faster than synchronous ones, though " +
        "nothing is used to the full: the first wait for the last at the server",
    "updates-wait": "a step has an update of each worker, which wait for each other: a server " +
        "that adds gradients up and updates once a step is another one",
    "idle-servers": "some servers hold no layer",
    "steps-differ": "the steps of the trace differ in length: their mean counts",
    "workers-unknown": "the trace does not say how many workers there were",
    "step-not-explained": "whatever the bandwidth, so many workers do not take the traced step",
    "waiting-in-transfers": "the trace's transfers hold the waiting of its workers: the " +
        "prediction takes it out, the replay of the trace keeps it",
    "trace-not-replayed": "so long a trace is not replayed here",
};

function labelOf(option) {
    const key = OPTION_CONTROLS[option];
    return key ? CHOICE_LABELS[key] || CONTROLS[key].label : null;
}

// An error in the page's words: all of it, with labels for options that have one.
function inPageWords(text) {
    return text.replace(/--[a-z][a-z-]*/g, option => {
        const label = labelOf(option);
        return label ? `"${label}"` : option;
    });
}

// A note in the page's words: "" for one about an option that has no control.
function noteInPageWords(note) {
    const text = note.key in NOTE_WORDS ? NOTE_WORDS[note.key] : inPageWords(note.text);
    return /--[a-z]/.test(text) ? "" : text;
}

// ---- Bands ----------------------------------------------------------------------------------

const BAND_TEXT = "9 of 10 measurements of other jobs fell into such a band";
