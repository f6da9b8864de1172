// Your own file: it lies still, at the place of every step.
import { paint } from "./colors.js";
import { areTouching, haveCommonCorner } from "./triangles.js";

const COLOR = [96, 140, 180];

/** The middle and the radius of a ball around the finite boxes. */
function viewOf(boxes, count) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < count; ++i) {
        for (let axis = 0; axis < 3; ++axis) {
            const min = boxes[6 * i + axis];
            const max = boxes[6 * i + 3 + axis];
            if (min > -Infinity && min < low[axis]) low[axis] = min;
            if (max < Infinity && max > high[axis]) high[axis] = max;
        }
    }
    const sizes = low.map((value, axis) => (high[axis] > value ? high[axis] - value : 0));
    const center = low.map((value, axis) => (Number.isFinite(value) ? value + 0.5 * sizes[axis] : 0));
    return { center, radius: 0.5 * Math.hypot(...sizes) || 1 };
}

/** Boxes, or corners of triangles, with y up: as they stand in a picture, in which z is up. */
function turnedBoxes(boxes) {
    const turned = new Float32Array(boxes.length);
    for (let i = 0; i < boxes.length; i += 6) {
        const [lowX, lowY, lowZ, highX, highY, highZ] = boxes.subarray(i, i + 6);
        turned.set([lowX, -highZ, lowY, highX, -lowZ, highY], i);
    }
    return turned;
}

function turnedPoints(points) {
    const turned = new Float32Array(points.length);
    for (let i = 0; i < points.length; i += 3) turned.set([points[i], -points[i + 2], points[i + 1]], i);
    return turned;
}

/** Whether all lies in the plane z = 0, as what was read in two dimensions does. */
export function isFlat(boxes) {
    for (let i = 2; i < boxes.length; i += 3) if (boxes[i] !== 0) return false;
    return true;
}

/** Flat boxes as they are drawn: slabs on a table, each a little higher than the one before, so that none hides in another. */
function piledUp(boxes, radius) {
    const pile = Float32Array.from(boxes);
    const count = pile.length / 6;
    for (let i = 0; i < count; ++i) {
        pile[6 * i + 2] = -0.005 * radius;
        pile[6 * i + 5] = (0.02 * radius * i) / count;
    }
    return pile;
}

export const file = {
    title: "Your file",
    about: "Boxes as CSV, NPY or NPZ, meshes as PLY, OBJ or STL: drop one anywhere. It does not leave your machine.",
    count: 0,

    /** `data` is what files/read.js returns, and `up`, which axis of the file is up: "y" or "z". */
    create({ data }) {
        const { boxes: given, shape, up } = data;
        const isTurned = up === "y";
        const triangles = data.triangles && isTurned ? turnedPoints(data.triangles) : data.triangles;
        const upright = isTurned ? turnedBoxes(given) : given;
        const count = given.length / 6;
        const colors = new Uint8Array(3 * count);
        const view = viewOf(upright, count);
        const drawn = !triangles && isFlat(given) ? piledUp(given, view.radius) : upright;
        for (let i = 0; i < count; ++i) paint(colors, i, COLOR);
        return {
            count,
            colors,
            triangles,
            exact: given,
            isStill: true,
            parts: [{ shape, first: 0, count, hasNoHalo: Boolean(triangles) }],
            view,
            glows: triangles && ((a, b) => !haveCommonCorner(triangles, a, b) && areTouching(triangles, a, b)),

            rayAsGiven({ origin, direction }) {
                const lying = ([x, y, z]) => (isTurned ? [x, z, -y] : [x, y, z]);
                return { origin: lying(origin), direction: lying(direction) };
            },

            moveTo(step, boxes) {
                if (step === 0) boxes.set(drawn);
            },
        };
    },
};
