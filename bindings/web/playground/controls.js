// The panel: shows the state, and turns what the reader does into calls of `actions`.
import { SCENES } from "./scenes/table.js";
import { LEAST_COUNT, MOST_COUNT } from "./state.js";

export function element(id) {
    return document.getElementById(id);
}

export function words(number) {
    return number.toLocaleString("en");
}

// ---- the slider: its places are powers, from LEAST_COUNT to MOST_COUNT ----

function countAt(place) {
    const count = LEAST_COUNT * (MOST_COUNT / LEAST_COUNT) ** (place / 100);
    const unit = 10 ** (Math.floor(Math.log10(count)) - 1);
    return Math.round(count / unit) * unit;
}

function placeOf(count) {
    return (100 * Math.log(count / LEAST_COUNT)) / Math.log(MOST_COUNT / LEAST_COUNT);
}

// ---- building ----

function newElement(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
}

function buildScenes(actions) {
    for (const [name, { title }] of Object.entries(SCENES)) {
        const label = newElement("label", "scene", title);
        const radio = document.createElement("input");
        Object.assign(radio, { type: "radio", name: "scene", value: name });
        radio.addEventListener("change", () => actions.useScene(name));
        label.prepend(radio);
        element("scenes").append(label);
    }
}

/** What the library offers, once it is known. */
export function showMethods(methods, chosen) {
    const options = methods.map(({ name, summary }) => Object.assign(new Option(name), { title: summary }));
    element("method").replaceChildren(...options);
    element("method").value = chosen;
    const summary = methods.find(({ name }) => name === chosen)?.summary ?? "";
    element("summary").textContent = summary && summary[0].toUpperCase() + summary.slice(1).replace(/\.?$/, ".");
}

// ---- listening ----

const KEYS = {
    " ": "togglePause",
    ".": "step",
    r: "restart",
    n: "newSeed",
    0: "cameraBack",
    t: "toggleTheme",
};

function listenToKeys(actions) {
    const names = Object.keys(SCENES);
    addEventListener("keydown", (event) => {
        const isTyping = event.target.matches?.("input:not([type=radio]), select");
        const isPressing = event.key === " " && event.target.matches?.("button, summary, input");
        if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey) return;
        const action = KEYS[event.key.toLowerCase()];
        const scene = names[Number(event.key) - 1];
        if (action) actions[action]();
        else if (scene && scene !== "file") actions.useScene(scene);
        else return;
        event.preventDefault();
    });
}

function listenToFiles(actions) {
    element("choose").addEventListener("click", () => element("file").click());
    element("file").addEventListener("change", ({ target }) => {
        if (target.files[0]) actions.openFile(target.files[0]);
        target.value = "";
    });
    const drop = element("drop");
    addEventListener("dragover", (event) => {
        event.preventDefault();
        drop.hidden = false;
    });
    addEventListener("dragleave", (event) => {
        if (!event.relatedTarget) drop.hidden = true;
    });
    addEventListener("drop", (event) => {
        event.preventDefault();
        drop.hidden = true;
        if (event.dataTransfer.files[0]) actions.openFile(event.dataTransfer.files[0]);
    });
}

export function listenToControls(actions) {
    buildScenes(actions);
    const clicks = {
        play: "togglePause",
        step: "step",
        restart: "restart",
        dice: "newSeed",
        race: "race",
        copy: "copyLink",
        home: "cameraBack",
        theme: "toggleTheme",
        "save-boxes": "saveBoxes",
    };
    for (const [id, action] of Object.entries(clicks)) element(id).addEventListener("click", () => actions[action]());
    element("dimensions").addEventListener("change", ({ target }) => actions.useDimensions(Number(target.value)));
    element("up").addEventListener("change", ({ target }) => actions.useUp(target.value));
    element("save-pairs-csv").addEventListener("click", () => actions.savePairs("csv"));
    element("save-pairs-npy").addEventListener("click", () => actions.savePairs("npy"));
    element("count").addEventListener("input", ({ target }) => {
        element("count-words").textContent = words(countAt(target.value));
    });
    element("count").addEventListener("change", ({ target }) => actions.useCount(countAt(target.value)));
    element("seed").addEventListener("change", ({ target }) => actions.useSeed(Number(target.value)));
    element("shape").addEventListener("change", ({ target }) => actions.useShape(target.value));
    element("method").addEventListener("change", ({ target }) => actions.useMethod(target.value));
    listenToKeys(actions);
    listenToFiles(actions);
}

// ---- showing ----

export function showState(state) {
    const radio = document.querySelector(`input[name=scene][value=${state.scene}]`);
    radio.checked = true;
    element("scene-about").textContent = SCENES[state.scene].about;
    element("count").value = placeOf(state.count);
    element("count").disabled = element("seed").disabled = element("dice").disabled = state.scene === "file";
    element("count-words").textContent = state.scene === "file" ? "as in the file" : words(state.count);
    element("seed").value = state.seed;
    element("shape").value = state.shape;
    element("play").dataset.paused = state.paused ? "yes" : "no";
    element("play").ariaLabel = state.paused ? "Go on" : "Pause";
    element("at-step").textContent = words(state.step);
}

export function showFigures({ count, pairs, searchMs, simulationMs, reason }) {
    element("objects").textContent = words(count);
    element("pairs").textContent = element("chart-pairs").textContent = words(pairs);
    element("milliseconds").textContent = element("search-ms").textContent = searchMs.toFixed(1);
    element("simulation-ms").textContent = simulationMs.toFixed(1);
    showReason(reason);
}

/** The library's explanation: its first line says which method and why, the others what it looked at. */
function showReason(text) {
    const [first, ...others] = text.trim().split("\n");
    const more = others.join("\n");
    if (element("reason").textContent !== first) element("reason").textContent = first;
    if (element("reason-more").textContent !== more) element("reason-more").textContent = more;
}

/** A number to three digits, without powers of ten where people do not write them. */
function rounded(number) {
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(number, 1e-9))));
    return digits > 6 ? number.toPrecision(3) : number.toLocaleString("en", { maximumFractionDigits: digits });
}

/** What is pointed at, beside the place; null: nothing. */
export function showSeen(seen, place) {
    const label = element("seen");
    label.hidden = !seen;
    if (!seen) return;
    const pairs = seen.pairs === 1 ? "1 pair" : `${words(seen.pairs)} pairs`;
    label.textContent = `Object ${words(seen.id)}: distance ${rounded(seen.distance)}, ${pairs}`;
    const { clientWidth, clientHeight } = label.parentElement;
    label.style.left = `${Math.max(8, Math.min(place.x + 14, clientWidth - label.offsetWidth - 8))}px`;
    label.style.top = `${Math.max(8, Math.min(place.y + 18, clientHeight - label.offsetHeight - 8))}px`;
}

const BAR_FACTOR = 10; // a full bar: so many times the fastest, or more

/** The race so far, the fastest first, and which step it began at. */
export function showRows(rows, step) {
    element("raced").textContent = rows.length > 0 ? `This scene, from step ${words(step)} on:` : "";
    const times = rows.filter((row) => row.milliseconds !== undefined).sort((a, b) => a.milliseconds - b.milliseconds);
    const least = Math.max(0.05, times[0]?.milliseconds ?? 0);
    const items = times.map(({ method, milliseconds }, rank) => {
        const item = newElement("li", rank === 0 ? "first" : "", "");
        const factor = Math.max(1, milliseconds / least);
        const bar = newElement("span", factor > BAR_FACTOR ? "bar beyond" : "bar", "");
        bar.style.width = `${100 * Math.min(1, factor / BAR_FACTOR)}%`;
        const time = `${milliseconds.toFixed(1)} ms${rank === 0 ? "" : ` · ${factor.toFixed(factor < 10 ? 1 : 0)} ×`}`;
        item.append(newElement("span", "name", method), newElement("span", "time", time), bar);
        return item;
    });
    for (const { method, leftOut } of rows.filter((row) => row.leftOut)) {
        const item = newElement("li", "", "");
        item.append(newElement("span", "name", method), newElement("span", "left-out", leftOut));
        items.push(item);
    }
    element("rows").replaceChildren(...items);
}

let noticeTimer = 0;

/** A sentence over the picture; it goes after some seconds, if they are given. */
export function notice(text, seconds) {
    clearTimeout(noticeTimer);
    element("notice").textContent = text;
    if (seconds) noticeTimer = setTimeout(() => (element("notice").textContent = ""), 1000 * seconds);
}
