// The page's side of the worker: at most one request for a step is under way, and a worker that is lost in a long step is given up for a
// new one.
const PATIENCE = 1500; // milliseconds

export class Simulation {
    /** `on` has a function for each type of answer. */
    constructor(on) {
        this.on = on;
        this.start();
    }

    start() {
        this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
        this.worker.onmessage = ({ data }) => this.receive(data);
        this.worker.onerror = (event) => this.on.failure({ text: event.message || "The worker could not be started." });
        this.waiting = []; // the types of answers that end a request, in order
        this.spare = {};
    }

    /** How long the request under way has taken so far; 0 if there is none. */
    get busyFor() {
        return this.isBusy ? performance.now() - this.since : 0;
    }

    /** Looking along a ray takes no time worth mentioning, and keeps nothing else from being asked for. */
    get isBusy() {
        return this.waiting.some((answer) => answer !== "seen");
    }

    get isLooking() {
        return this.waiting.includes("seen");
    }

    receive({ type, ...content }) {
        const ends = type === this.waiting[0] || type === "failure";
        if (ends) {
            this.waiting.shift();
            this.since = performance.now();
        }
        this.on[type](content);
    }

    send(type, content, endsWith) {
        if (!this.isBusy) this.since = performance.now();
        this.waiting.push(endsWith);
        const transfer = Object.values(this.spare).map((array) => array.buffer);
        this.worker.postMessage({ type, ...content, spare: this.spare }, transfer);
        this.spare = {};
    }

    /** Arrays of a frame that has been drawn. */
    giveBack(frame) {
        this.spare = frame;
    }

    /** A new scene; gives up what takes too long. */
    open(state, data) {
        if (this.busyFor > PATIENCE) {
            this.worker.terminate();
            this.start();
        }
        const { scene, count, seed, method, step } = state;
        this.send("open", { scene, count, seed, method, step, data }, "frame");
    }

    advance() {
        this.send("advance", {}, "frame");
    }

    useMethod(state, data) {
        if (this.busyFor > PATIENCE) this.open(state, data);
        else this.send("method", { method: state.method }, "frame");
    }

    /** `race`: its number, which comes back with each row. */
    race(race) {
        this.send("race", { race }, "frame");
    }

    /** What does this ray hit? The arrays of old frames stay here for the next step. */
    look(ray, shape) {
        this.waiting.push("seen");
        this.worker.postMessage({ type: "look", ray, shape });
    }

    askForBoxes() {
        this.send("boxes", {}, "boxes");
    }

    askForPairs() {
        this.send("pairs", {}, "pairs");
    }
}
