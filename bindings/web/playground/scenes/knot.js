// A mesh that deforms: the surface of a knotted tube that swells and shrinks in waves, cut into triangles. An object is the box
// of a triangle. Neighbors in the mesh always touch: they count as pairs, as in the library's own answer, but only triangles of
// different strands that really touch glow: where the mesh runs into itself.
//
//      ring u        ring u + 1
//        +------------+           two triangles for each of RINGS × SIDES squares
//        |         /  |
//        |      /     |           triangle t belongs to ring floor(t / (2 SIDES))
//        |   /        |
//        +------------+
import { cosine, sine } from "../numbers.js";
import { onRamp, paint } from "./colors.js";
import { putTriangleBoxes } from "./boxes.js";
import { areTouching } from "./triangles.js";

const RAMP = [
    [64, 124, 150],
    [110, 110, 190],
    [160, 100, 160],
    [90, 150, 140],
    [64, 124, 150],
];

/** Center of the tube at u (0 .. 1), a trefoil knot whose loops breathe. */
function centerAt(u, time) {
    const angle = 4 * Math.PI * u;
    const reach = 2 + (0.9 + 0.12 * sine(0.7 * time)) * cosine(1.5 * angle);
    return [reach * cosine(angle), reach * sine(angle), (0.5 + 0.16 * sine(time)) * sine(1.5 * angle)];
}

function unit(v) {
    const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return [v[0] / length, v[1] / length, v[2] / length];
}

function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Two directions across the tube. The knot never points straight up, so "up" will do to begin with. */
function acrossAt(u, time) {
    const before = centerAt(u - 0.002, time);
    const behind = centerAt(u + 0.002, time);
    const along = unit([behind[0] - before[0], behind[1] - before[1], behind[2] - before[2]]);
    const out = unit(cross(along, [0, 0, 1]));
    return [out, cross(along, out)];
}

/** Writes the corners of all rings: three numbers each. */
function putCorners(corners, rings, sides, time) {
    for (let ring = 0; ring < rings; ++ring) {
        const u = ring / rings;
        const center = centerAt(u, time);
        const [out, up] = acrossAt(u, time);
        const thick = 0.47 + 0.17 * sine(2 * Math.PI * 7 * u - 2 * time) + 0.06 * sine(2 * Math.PI * 23 * u + 3 * time);
        for (let side = 0; side < sides; ++side) {
            const angle = (2 * Math.PI * side) / sides + 0.6 * sine(time + 12 * u);
            const a = thick * cosine(angle);
            const b = thick * sine(angle);
            for (let axis = 0; axis < 3; ++axis) {
                corners[3 * (ring * sides + side) + axis] = 10 * (center[axis] + a * out[axis] + b * up[axis]);
            }
        }
    }
}

/** The corners of each triangle, by number. */
function cornersOfTriangles(rings, sides) {
    const numbers = new Uint32Array(6 * rings * sides);
    for (let i = 0; i < rings * sides; ++i) {
        const ring = Math.floor(i / sides);
        const next = ((ring + 1) % rings) * sides;
        const here = ring * sides;
        const side = i % sides;
        const beside = (side + 1) % sides;
        numbers.set([here + side, next + side, next + beside, here + side, next + beside, here + beside], 6 * i);
    }
    return numbers;
}

export const knot = {
    title: "Mesh",
    about: "A knot of triangles deforms and runs into itself. Neighbors always touch: they count, but only what touches another strand glows.",
    count: 20000,

    create({ count, seed }) {
        const sides = Math.max(12, Math.round(Math.sqrt(count / 26)));
        const rings = Math.floor(count / (2 * sides));
        const triangleCount = 2 * rings * sides;
        const numbers = cornersOfTriangles(rings, sides);
        const corners = new Float64Array(3 * rings * sides);
        const colors = new Uint8Array(3 * triangleCount);
        const triangles = new Float32Array(9 * triangleCount);
        const near = Math.ceil(rings / 24);
        for (let i = 0; i < triangleCount; ++i) paint(colors, i, onRamp(RAMP, i / triangleCount));
        return {
            count: triangleCount,
            colors,
            triangles,
            parts: [{ shape: "triangles", first: 0, count: triangleCount }],
            view: { center: [0, 0, 0], radius: 33 },

            moveTo(step, boxes) {
                putCorners(corners, rings, sides, 0.012 * step + seed);
                for (let i = 0; i < numbers.length; ++i) {
                    const from = 3 * numbers[i];
                    triangles[3 * i] = corners[from];
                    triangles[3 * i + 1] = corners[from + 1];
                    triangles[3 * i + 2] = corners[from + 2];
                }
                putTriangleBoxes(boxes, triangles, triangleCount);
            },

            /** Whether a pair is so far apart along the tube that it is another strand, and touches. */
            glows(a, b) {
                const apart = Math.abs(Math.floor(a / (2 * sides)) - Math.floor(b / (2 * sides)));
                return Math.min(apart, rings - apart) > near && areTouching(triangles, a, b);
            },
        };
    },
};
