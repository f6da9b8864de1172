// Rain on terrain: the ground is made of columns that stay where they are (static objects: the library never pairs two of
// them), a third of all objects. Drops fall, bounce once where they land, and begin again elsewhere.
//
//      .    '   .          height over the ground in one life of a drop:     \
//    '   .    .                                                               \     __
//   _|‾|_  _|‾|__|‾|_                                                          \___/  \___
//
// A life has a fixed length, and its place follows from a hash of drop and life: so each step can be had at once.
import { cubeRoot, hash, randomFrom } from "../numbers.js";
import { onRamp, paint } from "./colors.js";
import { heightsOf } from "./terrain.js";
import { putCube } from "./boxes.js";

const LAKE = 0.22;
const LAND = [
    [176, 160, 112],
    [112, 146, 84],
    [74, 118, 74],
    [112, 108, 104],
    [226, 230, 236],
];
const WATER = [58, 104, 150];
const DROP = [150, 194, 226];

const FALL = 0.8; // the part of its life in which a drop falls; then it bounces

function putGround(boxes, side, tops) {
    for (let i = 0; i < side * side; ++i) {
        const x = (i % side) - side / 2;
        const y = Math.floor(i / side) - side / 2;
        boxes.set([x + 0.03, y + 0.03, -1, x + 0.97, y + 0.97, tops[i]], 6 * i); // with gaps: no column touches another
    }
}

export const rain = {
    title: "Rain",
    about: "Drops fall on a landscape of columns, which never move: two of them are never tested.",
    count: 20000,

    create({ count, seed }) {
        const side = Math.round(Math.sqrt(0.3 * count));
        const ground = side * side;
        const random = randomFrom(seed);
        const heights = heightsOf(side, seed, LAKE);
        const tops = heights.map((height) => 0.3 * side * height);
        const sky = 0.75 * side;
        const life = 42 * cubeRoot(side);
        const halves = new Float64Array(count);
        const births = new Float64Array(count);
        const colors = new Uint8Array(3 * count);
        for (let i = 0; i < count; ++i) {
            const height = heights[i];
            halves[i] = 0.1 + 0.12 * random();
            births[i] = random();
            paint(colors, i, i >= ground ? DROP : height <= LAKE ? WATER : onRamp(LAND, (height - LAKE) / (0.95 - LAKE)));
        }
        let hasGround = false;
        return {
            count,
            colors,
            fixedCount: ground,
            parts: [
                { shape: "boxes", first: 0, count: ground, hasNoHalo: true },
                { shape: "spheres", first: ground, count: count - ground },
            ],
            view: { center: [0, 0, 0.2 * side], radius: 0.74 * side },

            moveTo(step, boxes) {
                if (!hasGround) putGround(boxes, side, tops);
                hasGround = true;
                for (let i = ground; i < count; ++i) {
                    const lives = step / life + births[i];
                    const number = Math.floor(lives);
                    const age = lives - number;
                    const place = hash(seed + i, number);
                    const column = place % ground;
                    const bounce = Math.max(0, (age - FALL) / (1 - FALL)); // 0 .. 1
                    const away = 1.2 * bounce * (((place >>> 8) & 255) / 255 - 0.5);
                    const x = (column % side) - side / 2 + 0.2 + (0.6 * (place >>> 24)) / 255 + away;
                    const y = Math.floor(column / side) - side / 2 + 0.2 + (0.6 * ((place >>> 16) & 255)) / 255 + away;
                    const over = age < FALL ? (1 - age / FALL) * sky : 4 * bounce * (1 - bounce) * 0.02 * side;
                    putCube(boxes, i, x, y, tops[column] + 0.95 * halves[i] + over, halves[i]);
                }
            },
        };
    },
};
