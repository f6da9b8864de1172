// The worker: the library and the scene live here, so that the page answers while a step is computed.
//
//     page                                   worker
//      |--- open { scene, count, ... } ------->|   a new scene, at a step
//      |<-- scene { colors, parts, view } -----|
//      |<-- frame { boxes, glow, figures } ----|
//      |--- advance, method, race, ... ------->|   one answer each; arrays of old frames come back to be filled again
import { load } from "./broadphase/index.js";
import { race } from "./race.js";
import { FADE_STEPS, Session } from "./session.js";

const PROGRESS_MS = 200;

let bp = null;
let session = null;
let spare = {}; // arrays that the page has done with
let isOvertaken = false; // what is under way: by a new scene

function post(type, content, transfer = []) {
    self.postMessage({ type, ...content }, transfer);
}

function filled(name, source) {
    const array = spare[name]?.length === source.length ? spare[name] : new source.constructor(source.length);
    array.set(source);
    return array;
}

function postFrame(figures) {
    const frame = { boxes: filled("boxes", session.boxes.view), glow: filled("glow", session.glow) };
    if (session.scene.triangles) frame.triangles = filled("triangles", session.scene.triangles);
    spare = {};
    post(
        "frame",
        { frame, figures },
        Object.values(frame).map((array) => array.buffer),
    );
}

/** Runs to a step: the last ones with pairs, so that glows are as if all had been looked at. */
async function goTo(step) {
    let shown = performance.now();
    const first = Math.max(0, step - FADE_STEPS);
    for (let i = 1; i < first; ++i) {
        session.skipTo(i);
        if (performance.now() - shown < PROGRESS_MS) continue;
        post("progress", { step: i, of: step });
        shown = performance.now();
    }
    for (let i = first; i < step; ++i) session.advance(i);
    return session.advance(step);
}

const answers = {
    async open(request) {
        isOvertaken = false;
        bp ??= await load();
        session?.dispose();
        session = null;
        session = new Session(bp, request);
        const { count, colors, parts, view } = session.scene;
        const methods = bp.methods().map(({ name, summary }) => ({ name, summary }));
        post("scene", { count, colors, parts, view, methods, simd: bp.simd, version: bp.version });
        postFrame(await goTo(request.step));
    },
    advance() {
        postFrame(session.advance());
    },
    method({ method }) {
        session.useMethod(method);
        postFrame(session.advance(session.step));
    },
    async race({ race: number }) {
        await race(
            session,
            (row) => post("row", { row, race: number }),
            () => isOvertaken,
        );
        post("raced", { race: number });
        postFrame(session.advance(session.step));
    },
    look({ ray, shape }) {
        post("seen", { seen: session.lookAlong(ray, shape) });
    },
    boxes() {
        post("boxes", { boxes: session.input.slice() });
    },
    pairs() {
        post("pairs", { pairs: session.sortedPairs() });
    },
};

async function answer({ type, ...request }) {
    try {
        spare = request.spare ?? spare;
        if (session || type === "open") await answers[type](request);
    } catch (error) {
        post("failure", { text: error.message, of: type });
    }
}

let last = Promise.resolve();
self.onmessage = (event) => {
    if (event.data.type === "open") isOvertaken = true;
    last = last.then(() => answer(event.data));
};
