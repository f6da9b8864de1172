// Gas: boxes of several sizes fly straight on between six mirrors. About one in five overlaps another at any time.
//
// Where a box is in a step follows from the number of the step alone, so that a link can show any step at once.
import { cubeRoot, mirrored, randomFrom } from "../numbers.js";
import { onRamp, paint } from "./colors.js";
import { putCube } from "./boxes.js";

const RAMP = [
    [70, 110, 190],
    [86, 160, 196],
    [140, 196, 190],
];

export const gas = {
    title: "Gas",
    about: "Boxes fly straight on between mirrors, and glow where they overlap.",
    count: 20000,

    create({ count, seed }) {
        const side = 3.5 * cubeRoot(count);
        const random = randomFrom(seed);
        const starts = new Float64Array(3 * count);
        const speeds = new Float64Array(3 * count);
        const halves = new Float64Array(count);
        const colors = new Uint8Array(3 * count);
        for (let i = 0; i < count; ++i) {
            halves[i] = 0.3 + 0.4 * random();
            for (let axis = 0; axis < 3; ++axis) {
                starts[3 * i + axis] = 2 * side * random();
                speeds[3 * i + axis] = 0.16 * (random() - 0.5);
            }
            paint(colors, i, onRamp(RAMP, random()));
        }
        return {
            count,
            colors,
            parts: [{ shape: "boxes", first: 0, count }],
            view: { center: [side / 2, side / 2, side / 2], radius: 0.82 * side },

            moveTo(step, boxes) {
                for (let i = 0; i < count; ++i) {
                    const at = 3 * i;
                    const x = mirrored(starts[at] + step * speeds[at], side);
                    const y = mirrored(starts[at + 1] + step * speeds[at + 1], side);
                    const z = mirrored(starts[at + 2] + step * speeds[at + 2], side);
                    putCube(boxes, i, x, y, z, halves[i]);
                }
            },
        };
    },
};
