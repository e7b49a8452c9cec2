// page.js - controls to state, state to answers, answers to the page
"use strict";

const page = {module: null, state: null, answers: null, notes: [], imported: null,
    width: 0};
const byId = id => document.getElementById(id);

// ---- Controls ---------------------------------------------------------------------------------

// A value as an input shows it, in as many digits as its box holds; the state keeps all.
function shownValue(key) {
    const value = page.state[key];
    return value === null ? "" : String(Number((value / CONTROLS[key].factor).toPrecision(8)));
}

// Kinds to choose from: the option that takes one, and what the page calls it.
const KINDS = {
    network: ["--network", "Network"], localNetwork: ["--local-network", "Local network"],
    stack: ["--stack", "Software"],
};

// A kind of network brings the bandwidth that its maker declares.
function chosen(key, word) {
    const of = key === "localNetwork" ? "localBandwidth" : "bandwidth";
    change({[key]: word, ...(key !== "stack" && LINE_OF[word] ? {[of]: LINE_OF[word]} : {})});
}

// The explanation of an option, in the page's words, for who points at its control.
function helpOf(of) {
    return escapeText(inPageWords(of.help).replace(/^./, letter => letter.toUpperCase()));
}

function controlHtml(key, of) {
    const unit = of.unit ? `, ${of.unit}` : "", about = `aria-describedby="${key}-why"`;
    const number = `<input type="number" step="any" inputmode="decimal" id="${key}" ${about}`;
    const why = `<p class="why" id="${key}-why"></p>`;
    if (!of.scale) return `<label for="${key}">${of.label}${unit}</label>${number}>${why}`;
    return `<label for="${key}-slider">${of.label}</label>` +
        `${number} aria-label="${of.label}${unit}, exactly">` +
        `<span class="unit">${of.unit || ""}</span><input type="range" id="${key}-slider" ` +
        `min="${of.scale.from}" max="${of.scale.to}" step="1" ${about}>${why}`;
}

const MODE_LABELS = {
    allreduce: "data-parallel, by all-reduce", sync: "synchronous, parameter servers",
    async: "asynchronous, parameter servers",
};

function makeControls() {
    for (const holder of document.querySelectorAll("[data-key]")) {
        const key = holder.dataset.key, of = CONTROLS[key];
        holder.id = key + "-field";
        holder.title = helpOf(of);
        holder.innerHTML = controlHtml(key, of);
        byId(key).addEventListener("input", () => typed(key));
        if (of.scale) byId(key + "-slider").addEventListener("input", () => slid(key));
    }
    for (const holder of document.querySelectorAll("[data-choice]")) {
        const key = holder.dataset.choice, [option, label] = KINDS[key];
        const options = CHOICES[key].map(word =>
            `<option value="${word}">${word || "unknown"}</option>`);
        holder.id = key + "-field";
        holder.title = helpOf({help: HELP_OF[option].split(";")[0]});
        holder.innerHTML = `<label for="${key}">${label}</label>` +
            `<select id="${key}">${options.join("")}</select>`;
        byId(key).addEventListener("change", () => chosen(key, byId(key).value));
    }
    for (const word of CHOICES.mode) {
        const radio = document.createElement("label");
        radio.innerHTML = `<input type="radio" name="mode" value="${word}"> ` +
            (MODE_LABELS[word] || word);
        radio.firstChild.addEventListener("change", () => change({mode: word}));
        byId("mode").append(radio);
    }
    byId("overlap").addEventListener("change", () => change({overlap: byId("overlap").value}));
}

function slid(key) {
    const of = CONTROLS[key];
    change({[key]: of.scale.value(Number(byId(key + "-slider").value)) * of.factor},
        key + "-slider");
}

function typed(key) {
    const of = CONTROLS[key], text = byId(key).value, own = Number(text) * of.factor;
    const value = checkedNumber(key, text.trim() === "" ? text :
        String(of.whole && of.factor !== 1 ? Math.round(own) : own));
    const wrong = Number.isNaN(value);
    byId(key).setAttribute("aria-invalid", wrong ? "true" : "false");
    const whole = of.whole && of.factor === 1 ? ", a whole number" : "";
    byId(key + "-why").textContent = wrong ? `from ${numberText(of.min / of.factor)} to ` +
        `${numberText(of.max / of.factor)}${whole}` : "";
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
        const slider = byId(key + "-slider"), value = state[key] / of.factor;
        if (at !== key + "-slider") slider.value = of.scale.place(value);
        slider.setAttribute("aria-valuetext", key === "bandwidth" ? rateText(state[key]) :
            `${shownValue(key)} ${of.unit || ""}`.trim());
    }
    for (const radio of document.querySelectorAll("input[name=mode]"))
        radio.checked = radio.value === state.mode;
    const measured = byId("overlap").querySelector("[value=measured]");
    measured.hidden = measured.disabled = state.kept.overlap_exponent === undefined;
    for (const key of ["overlap", ...Object.keys(KINDS)]) byId(key).value = state[key];
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
    for (const key of ["gpus", "latency"]) set(key, "", !allreduce);
    const lone = !allreduce || state.gpus === 1;
    for (const key of Object.keys(KINDS))
        byId(key + "-field").hidden = key === "localNetwork" ? lone : !allreduce;
    byId("overlap").disabled = allreduce && state.stack !== "";
    set("localBandwidth", "", lone);
    set("batch", state.profileBatch !== null ? "" :
        "needs the mini-batch with which the profile was measured");
    set("bucket", bucketCounts(state) ? "" :
        state.trace ? "the trace has its own transfers" :
        overlapOf(state) === "none" ? "needs transfers that overlap computing" :
        "needs one server");
    set("parts", "", overlapOf(state) === "none" || state.layers || state.trace);
    set("forward", state.layers || state.trace ? "from the file" : "");
    for (const key of ["backward", "update", "size"])
        set(key, state.layers || state.trace ? "from the file" : "");
}

// ---- Answers ----------------------------------------------------------------------------------

const MODE_TEXT = {sync: "synchronous, with parameter servers",
    async: "asynchronous, with parameter servers", allreduce: "by all-reduce"};

function tileHtml(title, value, small) {
    return `<div><dt>${escapeText(title)}</dt><dd>${escapeText(value)}` +
        `<small>${escapeText(small)}</small></dd></div>`;
}

function chargedText(x) { return numberText(x, x >= 1000 ? 5 : 3); }

// The point of a run for the state's workers.
function hereOf(run) {
    return run.answer.points.find(point => point.workers === page.state.workers);
}

const VERDICTS = {yes: "meet", likely: "probably meet", unlikely: "probably miss", no: "miss"};

function summaryText(predicted, advised) {
    const state = page.state, said = page.answers.here.answer.recommendation;
    const busy = predicted.utilization[predicted.bottleneck], one = state.workers === 1;
    const deadline = advised.in_time === null ? "" :
        ` They ${VERDICTS[advised.in_time]} the deadline of ${timeText(state.deadline)}.`;
    return `${state.workers} worker${one ? "" : "s"}, ${MODE_TEXT[state.mode]}: ` +
        `${numberText(predicted.batches_per_s)} mini-batches a second` + (one ? ". " :
            ` together, ${numberText(predicted.speedup, 3)} times as many as one worker. `) +
        `${predicted.low === null ? "No 90 % band is known for this case." : "The 90 % band " +
            `goes from ${numberText(predicted.low)} to ${numberText(predicted.high)}.`} ` +
        `The ${predicted.bottleneck} limits the throughput: it is busy during ` +
        `${numberText(100 * busy, 3)} % of a step. ` +
        `${numberText(state.steps)} mini-batches take ${timeText(advised.time_s)} and cost ` +
        `${chargedText(advised.cost)}.${deadline}` +
        (said.help ? ` The throughput would gain most from ${said.help}.` : "");
}

function bandText(low, high, text) {
    return low === null ? "no 90 % band" : `90 % band: ${text(low)} to ${text(high)}`;
}

// What is replayed and not predicted.
function replayedText(replay) {
    const state = page.state, steps = `${replay.steps} steps, simulated`;
    if (state.trace) return `${steps}, each as in the file; the prediction uses their mean`;
    if (overlapOf(state) === "none") return steps;
    return bucketCounts(state) ?
        `${steps}, with buckets of ${numberText(state.bucket / CONTROLS.bucket.factor)} MiB; ` +
        "the prediction has no buckets" : `${steps}, layer by layer; the prediction has no layers`;
}

function recommendedText(best) {
    const end = best.workers === MOST_ADVISED;
    return `${best.workers} ${end ? "or more " : ""}worker${best.workers === 1 ? "" : "s"}`;
}

function showTiles(predicted, advised) {
    const state = page.state, replay = page.answers.simulate && page.answers.simulate.answer;
    const best = page.answers.advise.answer.recommendation;
    const tiles = [
        tileHtml("Throughput", `${numberText(predicted.batches_per_s)} /s`,
            `mini-batches; ${bandText(predicted.low, predicted.high, numberText)}`),
        tileHtml("Step time", timeText(predicted.step_s), "of one worker, waiting included"),
        tileHtml("Speed-up", `${numberText(predicted.speedup, 3)}\u00d7`,
            `${numberText(100 * predicted.efficiency, 3)} % of ${state.workers} times one worker`),
        tileHtml("Time of the job", timeText(advised.time_s),
            bandText(advised.time_low_s, advised.time_high_s, timeText)),
        tileHtml("Price of the job", chargedText(advised.cost),
            bandText(advised.cost_low, advised.cost_high, chargedText)),
        tileHtml("Recommended", recommendedText(best), best.reason),
    ];
    if (predicted.examples_per_s)
        tiles.splice(1, 0, tileHtml("Examples", `${numberText(predicted.examples_per_s)} /s`,
            `in mini-batches of ${state.batch}`));
    if (replay)
        tiles.push(tileHtml("Replayed", `${numberText(replay.batches_per_s)} /s`,
            replayedText(replay)));
    byId("tiles").innerHTML = tiles.join("");
}

function curveTable(points) {
    const one = points[0].batches_per_s / points[0].workers;
    return tableHtml(`Mini-batches a second, ${MODE_TEXT[page.state.mode]}; ${BAND_TEXT}`, [
        {title: "workers", text: p => p.workers},
        {title: "per s", text: p => numberText(p.batches_per_s, 4)},
        {title: "band", text: p => p.low === null ? "none" :
            `${numberText(p.low, 3)}\u2013${numberText(p.high, 3)}`},
        {title: "speed-up", text: p => numberText(p.batches_per_s / one, 3)},
        {title: "step", text: p => timeText(p.workers / p.batches_per_s)},
        {title: "job", text: p => timeText(p.time_s)},
        {title: "price", text: p => chargedText(p.cost)},
    ], points, p => p.workers === page.state.workers);
}

// A part of a step: its service, and how long it is waited for. Of a barrier all is waiting.
function partTimesText(of, size) {
    if (typeof of !== "object" || of === null) return numberText(of / size, 3);
    return numberText(of.service / size, 3) +
        (of.waiting > 1e-6 * of.service ? ` + ${numberText(of.waiting / size, 3)}` : "");
}

function partsTable(points) {
    const parts = PART_ORDER.filter(part => points.some(p => partTime(p.time_s[part]) > 0));
    const [size, unit] = timeUnit(Math.max(...points.map(p => p.step_s)));
    const columns = [{title: "workers", text: p => p.workers},
        {title: "step", text: p => numberText(p.step_s / size)},
        {title: "bottleneck", text: p => p.bottleneck, isText: true}];
    for (const part of parts)
        columns.push({title: part === "server" && parts.includes("link") ? "update" : part,
            text: p => partTimesText(p.time_s[part], size)});
    return tableHtml(`Parts of a step in ${unit}: service, + waiting for it`,
        columns, points, p => p.workers === page.state.workers);
}

function replayTable(simulated, slices) {
    const first = slices.filter(s => s.worker === 0 && s.step === 0);
    const end = largest(slices, s => s.end), [size, unit] = timeUnit(end);
    const shares = simulated.types[0];
    const rows = [["computing", shares.computing_share], ...Object.entries(shares.waiting_share)
        .map(([part, share]) => ["waiting for " + part, share])];
    return tableHtml("What a worker does during the whole replay", [
        {title: "what", text: row => row[0]},
        {title: "% of a worker's time", text: row => numberText(100 * row[1], 3)},
    ], rows) + tableHtml(`The first step of worker 1, in ${unit}`, [
        {title: "resource", text: s => s.resource}, {title: "operation", text: s => s.op},
        {title: "from", text: s => numberText(s.start / size)},
        {title: "to", text: s => numberText(s.end / size)},
    ], first.slice(0, 200));
}

// Points of predict, as the picture has them.
function partsPoints() {
    const points = page.answers.predict.answer.points;
    return overlapOf(page.state) === "none" ? points : points.map(exposedPoint);
}

function showParts(width) {
    const points = partsPoints();
    byId("parts-text").textContent = overlapOf(page.state) === "none" ? "" :
        "Transfers behind computing are not drawn: that time counts as computing. The other " +
        "parts are what a step takes beyond it.";
    byId("parts-chart").innerHTML = partsHtml(points, page.state.workers, width);
    byId("parts-legend").innerHTML = partsLegend(points);
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
        (page.state.mode === "async" && !page.state.trace ?
            "; compute times vary by 5 % of their mean" : "") + ".";
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
        "curve-table": () => curveTable(answers.points),
        "parts-table": () => partsTable(partsPoints()),
        "replay-table": () => answers.slices.length > 0 ?
            replayTable(answers.simulate.answer, answers.slices) : "",
    };
    for (const id of TABLES)
        if (byId(id).parentElement.open) byId(id).innerHTML = made[id]();
}

// Those of advise are said by the one for the state's own workers.
function showNotes() {
    const notes = new Set(page.notes);
    for (const run of answerRuns(page.answers))
        if (run !== page.answers.advise)
            for (const note of notesOf(run)) notes.add(note);
    byId("notes").innerHTML = [...notes].map(note => `<li>${escapeText(note)}</li>`).join("");
}

// Long lines wrap between words: an option stays with its value, unless that is long.
function commandsHtml(text) {
    return escapeText(text).replace(/--[a-z-]+ [^ \n]{1,24}(?=[ \n]|$)/g,
        option => `<span class="option">${option}</span>`);
}

function showCommands() {
    const answers = page.answers, files = {...answers.predict.files};
    if (answers.trace) Object.assign(files, answers.trace.files);
    const lines = Object.entries(files).filter(([, text]) => text.length < 2000)
        .map(([name, text]) => shellFile(name, text));
    if (page.imported) lines.unshift(shellLine(page.imported.words));
    for (const run of answerRuns(answers))
        lines.push(shellLine(run.words) + (run === answers.trace ? " > trace.csv" : ""));
    byId("commands").innerHTML = commandsHtml(lines.join("\n")
        .replace(/ --timeline timeline/g, ""));
    const elapsed = answerRuns(answers).reduce((sum, run) => sum + run.elapsed, 0);
    byId("elapsed").textContent = `They took ${numberText(elapsed, 2)} ms here.`;
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
    const predicted = hereOf(answers.predict), advised = hereOf(answers.here);
    const text = summaryText(predicted, advised), width = page.width;
    byId("summary").textContent = text.replace(/ %/g, "\u00a0%");
    byId("bar").textContent = `${page.state.workers} workers: ` +
        `${numberText(predicted.batches_per_s)} mini-batches/s, ` +
        `${numberText(predicted.speedup, 3)} times one worker; the ${predicted.bottleneck} limits`;
    announce(text);
    showTiles(predicted, advised);
    const best = answers.advise.answer.recommendation.workers;
    byId("curve").innerHTML = curveHtml(answers.points, page.state.workers, best, width);
    byId("curve-legend").innerHTML = curveLegend(answers.points, best, axisEnd(page.state));
    showParts(width);
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
        notes.push(`the page cannot use this of the link: ${wrong.join(", ")}`);
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
    page.module = await loadModule();
    const told = words => JSON.parse(runProgram(page.module, words, {}).stdout);
    learnOptions(told(["--options"]));
    learnKinds(told(["networks", "--format", "json"]).networks,
        told(["stacks", "--format", "json"]).stacks);
    page.state = initialState();
    makeControls();
    watchFiles();
    byId("controls").addEventListener("submit", event => event.preventDefault());
    byId("share").addEventListener("click", share);
    byId("reset").addEventListener("click", () => {
        byId("file").value = byId("file-status").textContent = "";
        setState(initialState(), []);
    });
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
