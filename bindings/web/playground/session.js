// A scene and the library's world of it, in the worker: moves the boxes, finds the pairs, and says who glows.
import { firstMet } from "./ray.js";
import { SCENES } from "./scenes/table.js";

const FADE = 184 / 256; // what is left of a glow, a step after its pair has ended
export const FADE_STEPS = 18; // after so many, nothing is

const REASON_EVERY = 30; // steps: the reason of `auto` seldom changes

export class Session {
    constructor(bp, { scene, count, seed, method, data }) {
        this.bp = bp;
        this.scene = SCENES[scene].create({ count, seed, bp, data });
        this.count = this.scene.count;
        this.boxes = new bp.Floats(6 * this.count);
        this.glow = new Uint8Array(this.count);
        this.step = 0;
        this.method = method;
        this.scene.moveTo(0, this.boxes.view);
    }

    /** What the library is given: of a file exactly what it holds, perhaps in 64 bits. */
    get input() {
        return this.scene.exact ?? this.boxes.view;
    }

    /** Shows the library the boxes of another step. Those of a file are the same at all steps. */
    putBack(boxes) {
        if (!this.scene.exact) this.boxes.view.set(boxes);
    }

    /** The parts that never move are static objects: two of them never pair. */
    newWorld(method) {
        const world = new this.bp.World({ method, events: this.scene.steadyGlow !== undefined });
        const fixed = Uint8Array.from({ length: this.count }, (_, i) => (i < (this.scene.fixedCount ?? 0) ? 1 : 0));
        try {
            world.add(this.input, { static: fixed });
        } catch (error) {
            world.dispose();
            throw error;
        }
        return world;
    }

    useMethod(method) {
        this.world?.dispose();
        this.world = null;
        this.method = method;
    }

    /** Moves on without looking for pairs. */
    skipTo(step) {
        this.scene.moveTo(step, this.boxes.view);
        this.step = step;
    }

    /** Moves on by one step, or to a given one, and finds the pairs; returns the figures. */
    advance(step = this.step + 1) {
        const started = performance.now();
        this.skipTo(step);
        const moved = performance.now();
        const isNew = !this.world;
        if (isNew) this.world = this.newWorld(this.method);
        else this.world.move(this.input);
        this.update = this.world.update();
        const found = performance.now();
        this.light();
        if (isNew || step % REASON_EVERY === 0) this.reason = this.world.explain();
        const { stats } = this.update;
        return {
            step,
            isNew, // the first search of a world is not like the others
            count: this.count,
            pairs: stats.pairs,
            method: stats.method,
            reason: this.reason,
            simulationMs: moved - started,
            searchMs: found - moved,
            pictureMs: performance.now() - found,
            memory: this.bp.memoryBytes,
        };
    }

    /** Those that overlap glow, and fade when they do not any more. */
    light() {
        const { glow, update, scene } = this;
        if (scene.isStill && this.isLit) return;
        this.isLit = true;
        for (let i = 0; i < glow.length; ++i) glow[i] *= FADE;
        const steady = scene.steadyGlow === undefined ? 255 : 255 * scene.steadyGlow;
        kindle(glow, update.pairsView, steady, scene.glows);
        if (steady < 255) kindle(glow, update.begunView, 255, scene.glows);
    }

    /** What a ray meets first, drawn as a shape: { id, distance, pairs }, or null. */
    lookAlong(ray, shape) {
        const met = firstMet(this.world, this.scene, this.boxes.view, ray, shape);
        return met && { ...met, pairs: this.world.pairsOf(met.id).length };
    }

    /** The pairs of the step in view, ascending by (a, b). */
    sortedPairs() {
        const { pairs } = this.update;
        const keys = new Float64Array(pairs.length / 2).map((_, i) => pairs[2 * i] * 4294967296 + pairs[2 * i + 1]).sort();
        keys.forEach((key, i) => pairs.set([key / 4294967296, key % 4294967296], 2 * i));
        return pairs;
    }

    dispose() {
        this.world?.dispose();
        this.boxes.dispose();
        this.scene.dispose?.();
    }
}

function kindle(glow, pairs, level, glows) {
    for (let i = 0; i < pairs.length; i += 2) {
        const a = pairs[i];
        const b = pairs[i + 1];
        if (glows && !glows(a, b)) continue;
        if (glow[a] < level) glow[a] = level;
        if (glow[b] < level) glow[b] = level;
    }
}
