// The page: state, controls, worker and picture, tied together.
import { rayAt } from "./camera.js";
import { Chart } from "./chart.js";
import { element, listenToControls, notice, showFigures, showMethods, showRows, showSeen, showState, words } from "./controls.js";
import { saveBoxes, savePairs } from "./downloads.js";
import { readBoxes } from "./files/read.js";
import { upOf } from "./files/up.js";
import { listen, listenToPointing } from "./gestures.js";
import { Renderer } from "./renderer.js";
import { isFlat } from "./scenes/file.js";
import { SCENES } from "./scenes/table.js";
import { Simulation } from "./simulation.js";
import { CAMERA_ABOVE, FIRST_CAMERA, MOST_COUNT, readState, writeState } from "./state.js";
import { onSystemTheme, otherTheme, useTheme } from "./theme.js";

const STEP_MS = 1000 / 60;
const ADDRESS_MS = 1000; // how often the address follows a scene that runs
const LONG_MS = 2500;

let state = readState(location.hash);
let file = null; // { name, bytes, data } of the reader's own
let dimensions = 3; // of that file
let up = "guess"; // or which axis of it the reader says is up
let methods = [];
let rows = []; // of the race under way, or the last one
let race = 0; // its number
let isRacing = false;
let savedAs = "csv";
let isStale = true; // the picture
let view = null; // of the scene
let pointer = null; // where in the picture somebody points: { x, y }
let seen = null; // what is there: { id, distance, pairs }
let isLookStale = false;
let lastStep = 0;
let lastAddress = 0;
const missing = []; // what this browser has not, in words

// ---- the picture ----

function newRenderer() {
    try {
        return new Renderer(element("picture"));
    } catch {
        missing.push(
            "This browser has no WebGL2, so nothing is drawn. Everything else works: scenes run, pairs are found and counted.",
        );
        return null;
    }
}

const renderer = newRenderer();
const chart = new Chart(element("times"), element("pairs-chart"));
let colors = useTheme(state.theme);

// ---- the address ----

function writeAddress() {
    lastAddress = performance.now();
    history.replaceState(null, "", writeState(state));
}

function show() {
    showState(state);
    writeAddress();
    isStale = isLookStale = true;
}

// ---- what is pointed at ----

function point(place) {
    pointer = renderer && place;
    isLookStale = pointer !== null;
    if (pointer) return;
    seen = null;
    showSeen(seen);
    isStale = true;
}

function look() {
    const { clientWidth, clientHeight } = element("picture");
    isLookStale = false;
    simulation.look(rayAt(state.camera, view, clientWidth, clientHeight, pointer.x, pointer.y), state.shape);
}

// ---- the worker's answers ----

/** What is said when the reader's own file is in view. */
function greeting() {
    if (state.scene !== "file") return [];
    const what = file.data.triangles ? "triangles" : "boxes";
    const text = `${file.name}: ${words(file.data.boxes.length / 6)} ${what}.`;
    const about = `The ${file.data.up} axis is up. Glowing triangles really touch; triangles that share a corner do not count.`;
    return [file.data.triangles ? `${text} ${about}` : text];
}

const simulation = new Simulation({
    scene(scene) {
        ({ methods, view } = scene);
        showMethods(methods, state.method);
        renderer?.useScene(scene);
        element("about").textContent = `broadphase ${scene.version}, WebAssembly ${scene.simd ? "with SIMD" : "without SIMD"}.`;
        if (!scene.simd && !missing.some((text) => text.includes("SIMD"))) {
            missing.push(
                "This browser runs WebAssembly without SIMD, so the slower plain version of the library is used.",
            );
        }
        notice([...missing, ...greeting()].join(" "), missing.length > 0 ? 0 : 5);
    },
    progress({ step, of }) {
        notice(`This scene has to be simulated from its beginning: step ${words(step)} of ${words(of)}.`);
    },
    frame({ frame, figures }) {
        if (simulation.isBusy) return simulation.giveBack(frame); // a newer one is on its way
        state.step = figures.step;
        element("at-step").textContent = words(figures.step);
        renderer?.useFrame(frame);
        simulation.giveBack(frame);
        if (!figures.isNew) chart.add(figures);
        showFigures(figures);
        if (element("notice").textContent.startsWith("This s")) notice(missing.join(" "));
        if (state.paused) writeAddress();
        isStale = isLookStale = true;
    },
    seen(answer) {
        seen = pointer && answer.seen;
        showSeen(seen, pointer);
        isStale = true;
    },
    row({ row, race: of }) {
        if (of !== race) return; // of a scene that is not in view any more
        rows.push(row);
        showRows(rows, state.step);
    },
    raced({ race: of }) {
        if (of === race) showRaceButton("Race again");
    },
    boxes({ boxes }) {
        saveBoxes(boxes, state.scene);
    },
    pairs({ pairs }) {
        savePairs(pairs, savedAs, state.scene);
    },
    failure({ text, of }) {
        state.paused = true;
        if (of === "race") showRaceButton("Race again");
        show();
        notice(text);
    },
});

function showRaceButton(text, isBusy = false) {
    isRacing = isBusy;
    element("race").disabled = isBusy;
    element("race").textContent = text;
}

/** A race is of one scene: what it has found, or will find, is of no meaning for another. */
function forgetRace() {
    ++race;
    rows = [];
    showRows(rows, 0);
    showRaceButton("Start the race");
}

/** Where the camera begins: above what is flat. */
function firstCamera() {
    const isPlane = state.scene === "file" && file && isFlat(file.data.boxes);
    return structuredClone(isPlane ? CAMERA_ABOVE : FIRST_CAMERA);
}

function open(step = 0) {
    state.step = step;
    view = seen = null; // until the scene is there
    showSeen(seen);
    chart.clear();
    forgetRace();
    if (state.scene === "file" && !file) notice("Drop a file here, or choose one: boxes as CSV, NPY or NPZ, meshes as PLY, OBJ or STL.");
    else simulation.open(state, state.scene === "file" ? file.data : undefined);
    show();
}

// ---- what the reader can do ----

const actions = {
    useScene(name) {
        const isUsual = state.count === SCENES[state.scene].count;
        state.scene = name;
        if (isUsual && SCENES[name].count) state.count = SCENES[name].count;
        state.camera = firstCamera();
        open();
        if (name === "file" && !file) element("choose").focus();
    },
    useCount(count) {
        state.count = Math.min(MOST_COUNT, count);
        open();
    },
    useSeed(seed) {
        state.seed = Math.min(999999, Math.max(0, Math.round(seed) || 0));
        open();
    },
    newSeed() {
        if (state.scene !== "file") this.useSeed((state.seed % 999999) + 1);
    },
    useShape(shape) {
        state.shape = shape;
        show();
    },
    useMethod(method) {
        state.method = method;
        showMethods(methods, method);
        simulation.useMethod(state, file?.data);
        show();
    },
    togglePause() {
        state.paused = !state.paused;
        show();
    },
    step() {
        state.paused = true;
        if (!simulation.isBusy) simulation.advance();
        show();
    },
    restart() {
        open();
    },
    race() {
        forgetRace();
        showRaceButton("Racing", true);
        simulation.race(race);
    },
    savePairs(format) {
        savedAs = format;
        simulation.askForPairs();
    },
    saveBoxes() {
        simulation.askForBoxes();
    },
    async openFile(chosen) {
        await this.readFile(chosen.name, await chosen.arrayBuffer());
    },
    async readFile(name, bytes) {
        try {
            const data = await readBoxes(bytes, name, dimensions);
            if (data.boxes.length === 0) throw new Error(`${name}: contains no boxes`);
            file = { name, bytes, data: { ...data, up: up === "guess" ? upOf(data, name, bytes) : up } };
        } catch (error) {
            return notice(error.message);
        }
        this.useScene("file");
    },
    async readAgain() {
        if (file) await this.readFile(file.name, file.bytes);
    },
    useDimensions(count) {
        dimensions = count;
        return this.readAgain();
    },
    useUp(axis) {
        up = axis;
        return this.readAgain();
    },
    async copyLink() {
        writeAddress();
        try {
            await navigator.clipboard.writeText(location.href);
            notice("Link copied. It shows this scene at this step, from this camera.", 4);
        } catch {
            notice("The link is in the address bar: this browser does not let pages copy.", 6);
        }
    },
    toggleTheme() {
        state.theme = otherTheme(state.theme);
        colors = useTheme(state.theme);
        chart.draw();
        show();
    },
    cameraBack() {
        state.camera = firstCamera();
        show();
    },
};

// ---- time ----

function sayIfLong() {
    if (isRacing || simulation.busyFor < LONG_MS || element("notice").textContent !== "") return;
    notice("This step takes long. Choose another method or fewer objects to stop it.");
}

function tick(now) {
    requestAnimationFrame(tick);
    const isReady = !simulation.isBusy && (state.scene !== "file" || file);
    if (!state.paused && isReady && now - lastStep > STEP_MS - 3) {
        lastStep = now;
        simulation.advance();
    }
    if (pointer && isLookStale && view && !simulation.isLooking) look();
    sayIfLong();
    element("picture").ariaBusy = String(simulation.isBusy);
    if (!state.paused && now - lastAddress > ADDRESS_MS) writeAddress();
    if (!isStale) return;
    isStale = false;
    renderer?.draw(state.camera, state.shape, colors, seen?.id ?? -1);
    chart.draw();
}

function begin() {
    listenToControls(actions);
    listen(
        element("picture"),
        () => state.camera,
        () => (isStale = isLookStale = true),
        writeAddress,
    );
    listenToPointing(element("picture"), point);
    onSystemTheme(() => {
        colors = useTheme(state.theme);
        isStale = true;
    });
    new ResizeObserver(() => (isStale = true)).observe(element("picture"));
    addEventListener("hashchange", () => {
        state = readState(location.hash);
        colors = useTheme(state.theme);
        open(state.step);
    });
    if (matchMedia("(prefers-reduced-motion: reduce)").matches && !state.paused) {
        state.paused = true;
        missing.push("Your system asks for reduced motion, so the scene is paused: press play to start it.");
    }
    open(state.step);
    requestAnimationFrame(tick);
}

begin();
