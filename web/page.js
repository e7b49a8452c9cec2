// page.js - controls to state, state to answers, answers to the page
"use strict";

const page = {module: null, state: initialState(), answers: null, notes: [], imported: null,
    width: 0};
const byId = id => document.getElementById(id);

// ---- Controls ---------------------------------------------------------------------------------

// unit: what a number of the input is in the program's units. Sliders have places, whole
// numbers from `from` to `to`, and the value of each.
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

const CONTROLS = {
    workers:   {label: "Workers", unit: 1, unitText: "", scale: plain(1, 128)},
    bandwidth: {label: "Bandwidth", unit: 1.25e8, unitText: "Gbit/s",
        scale: logarithmic(0.1, 1000, 20), spoken: value => rateText(value * 1.25e8)},
    servers:   {label: "Parameter servers", unit: 1, unitText: "", scale: plain(1, 16)},
    batch:     {label: "Batch of a worker", unit: 1, unitText: "", scale: binary(1, 8192)},
    bucket:    {label: "Bucket", unit: MIB, unitText: "MiB", scale: binary(0.25, 256)},
    forward:   {label: "Forward pass, ms", unit: 1e-3},
    backward:  {label: "Backward pass, ms", unit: 1e-3},
    update:    {label: "Update at the server, ms", unit: 1e-3},
    size:      {label: "Model or gradient, MB", unit: 1e6},
    profileBatch: {label: "Measured with a batch of", unit: 1},
    parts:     {label: "Layers, taken as alike", unit: 1},
    steps:     {label: "Mini-batches in all", unit: 1},
    price:     {label: "Price of a machine, an hour", unit: 1},
};

// A value as an input shows it: no digits that only come of another unit.
function shownValue(key) {
    const value = page.state[key];
    return value === null ? "" : String(Number((value / CONTROLS[key].unit).toPrecision(12)));
}

function makeControls() {
    for (const holder of document.querySelectorAll("[data-key]")) {
        const key = holder.dataset.key, of = CONTROLS[key];
        const number = `<input type="number" step="any" inputmode="decimal" id="${key}" ` +
            `aria-describedby="${key}-why">`;
        holder.id = key + "-field";
        holder.innerHTML = of.scale ?
            `<label for="${key}-slider">${of.label}</label>${number}` +
            `<span class="unit">${of.unitText}</span>` +
            `<input type="range" id="${key}-slider" min="${of.scale.from}" max="${of.scale.to}" ` +
            `step="1" aria-describedby="${key}-why"><p class="why" id="${key}-why"></p>` :
            `<label for="${key}">${of.label}</label>${number}<p class="why" id="${key}-why"></p>`;
        if (of.scale) byId(key).setAttribute("aria-label",
            `${of.label}${of.unitText ? ", " + of.unitText : ""}, exactly`);
        byId(key).addEventListener("input", () => typed(key));
        if (of.scale) byId(key + "-slider").addEventListener("input", () => slid(key));
    }
    for (const radio of document.querySelectorAll("input[name=mode]"))
        radio.addEventListener("change", () => change({mode: radio.value}));
    byId("overlap").addEventListener("change", () => change({overlap: byId("overlap").value}));
}

function slid(key) {
    const of = CONTROLS[key];
    change({[key]: of.scale.value(Number(byId(key + "-slider").value)) * of.unit}, key + "-slider");
}

function typed(key) {
    const of = CONTROLS[key], text = byId(key).value;
    const limit = NUMBERS[key], bytes = Number(text) * of.unit;
    const value = checkedNumber(key, text.trim() === "" ? text :
        String(limit.whole && of.unit !== 1 ? Math.round(bytes) : bytes));
    const wrong = Number.isNaN(value);
    byId(key).setAttribute("aria-invalid", wrong ? "true" : "false");
    const whole = limit.whole && of.unit === 1 ? ", a whole number" : "";
    byId(key + "-why").textContent = wrong ? `from ${numberText(limit.min / of.unit)} to ` +
        `${numberText(limit.max / of.unit)}${whole}` : "";
    if (!wrong) change({[key]: value}, key);
}

// Whatever of the state a control shows, but for the one at which somebody types.
function showControls(at) {
    const state = page.state;
    for (const [key, of] of Object.entries(CONTROLS)) {
        if (at !== key) {
            byId(key).value = shownValue(key);
            byId(key).setAttribute("aria-invalid", "false");
        }
        if (!of.scale) continue;
        const slider = byId(key + "-slider"), value = state[key] / of.unit;
        if (at !== key + "-slider") slider.value = of.scale.place(value);
        slider.setAttribute("aria-valuetext", of.spoken ? of.spoken(value) :
            `${shownValue(key)} ${of.unitText}`.trim());
    }
    for (const radio of document.querySelectorAll("input[name=mode]"))
        radio.checked = radio.value === state.mode;
    const measured = byId("overlap").querySelector("[value=measured]");
    measured.hidden = measured.disabled = state.kept.overlap_exponent === undefined;
    byId("overlap").value = state.overlap;
    showUses();
}

// Controls that have no effect here say why.
function showUses() {
    const state = page.state, allreduce = state.mode === "allreduce";
    const set = (key, why, hidden) => {
        byId(key + "-field").hidden = Boolean(hidden);
        for (const id of [key, key + "-slider"]) if (byId(id)) byId(id).disabled = why !== "";
        if (why !== "" || byId(key).getAttribute("aria-invalid") !== "true")
            byId(key + "-why").textContent = why;
    };
    set("servers", "", allreduce);
    set("batch", state.profileBatch !== null ? "" :
        "say below with which batch the step was measured");
    set("bucket", bucketCounts(state) ? "" :
        state.trace ? "the replay has the trace's own transfers" :
        state.overlap === "none" ? "counts once transfers and computing overlap" :
        "counts with one server");
    set("parts", "", state.overlap === "none" || state.layers || state.trace);
    set("forward", state.layers || state.trace ? "from the file" : "");
    for (const key of ["backward", "update", "size"])
        set(key, state.layers || state.trace ? "from the file" : "");
}

// ---- Answers ----------------------------------------------------------------------------------

const MODE_TEXT = {sync: "synchronous", async: "asynchronous", allreduce: "all-reduce"};

function tileHtml(title, value, small) {
    return `<div><dt>${escapeText(title)}</dt><dd>${escapeText(value)}` +
        `<small>${escapeText(small)}</small></dd></div>`;
}

function chargedText(x) { return numberText(x, x >= 1000 ? 5 : 3); }

// The point of a run for the state's workers.
function hereOf(run) {
    return run.answer.points.find(point => point.workers === page.state.workers);
}

function summaryText(predicted, advised) {
    const state = page.state, said = page.answers.here.answer.recommendation;
    const busy = predicted.utilization[predicted.bottleneck];
    const plural = state.workers === 1 ? "worker does" : "workers do";
    return `${state.workers} ${MODE_TEXT[state.mode]} ${plural} ` +
        `${numberText(predicted.batches_per_s)} batches a second (90 % of unseen rows: ` +
        `${numberText(predicted.low)} to ${numberText(predicted.high)}), ` +
        `${numberText(predicted.speedup, 3)} times one worker. What limits them is the ` +
        `${predicted.bottleneck}, busy ${numberText(100 * busy, 3)} % of the time. ` +
        `${numberText(state.steps)} mini-batches take ${timeText(advised.time_s)} and cost ` +
        `${chargedText(advised.cost)}.` + (said.help ? ` What would help most: ${said.help}.` : "");
}

function showTiles(predicted, advised) {
    const replay = page.answers.simulate && page.answers.simulate.answer;
    const best = page.answers.advise.answer.recommendation;
    const tiles = [
        tileHtml("Throughput", `${numberText(predicted.batches_per_s)} /s`,
            `${numberText(predicted.low)} to ${numberText(predicted.high)} in 9 of 10`),
        tileHtml("Speed-up", numberText(predicted.speedup, 3),
            `${numberText(100 * predicted.efficiency, 3)} % of ${page.state.workers}`),
        tileHtml("A step", timeText(predicted.step_s), "of one worker, with its waiting"),
        tileHtml("Cost", chargedText(advised.cost), `${timeText(advised.time_s)}, from ` +
            `${chargedText(advised.cost_low)} to ${chargedText(advised.cost_high)}`),
        tileHtml("Recommended", `${best.workers} worker${best.workers === 1 ? "" : "s"}`,
            "the least time \u00d7 cost"),
    ];
    if (predicted.examples_per_s)
        tiles.splice(1, 0, tileHtml("Examples", `${numberText(predicted.examples_per_s)} /s`,
            `batches of ${page.state.batch}`));
    if (replay)
        tiles.push(tileHtml("Replayed", `${numberText(replay.batches_per_s)} /s`,
            `${replay.steps} steps, simulated`));
    byId("tiles").innerHTML = tiles.join("");
}

function curveTable(points) {
    const one = points[0].batches_per_s / points[0].workers;
    return tableHtml(`${MODE_TEXT[page.state.mode]}; low and high hold 90 % of unseen rows`, [
        {title: "workers", text: p => p.workers},
        {title: "batches/s", text: p => numberText(p.batches_per_s, 5)},
        {title: "low", text: p => numberText(p.low, 5)},
        {title: "high", text: p => numberText(p.high, 5)},
        {title: "speed-up", text: p => numberText(p.batches_per_s / one, 4)},
        {title: "time", text: p => timeText(p.time_s)},
        {title: "cost", text: p => chargedText(p.cost)},
    ], points, p => p.workers === page.state.workers);
}

function partsTable(points) {
    const parts = PART_ORDER.filter(part => points.some(p => p.time_s[part] !== undefined));
    const [size, unit] = timeUnit(Math.max(...points.map(p => p.step_s)));
    const columns = [{title: "workers", text: p => p.workers}];
    for (const part of parts)
        if (part === "barrier")
            columns.push({title: "barrier", text: p => numberText(p.time_s.barrier / size)});
        else columns.push(
            {title: part, text: p => numberText(p.time_s[part].service / size)},
            {title: "waiting", text: p => numberText(p.time_s[part].waiting / size)});
    columns.push({title: "step", text: p => numberText(p.step_s / size)},
        {title: "bottleneck", text: p => p.bottleneck, isText: true});
    return tableHtml(`Parts of a step in ${unit}, each at its resource and waiting for it`, columns,
        points, p => p.workers === page.state.workers);
}

function replayTable(simulated, slices) {
    const first = slices.filter(s => s.worker === 0 && s.step === 0);
    const end = largest(slices, s => s.end), [size, unit] = timeUnit(end);
    const shares = simulated.types[0];
    const rows = [["computing", shares.computing_share], ...Object.entries(shares.waiting_share)
        .map(([part, share]) => ["waiting for " + part, share])];
    return tableHtml("Shares of a worker's time in the whole replay", [
        {title: "what", text: row => row[0]},
        {title: "%", text: row => numberText(100 * row[1], 3)},
    ], rows) + tableHtml(`The first step of worker 1, in ${unit}`, [
        {title: "resource", text: s => s.resource}, {title: "operation", text: s => s.op},
        {title: "from", text: s => numberText(s.start / size)},
        {title: "to", text: s => numberText(s.end / size)},
    ], first.slice(0, 200));
}

function showReplay(width) {
    const run = page.answers.simulate, slices = page.answers.slices;
    const shown = Boolean(run && run.answer && slices.length > 0);
    for (const id of ["replay", "replay-legend"]) byId(id).hidden = !shown;
    if (!shown) {
        const failed = run && run.status !== 0 ? run : page.answers.trace;
        byId("replay-text").textContent = "No replay: " + (failed ? programSays(failed) : "");
        return;
    }
    const steps = 1 + largest(slices, s => s.step);
    const workers = 1 + largest(slices, s => s.worker);
    const text = `The first ${steps} steps of ` + (workers < page.state.workers ?
        `the first ${workers} of ${page.state.workers}` : `each of ${workers}`) +
        " workers, operation by operation" + (page.state.trace ? ", from the file" : "") +
        (page.state.mode === "async" && !page.state.trace ? "; computing varies by 5 %" : "") + ".";
    byId("replay-text").textContent = text;
    byId("replay").setAttribute("aria-label", `${text} It lasts ` +
        `${timeText(largest(slices, s => s.end))}; the table below has its numbers.`);
    drawReplay(byId("replay"), slices, width);
    byId("replay-legend").innerHTML = replayLegend(slices);
}

// To be asked for before anything is written: each answer after that costs a layout.
function chartWidth() {
    const section = byId("curve").parentElement;
    return Math.max(240, Math.floor(section.clientWidth -
        parseFloat(getComputedStyle(section).paddingLeft) * 2));
}

// Tables are made when somebody opens them.
const TABLES = ["curve-table", "parts-table", "replay-table"];

function showTables() {
    const answers = page.answers, made = {
        "curve-table": () => curveTable(answers.advise.answer.points),
        "parts-table": () => partsTable(answers.predict.answer.points),
        "replay-table": () => answers.slices.length > 0 ?
            replayTable(answers.simulate.answer, answers.slices) : "",
    };
    for (const id of TABLES)
        if (byId(id).parentElement.open) byId(id).innerHTML = made[id]();
}

function showNotes() {
    const notes = new Set(page.notes);
    for (const run of answerRuns(page.answers))
        for (const note of notesOf(run)) notes.add(note);
    byId("notes").innerHTML = [...notes].map(note => `<li>${escapeText(note)}</li>`).join("");
}

function showCommands() {
    const answers = page.answers, files = {...answers.predict.files};
    if (answers.trace) Object.assign(files, answers.trace.files);
    const lines = Object.entries(files).filter(([, text]) => text.length < 2000)
        .map(([name, text]) => shellFile(name, text));
    if (page.imported) lines.unshift(shellLine(page.imported.words));
    for (const run of answerRuns(answers))
        lines.push(shellLine(run.words) + (run === answers.trace ? " > trace.csv" : ""));
    byId("commands").textContent = lines.join("\n").replace(/ --timeline timeline/g, "");
    byId("elapsed").textContent = `They took ${numberText(answers.elapsed, 2)} ms.`;
}

function showProblem(text) {
    byId("problem").hidden = text === "";
    byId("problem").textContent = text;
    for (const section of document.querySelectorAll("#results section"))
        section.classList.toggle("stale", text !== "");
}

let announcing = 0;

// Screen readers hear the summary once the sliders rest.
function announce(text) {
    clearTimeout(announcing);
    announcing = setTimeout(() => { byId("announce").textContent = text; }, 700);
}

function show() {
    const answers = page.answers;
    const failed = [answers.predict, answers.advise, answers.here].find(run => !run.answer);
    if (failed) {
        showProblem(programSays(failed));
        return;
    }
    showProblem("");
    const predicted = hereOf(answers.predict), advised = hereOf(answers.advise);
    const text = summaryText(predicted, advised), width = page.width;
    byId("summary").textContent = text;
    byId("bar").textContent = `${page.state.workers} workers: ` +
        `${numberText(predicted.batches_per_s)} batches/s, ` +
        `${numberText(predicted.speedup, 3)}\u00d7, ${predicted.bottleneck}`;
    announce(text);
    showTiles(predicted, advised);
    byId("curve").innerHTML = curveHtml(answers.advise.answer.points, page.state.workers,
        answers.advise.answer.recommendation.workers, width);
    byId("curve-legend").innerHTML = curveLegend();
    const points = answers.predict.answer.points;
    byId("parts-chart").innerHTML = partsHtml(points, page.state.workers, width);
    byId("parts-legend").innerHTML = partsLegend(points);
    showReplay(width);
    showTables();
    showNotes();
    showCommands();
}

// ---- Changes ----------------------------------------------------------------------------------

// at: the id of the control that is being used.
function change(what, at) {
    Object.assign(page.state, what);
    if ("profileBatch" in what && what.profileBatch !== null) page.state.batch = what.profileBatch;
    page.answers = answerState(page.module, page.state);
    showControls(at);
    show();
    history.replaceState(null, "", stateToFragment(page.state));
}

// imported: the run of sgdperf import that the state comes from, if any.
function setState(state, notes, imported) {
    page.state = state;
    page.notes = notes;
    page.imported = imported || null;
    change({});
}

async function openFile(file) {
    byId("file-status").textContent = `Reading ${file.name} ...`;
    await new Promise(resolve => setTimeout(resolve, 20));   // so that this is seen
    try {
        const taken = await takeFile(page.module, page.state, file);
        setState(taken.state, taken.notes, taken.run);
        byId("file-status").textContent = `${file.name} is shown.`;
    } catch (problem) {
        if (!(problem instanceof FileProblem)) console.error(problem);
        byId("file-status").textContent = problem instanceof FileProblem ? problem.message :
            `${file.name} cannot be read: ${problem.message}`;
    }
}

async function share() {
    let link = location.href.replace(/#.*$/, "") + stateToFragment(page.state), left = "";
    for (const key of ["layers", "trace"]) {
        if (!page.state[key]) continue;
        const packed = await packText(page.state[key]);
        if (packed.length <= LINK_MOST) link += `&${key}=${packed}`;
        else left = ` The ${key} of the file are too long for a link, which has the profile alone.`;
    }
    history.replaceState(null, "", link);
    try {
        await navigator.clipboard.writeText(link);
        byId("share-status").textContent = "Copied." + left;
    } catch (problem) {
        byId("share-status").textContent = "The link stands in the address bar." + left;
    }
}

async function readFragment() {
    const {state, wrong} = stateFromFragment(location.hash);
    const words = new URLSearchParams(location.hash.replace(/^#/, "")), notes = [];
    for (const key of ["layers", "trace"]) {
        if (!words.get(key)) continue;
        try {
            state[key] = await unpackText(words.get(key));
        } catch (problem) {
            wrong.push(key);
        }
    }
    if (wrong.length > 0)
        notes.push(`the link has what the page does not take: ${wrong.join(", ")}`);
    setState(state, notes);
}

function watchFiles() {
    byId("file").addEventListener("change", () => {
        if (byId("file").files.length > 0) openFile(byId("file").files[0]);
    });
    document.addEventListener("dragover", event => {
        event.preventDefault();
        document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
    document.addEventListener("drop", event => {
        event.preventDefault();
        document.body.classList.remove("dropping");
        if (event.dataTransfer.files.length > 0) openFile(event.dataTransfer.files[0]);
    });
}

async function loadModule() {
    const packed = atob(byId("module").textContent.replace(/\s+/g, ""));
    const bytes = Uint8Array.from(packed, character => character.charCodeAt(0));
    return WebAssembly.compile(await throughStream(bytes, new DecompressionStream("gzip")));
}

async function start() {
    makeControls();
    watchFiles();
    byId("controls").addEventListener("submit", event => event.preventDefault());
    byId("share").addEventListener("click", share);
    byId("reset").addEventListener("click", () => {
        byId("file").value = byId("file-status").textContent = "";
        setState(initialState(), []);
    });
    page.module = await loadModule();
    page.width = chartWidth();
    await readFragment();
    window.addEventListener("hashchange", readFragment);
    window.addEventListener("resize", () => {
        page.width = chartWidth();
        if (page.answers) show();
    });
    for (const id of TABLES)
        byId(id).parentElement.addEventListener("toggle", () => page.answers && showTables());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
}

page.ready = start().catch(problem => {
    showProblem(`This browser cannot run the page: ${problem.message}`);
    throw problem;
});
