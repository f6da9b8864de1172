// A galaxy: sizes from 1 to 1000, most of them small, turning in two spiral arms around the largest.
//
// Sizes follow a power law (one in 40 is ten times the smallest, one in 1600 a hundred times): the scene for which grids with one
// cell size have no good answer.
import { cosine, cubeRoot, randomFrom, sine } from "../numbers.js";
import { onRamp, paint } from "./colors.js";
import { putCube } from "./boxes.js";

const RAMP = [
    [120, 150, 235],
    [170, 190, 240],
    [225, 215, 225],
    [205, 130, 170],
    [130, 90, 190],
];
const RATIO = 1000;

/** A half size: more than s times the smallest with a chance of s^(-8/5). */
function sizeOf(random, smallest) {
    const eighthRoot = Math.sqrt(Math.sqrt(Math.sqrt(1 - random())));
    return smallest * Math.min(RATIO, 1 / (eighthRoot * eighthRoot * eighthRoot * eighthRoot * eighthRoot));
}

/** About normal, within -1.5 .. 1.5. */
function spread(random) {
    return random() + random() + random() - 1.5;
}

export const galaxy = {
    title: "Galaxy",
    about: "Dust and giants turn together: their sizes are 1 to 1000.",
    count: 20000,

    create({ count, seed }) {
        const random = randomFrom(seed);
        const radius = 100;
        const smallest = 0.3 / cubeRoot(count);
        const distances = new Float64Array(count);
        const angles = new Float64Array(count);
        const heights = new Float64Array(count);
        const halves = new Float64Array(count);
        const rates = new Float64Array(count);
        const colors = new Uint8Array(3 * count);
        for (let i = 0; i < count; ++i) {
            const inside = Math.sqrt(random()) * Math.sqrt(random());
            const isArm = random() < 0.75;
            distances[i] = radius * (i === 0 ? 0 : 0.04 + 0.96 * inside);
            angles[i] = isArm ? Math.PI * Math.floor(2 * random()) + 5 * inside + 0.3 * spread(random) : 2 * Math.PI * random();
            heights[i] = i === 0 ? 0 : radius * 0.05 * spread(random) * (1.4 - inside);
            halves[i] = i === 0 ? RATIO * smallest : sizeOf(random, smallest);
            rates[i] = 0.42 / (distances[i] + 14);
            paint(colors, i, onRamp(RAMP, 1 - inside + 0.25 * spread(random)));
        }
        paint(colors, 0, [255, 236, 200]);
        return {
            count,
            colors,
            parts: [{ shape: "spheres", first: 0, count }],
            view: { center: [0, 0, 0], radius: 0.92 * radius },

            moveTo(step, boxes) {
                for (let i = 0; i < count; ++i) {
                    const angle = angles[i] + step * rates[i];
                    putCube(boxes, i, distances[i] * cosine(angle), distances[i] * sine(angle), heights[i], halves[i]);
                }
            },
        };
    },
};
