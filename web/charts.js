// charts.js - numbers as text, tables, and pictures of the answers
"use strict";

// ---- Text -----------------------------------------------------------------------------------

// To significant digits, 4 unless told. One formatter for each: to make one takes long.
const FORMATTERS = new Map();

function numberText(x, digits) {
    if (x === null || x === undefined || !Number.isFinite(x)) return "\u2013";
    digits = digits || 4;
    if (!FORMATTERS.has(digits)) FORMATTERS.set(digits,
        new Intl.NumberFormat("en-US", {maximumSignificantDigits: digits}));
    return FORMATTERS.get(digits).format(x);
}

const TIME_UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "us"]];

function timeUnit(s) {
    return TIME_UNITS.find(([size]) => Math.abs(s) >= 0.9995 * size) || TIME_UNITS[5];
}

function timeText(s, digits) {
    if (s === null || !Number.isFinite(s)) return "\u2013";
    const [size, unit] = timeUnit(s);
    return `${numberText(s / size, digits || 3)} ${unit}`;
}

function rateText(bytesPerS) {
    const bits = 8 * bytesPerS;
    return bits >= 1e9 ? `${numberText(bits / 1e9)} Gbit/s` : `${numberText(bits / 1e6)} Mbit/s`;
}

const ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"};

function escapeText(text) { return String(text).replace(/[&<>"']/g, c => ESCAPES[c]); }

// columns: [{title, text(row), isText}], the first one being the row's header.
function tableHtml(caption, columns, rows, isHere) {
    const cell = (column, row, i) => i === 0 ?
        `<th scope="row">${escapeText(column.text(row))}</th>` :
        `<td${column.isText ? " class=\"text\"" : ""}>${escapeText(column.text(row))}</td>`;
    const head = columns.map(column => `<th scope="col">${escapeText(column.title)}</th>`);
    const body = rows.map(row => `<tr${isHere && isHere(row) ? " class=\"here\"" : ""}>` +
        columns.map((column, i) => cell(column, row, i)).join("") + "</tr>");
    return `<table><caption>${escapeText(caption)}</caption><thead><tr>${head.join("")}</tr>` +
        `</thead><tbody>${body.join("")}</tbody></table>`;
}

// ---- Scales ---------------------------------------------------------------------------------

// From 0 to the first round number at or beyond `most`, in about `count` steps.
function niceTicks(most, count) {
    const rough = (most > 0 ? most : 1) / count;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= 0.999 * rough);
    const ticks = [];
    for (let i = 0; i === 0 || ticks[i - 1] < most * (1 - 1e-9); i++) ticks.push(i * step);
    return ticks;
}

function svgHtml(width, height, title, inside) {
    return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ` +
        `aria-label="${escapeText(title)}"><title>${escapeText(title)}</title>${inside}</svg>`;
}

function svgText(x, y, text, anchor, extra) {
    return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor || "start"}" ` +
        `${extra || ""}>${escapeText(text)}</text>`;
}

function svgLine(x1, y1, x2, y2, extra) {
    return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" ` +
        `y2="${y2.toFixed(1)}" ${extra}/>`;
}

// ---- Throughput -----------------------------------------------------------------------------

const SOFT_LINE = "stroke=\"var(--line)\"";

function curveAxes(at, width, height, xTicks, yTicks) {
    let inside = "";
    for (const y of yTicks)
        inside += svgLine(at.left, at.y(y), width - at.right, at.y(y), SOFT_LINE) +
            svgText(at.left - 6, at.y(y) + 4, numberText(y), "end", "class=\"soft\"");
    for (const x of xTicks)
        inside += svgLine(at.x(x), at.bottom, at.x(x), at.bottom + 5, "stroke=\"var(--soft)\"") +
            svgText(at.x(x), at.bottom + 20, numberText(x), "middle", "class=\"soft\"");
    return inside +
        svgText(at.left, 14, "mini-batches/s, of all workers", "start", "class=\"soft\"") +
        svgText((at.left + width - at.right) / 2, height - 4, "workers", "middle",
            "class=\"soft\"");
}

// points: of answers.points; recommended: how many workers it names.
function curveHtml(points, workers, recommended, width) {
    const height = Math.max(240, Math.min(340, width * 0.5));
    const last = points[points.length - 1].workers, first = points[0];
    const yTicks = niceTicks(Math.max(...points.map(p => Math.max(p.high, p.batches_per_s))), 5);
    const top = yTicks[yTicks.length - 1];
    const at = {left: 16 + 8 * Math.max(...yTicks.map(y => numberText(y).length)), right: 14,
        bottom: height - 44};
    at.x = w => at.left + (width - at.left - at.right) * w / last;
    at.y = v => at.bottom - (at.bottom - 26) * Math.min(v, top) / top;
    const place = (w, v) => `${at.x(w).toFixed(1)},${at.y(v).toFixed(1)}`;
    const here = points.find(p => p.workers === workers);
    const best = points.find(p => p.workers === recommended);
    const banded = points.filter(p => p.low !== null && p.high !== null);
    let inside = curveAxes(at, width, height,
        niceTicks(last, width < 480 ? 4 : 8).filter(w => w <= last), yTicks);
    const linear = Math.min(last, top / first.batches_per_s * first.workers);
    inside += svgLine(at.x(0), at.y(0), at.x(linear),
        at.y(linear * first.batches_per_s / first.workers),
        "stroke=\"var(--soft)\" stroke-dasharray=\"3 4\"");
    inside += `<polygon fill="var(--band)" points="${banded.map(p => place(p.workers, p.high))
        .concat(banded.slice().reverse().map(p => place(p.workers, p.low))).join(" ")}"/>`;
    inside += `<polyline fill="none" stroke="var(--accent)" stroke-width="2.5" ` +
        `points="${points.map(p => place(p.workers, p.batches_per_s)).join(" ")}"/>`;
    if (best) {
        const [x, y] = [at.x(best.workers), at.y(best.batches_per_s)];
        inside += `<path d="M${x} ${y - 8}l8 8l-8 8l-8-8z" fill="var(--ground)" ` +
            "stroke=\"var(--ink)\" stroke-width=\"2\"/>";
    }
    if (here) {
        const [x, y] = [at.x(here.workers), at.y(here.batches_per_s)];
        const end = x > width - 150;
        inside += (here.low === null ? "" : svgLine(x, at.y(here.low), x, at.y(here.high),
            "stroke=\"var(--ink)\" stroke-width=\"2\"")) +
            `<circle cx="${x}" cy="${y}" r="5" fill="var(--ink)"/>` +
            svgText(x + (end ? -10 : 10), end ? y - 10 : Math.min(y + 24, at.bottom - 6),
                `${workers}: ${numberText(here.batches_per_s)}/s`, end ? "end" : "start",
                "font-weight=\"700\" stroke=\"var(--ground)\" stroke-width=\"4\" " +
                "paint-order=\"stroke\"");
    }
    const title = `Throughput of 1 to ${last} workers: ` + (here ? `${workers} workers do ` +
        `${numberText(here.batches_per_s)} mini-batches a second, ` +
        bandText(here.low, here.high, numberText) : "");
    return svgHtml(width, height, title, inside);
}

// most: the last of the axis.
function curveLegend(points, recommended, most) {
    const swatch = inside => `<svg viewBox="0 0 24 14" aria-hidden="true">${inside}</svg>`;
    return [
        [svgLine(0, 7, 24, 7, "stroke=\"var(--accent)\" stroke-width=\"3\""), "predicted"],
        points.some(p => p.low !== null) &&
            ["<rect width=\"24\" height=\"14\" fill=\"var(--band)\"/>", BAND_TEXT],
        [svgLine(0, 7, 24, 7, "stroke=\"var(--soft)\" stroke-width=\"2\" " +
            "stroke-dasharray=\"3 4\""), "linear speed-up"],
        ["<circle cx=\"12\" cy=\"7\" r=\"5\" fill=\"var(--ink)\"/>", "your number of workers"],
        ["<path d=\"M12 1l6 6l-6 6l-6-6z\" fill=\"none\" stroke=\"var(--ink)\" " +
            "stroke-width=\"2\"/>", "recommended"],
    ].slice(0, recommended <= most ? 5 : 4).filter(entry => entry)
        .map(([inside, text]) => `<li>${swatch(inside)}${text}</li>`).join("");
}

// ---- Parts of a step ------------------------------------------------------------------------

const PART_ORDER = ["downlink", "worker", "local", "link", "uplink", "server", "input",
    "barrier"];
const PART_TEXT = {downlink: "downlink: the model comes", worker: "worker: computing",
    local: "local: inside machines", link: "link: the all-reduce",
    uplink: "uplink: gradients go", server: "server: the update",
    input: "input: the machine's pipeline", barrier: "barrier: for the slowest"};

// An all-reduce has no server: each worker updates.
function partText(part, all) {
    return part === "server" && all.includes("link") ? "update of the model" : PART_TEXT[part];
}

function partTime(of) {
    return typeof of === "object" && of ? (of.service || 0) + (of.waiting || 0) : of || 0;
}

// A point of predict as it is drawn. Where transfers go while workers compute, the program's
// parts give both at once to the transfers: here it is computing, and of everything else only
// what exceeds it, in the same proportions. The update behind an all-reduce hides nowhere.
function exposedPoint(point) {
    const of = point.time_s, kept = of.link ? partTime(of.server) : 0, drawn = {};
    const computing = Math.min(point.step_s, Math.max(of.worker.service,
        point.utilization.worker * point.step_s));
    const hiding = Object.values(of).reduce((sum, part) => sum + partTime(part), 0) -
        of.worker.service - kept;
    const seen = point.step_s - computing - kept;
    const left = seen > 1e-9 * point.step_s ? seen / hiding : 0;
    for (const [part, time] of Object.entries(of)) {
        const share = part === "server" && kept > 0 ? 1 : left;
        drawn[part] = time && typeof time === "object" ?
            {service: time.service * share, waiting: time.waiting * share} : time && time * share;
    }
    drawn.worker.service = computing;
    return {...point, time_s: drawn};
}

// [{part, kind: "service" or "waiting", time}] of a point of predict, in the order of a step.
function partsOf(point) {
    const parts = [];
    for (const part of PART_ORDER) {
        const of = point.time_s[part];
        if (of === undefined || of === null) continue;
        if (typeof of === "number") parts.push({part, kind: "waiting", time: of});
        else for (const kind of ["service", "waiting"])
            parts.push({part, kind, time: of[kind] || 0});
    }
    return parts.filter(p => p.time > 0);
}

// Hatches for waiting; their ids are the page's own.
function partPatterns(names) {
    return "<defs>" + names.map(name => `<pattern id="hatch-${name}" width="6" height="6" ` +
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">" +
        `<rect width="6" height="6" fill="var(--ground)"/>` +
        `<rect width="3" height="6" fill="var(--${name})"/></pattern>`).join("") + "</defs>";
}

function partFill(p) {
    return p.kind === "waiting" ? `url(#hatch-${p.part})` : `var(--${p.part})`;
}

function partsHtml(points, workers, width) {
    const row = 30, left = 48, right = 70, height = points.length * row + 44;
    const longest = Math.max(...points.map(p => p.step_s)), [size, unit] = timeUnit(longest);
    const ticks = niceTicks(longest / size, width < 480 ? 3 : 6);
    const end = ticks[ticks.length - 1] * size, x = s => left + (width - left - right) * s / end;
    let inside = partPatterns(PART_ORDER);
    for (const tick of ticks)
        inside += svgLine(x(tick * size), 22, x(tick * size), height - 24, SOFT_LINE) +
            svgText(x(tick * size), height - 8, numberText(tick), "middle", "class=\"soft\"");
    inside += svgText(4, 14, "workers", "start", "class=\"soft\"") +
        svgText(width - 4, 14, unit + " a step", "end", "class=\"soft\"");
    points.forEach((point, i) => {
        const y = 26 + i * row, bold = point.workers === workers ? "font-weight=\"700\"" : "";
        let from = 0;
        inside += svgText(left - 8, y + 16, String(point.workers), "end", bold);
        for (const p of partsOf(point)) {
            inside += `<rect x="${x(from).toFixed(2)}" y="${y}" width="` +
                `${Math.max(0, x(from + p.time) - x(from)).toFixed(2)}" height="${row - 8}" ` +
                `fill="${partFill(p)}" stroke="var(--ink)" stroke-width="0.75">` +
                `<title>${p.part}${p.kind === "waiting" ? ", waiting" : ""}: ${timeText(p.time)}` +
                "</title></rect>";
            from += p.time;
        }
        inside += svgText(x(Math.max(from, point.step_s)) + 6, y + 16, timeText(point.step_s),
            "start", bold);
    });
    return svgHtml(width, height, "Parts of a step for " +
        points.map(p => `${p.workers} workers: ${timeText(p.step_s)}`).join(", "), inside);
}

function partSwatch(fill) {
    return "<svg viewBox=\"0 0 24 14\" aria-hidden=\"true\"><rect x=\"1\" y=\"1\" width=\"22\" " +
        `height="12" fill="${fill}" stroke="var(--ink)"/></svg>`;
}

function partsLegend(points) {
    const used = PART_ORDER.filter(part => points.some(point =>
        partsOf(point).some(p => p.part === part)));
    const waits = points.some(point => partsOf(point).some(p =>
        p.kind === "waiting" && p.part !== "barrier"));
    return used.map(part => `<li>${partSwatch(part === "barrier" ? "url(#hatch-barrier)" :
        `var(--${part})`)}${partText(part, used)}</li>`).join("") +
        (waits ? `<li>${partSwatch("url(#hatch-uplink)")}hatched: waiting for it</li>` : "");
}

// ---- The replay -----------------------------------------------------------------------------

function lanesOf(slices) {
    return ["downlink", "worker", "link", "uplink", "server"].filter(resource =>
        slices.some(s => s.resource === resource && s.end > s.start));
}

// Draws slices on a canvas: a row a worker, in it a lane a resource. Steps are light and
// dark in turn.
function drawReplay(canvas, slices, width) {
    const lanes = lanesOf(slices), workers = 1 + largest(slices, s => s.worker);
    const end = largest(slices, s => s.end);
    const lane = workers <= 4 ? 9 : workers <= 8 ? 6 : 4;
    const row = lane * lanes.length + 6, left = 44, top = 4;
    const height = top + row * workers + 30, ratio = window.devicePixelRatio || 1;
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue("--" + name).trim();
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = height + "px";
    const draw = canvas.getContext("2d"), x = s => left + (width - left - 12) * s / end;
    draw.scale(ratio, ratio);
    draw.font = "13px system-ui, 'Liberation Sans', sans-serif";
    draw.textBaseline = "middle";
    draw.fillStyle = colour("panel");
    for (let w = 0; w < workers; w += 2) draw.fillRect(left, top + row * w, width - left - 12, row);
    lanes.forEach((resource, i) => {
        draw.fillStyle = colour(resource);
        for (const odd of [0, 1]) {
            draw.globalAlpha = odd ? 0.65 : 1;
            for (const s of slices)
                if (s.resource === resource && s.step % 2 === odd)
                    draw.fillRect(x(s.start), top + 2 + row * s.worker + lane * i,
                        Math.max(0.75, x(s.end) - x(s.start) - 0.4), lane - 1);
        }
    });
    draw.globalAlpha = 1;
    drawReplayAxes(draw, {workers, row, top, left, width, end, x, soft: colour("soft")});
}

function drawReplayAxes(draw, of) {
    const [size, unit] = timeUnit(of.end);
    const bottom = of.top + of.row * of.workers;
    draw.fillStyle = of.soft;
    draw.textAlign = "right";
    for (let w = 0; w < of.workers; w++)
        draw.fillText(String(w + 1), of.left - 8, of.top + of.row * (w + 0.5));
    draw.textAlign = "center";
    for (const tick of niceTicks(of.end / size, of.width < 480 ? 3 : 6)) {
        if (tick * size > of.end * 1.0001) continue;
        draw.fillRect(of.x(tick * size), bottom, 1, 5);
        if (of.x(tick * size) < of.width - 60)
            draw.fillText(numberText(tick), of.x(tick * size), bottom + 16);
    }
    draw.textAlign = "right";
    draw.fillText(unit, of.width - 12, bottom + 16);
}

function replayLegend(slices) {
    return lanesOf(slices).map((part, _, all) =>
        `<li>${partSwatch(`var(--${part})`)}${partText(part, all)}</li>`).join("");
}
