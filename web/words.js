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

// Ends of notes that advise what only a shell can do, and what stands in their place; a note
// of which nothing is left is none.
const OF_A_SHELL = [
    [/^the most of --workers is recommended: .*/, ""],        // the tile says so
    [/^--warmup \d+ is fewer than .*/, ""],
    [/ without --delay, the latency of a message,/,
        " without a latency of messages, which the page does not know,"],
    [/: vary them \(trace-from-layers --vary\), or take .*/, ""],
    [/: with --updates queued or shared (the first wait .*? at the server)\. .*/, ": $1"],
    [/ is --updates separate$/, " is another one"],
    [/ \(trace-from-layers --servers places layers\)$/, ""],
    [/: --warmup \d+ leaves it out$/, ""],
    [/: (is )?--measured-on( right\?)?$/, ""],
    [/: predict takes it out of the --profile, by the column measured_on; a --trace keeps it$/,
        ": the prediction takes it out, the replay of the trace keeps it"],
    [/: sgdperf simulate does$/, ""],
];

function labelOf(option) {
    const key = OPTION_CONTROLS[option];
    return key ? CHOICE_LABELS[key] || CONTROLS[key].label : null;
}

// An error in the page's words: all of it, with labels for options that have one.
function inPageWords(text) {
    for (const [pattern, instead] of OF_A_SHELL) text = text.replace(pattern, instead);
    return text.replace(/--[a-z][a-z-]*/g, option => {
        const label = labelOf(option);
        return label ? `"${label}"` : option;
    });
}

// A note in the page's words: "" for one about an option that has no control.
function noteInPageWords(note) {
    const text = inPageWords(note);
    return /--[a-z]/.test(text) ? "" : text;
}

// ---- Bands ----------------------------------------------------------------------------------

const BAND_TEXT = "9 of 10 measurements of other jobs fell into such a band";
