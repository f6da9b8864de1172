// What a link says: everything that decides what is seen. It stands behind the # of the address, in words.
//
//     #scene=gas&n=20000&seed=1&method=bvh&step=240&paused=1&camera=0.6,0.4,1.2,0,0,0
import { SCENES } from "./scenes/table.js";

export const LEAST_COUNT = 1000;
export const MOST_COUNT = 200000;
const SHAPES = ["scene", "boxes", "spheres"];
const THEMES = ["system", "light", "dark"];

/** Yaw and pitch in radians; distance and the point looked at in radii of the scene. */
export const FIRST_CAMERA = { yaw: 0.7, pitch: 0.42, distance: 2.9, target: [0, 0, 0] };

/** For what lies in a plane: x to the right, y up. */
export const CAMERA_ABOVE = { yaw: -0.5 * Math.PI, pitch: 1.5, distance: 2.9, target: [0, 0, 0] };

export function firstState() {
    return {
        scene: "gas",
        count: SCENES.gas.count,
        seed: 1,
        method: "auto",
        shape: "scene",
        theme: "system",
        step: 0,
        paused: false,
        camera: structuredClone(FIRST_CAMERA),
    };
}

function whole(text, low, high, otherwise) {
    const value = /^\d+$/.test(text ?? "") ? Number(text) : NaN;
    return Number.isNaN(value) ? otherwise : Math.min(high, Math.max(low, value));
}

function oneOf(text, words, otherwise) {
    return words.includes(text) ? text : otherwise;
}

function readCamera(text) {
    const numbers = (text ?? "").split(",").map(Number);
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return structuredClone(FIRST_CAMERA);
    const [yaw, pitch, distance, ...target] = numbers;
    return { yaw, pitch: Math.min(1.5, Math.max(-1.5, pitch)), distance: Math.min(20, Math.max(0.05, distance)), target };
}

/** Anything that makes no sense is as if it were not there. */
export function readState(hash) {
    const words = new URLSearchParams(hash.replace(/^#/, ""));
    const first = firstState();
    const scene = oneOf(words.get("scene"), Object.keys(SCENES), first.scene);
    return {
        scene,
        count: whole(words.get("n"), LEAST_COUNT, MOST_COUNT, SCENES[scene].count || first.count),
        seed: whole(words.get("seed"), 0, 999999, first.seed),
        method: /^[a-z-]+$/.test(words.get("method") ?? "") ? words.get("method") : first.method,
        shape: oneOf(words.get("shape"), SHAPES, first.shape),
        theme: oneOf(words.get("theme"), THEMES, first.theme),
        step: whole(words.get("step"), 0, 1e6, 0),
        paused: words.get("paused") === "1",
        camera: readCamera(words.get("camera")),
    };
}

export function writeState(state) {
    const { yaw, pitch, distance, target } = state.camera;
    const camera = [yaw, pitch, distance, ...target].map((value) => String(Number(value.toFixed(4)))).join(",");
    const words = { scene: state.scene, n: state.count, seed: state.seed, method: state.method, step: state.step, camera };
    if (state.shape !== "scene") words.shape = state.shape;
    if (state.theme !== "system") words.theme = state.theme;
    if (state.paused) words.paused = 1;
    return (
        "#" +
        Object.entries(words)
            .map(([word, value]) => `${word}=${value}`)
            .join("&")
    );
}
