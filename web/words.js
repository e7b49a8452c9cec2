// words.js - what the program says in words of a command line, said in those of the page
"use strict";

// What the page calls options that are no number of CONTROLS. Other options the page sets for
// itself, or does not know.
const OPTION_LABELS = {
    "--measured-on": "Workers", "--mode": "How workers train",
    "--overlap": "Transfers and computing", "--overlap-exponent": "Transfers and computing",
    "--network": "Network", "--local-network": "Local network", "--stack": "Software",
};

// What the page says in place of a note of the program, by the note's key: where the program
// advises what only a shell can do. "": nothing; a function makes it of the note's text.
const NOTE_WORDS = {
    "largest-recommended": "",         // the tile says so
    "short-warmup": "",
    "free-messages": "messages cost nothing but their bytes, so the smallest buckets always " +
        "look best: give the latency of a message",
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
    "links-declared": "the links are taken as their makers declare them: an all-reduce reaches " +
        "80 % of the declared rate, or what this kind of network is known for, and computing " +
        "takes 2.5 % longer with each doubling of the GPUs of a machine",
    "stack-spread": text => text.replace("columns low and high, which do", "the band, which does")
        .replace(/^stack/, "software"),
    "rented-untested": text => text.replace("low and high come", "the 90 % band comes")
        .replace(/; measure a run.*/, "; a run on two machines tells more"),
    "link-kind": text => text.replace(/: name the network.*/, ": choose the kind of network"),
    "measure-first": "the links are only declared, and the profile is of one GPU: runs on one " +
        "machine and on two machines would tell much more",
    "overlap-linear": text => text
        .replace("--overlap assumes", "\"overlap in full\" assumes")
        .replace("without --overlap", "one after the other"),
};

function labelOf(option) {
    const control = Object.values(CONTROLS).find(of => of.option === option);
    return control ? control.label : OPTION_LABELS[option];
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
    const own = NOTE_WORDS[note.key];
    const text = typeof own === "function" ? own(note.text) : own === undefined ?
        inPageWords(note.text) : own;
    return /--[a-z]/.test(text) ? "" : text;
}

// ---- Bands ----------------------------------------------------------------------------------

const BAND_TEXT = "90 % band: 9 of 10 measurements of other jobs lie in such a band";
