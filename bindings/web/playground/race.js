// A race: every method on the scene in view, over the same few steps. What would take too long is left out, and its time is
// guessed from a sixteenth and a quarter of the boxes.
const STEPS = 6; // the first one builds, and does not count
const PATIENCE = 4000; // milliseconds for one step

/** Every k-th box. */
function thin(boxes, k) {
    const count = Math.ceil(boxes.length / 6 / k);
    const some = new Float32Array(6 * count);
    for (let i = 0; i < count; ++i) some.set(boxes.subarray(6 * k * i, 6 * k * i + 6), 6 * i);
    return some;
}

function timeOnce(bp, boxes, method) {
    const started = performance.now();
    bp.pairsView(boxes, { method });
    return Math.max(0.05, performance.now() - started);
}

/** About how many milliseconds a step takes. Between a quarter and all it grows as between a sixteenth and a quarter. */
function guess(bp, boxes, method) {
    if (boxes.length < 6 * 4000) return 0;
    const sixteenth = timeOnce(bp, thin(boxes, 16), method);
    if (16 * sixteenth > PATIENCE) return 16 * sixteenth;
    const quarter = timeOnce(bp, thin(boxes, 4), method);
    return (quarter * quarter) / sixteenth;
}

/** The world of each step is timed as a program would use it: move, update. */
function timeSteps(session, frames, method) {
    session.putBack(frames[0]);
    const world = session.newWorld(method);
    try {
        const times = [];
        let pairs = world.update().stats.pairs;
        for (const boxes of frames.slice(1)) {
            session.putBack(boxes);
            const started = performance.now();
            world.move(session.input);
            pairs = world.update().stats.pairs;
            times.push(performance.now() - started);
        }
        return { milliseconds: Math.min(...times), pairs }; // the least: the others were disturbed by something
    } finally {
        world.dispose();
    }
}

function run(session, frames, method) {
    try {
        const guessed = guess(session.bp, frames[0], method);
        if (guessed > PATIENCE) return { method, leftOut: `skipped: about ${Math.round(guessed / 1000)} s per step` };
        return { method, ...timeSteps(session, frames, method) };
    } catch (error) {
        return { method, leftOut: error.message };
    }
}

/** Takes the scene on by a few steps, and calls `report` with a row for each method, until `isOff()`. */
export async function race(session, report, isOff) {
    const frames = [];
    for (let i = 0; i < STEPS; ++i) {
        session.skipTo(session.step + 1);
        frames.push(session.input.slice());
    }
    for (const { name } of session.bp.methods()) {
        if (isOff()) break;
        report(run(session, frames, name));
        await new Promise((resolve) => setTimeout(resolve)); // so that the row is seen before the next one runs
    }
    session.putBack(frames[STEPS - 1]);
}
