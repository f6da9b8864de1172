// Grains poured into a bowl: the library's granular example (soft spheres with friction), as WebAssembly. A funnel full of
// grains stands over a bowl; both are made of beads that do not move.
//
//      \ooooooo/
//       \ooooo/      funnel: a cone, filled layer by layer when the scene begins
//        \ooo/
//           o
//           o
//      \         /
//       \_oo__o_/    bowl: a part of a sphere that would hold them all
//    ---------------- floor
//
// Each step follows from the one before: this is the one scene that has to be run from its beginning to show a later step.
import { cosine, cubeRoot, randomFrom, sine } from "../numbers.js";
import { paint } from "./colors.js";
import { putCube } from "./boxes.js";

const LEAST = 0.8; // radii of grains
const MOST = 1.2;
const BEAD = 1.9;
const SPACING = 3; // of beads: no grain fits between two
const LAYER = 2.05 * MOST; // of grains, when the scene begins
const SUBSTEPS = 5;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

const BANDS = [
    [222, 205, 170],
    [106, 160, 160],
    [206, 214, 216],
    [128, 110, 160],
    [96, 122, 150],
];
const BEAD_COLOR = [130, 140, 152];

/** Sizes of bowl and funnel for so many grains. */
function plan(grains) {
    const bowl = 1.75 * cubeRoot(grains);
    return { bowl, hole: Math.max(6.5, 0.38 * bowl), bottom: 1.35 * bowl, slope: 0.85 };
}

/** How wide the funnel is at a height above its hole. */
function widthAt({ hole, slope }, height) {
    return hole + slope * height;
}

/** The first `count` places of a lattice that fills the funnel from below. */
function fill(shape, count) {
    const places = [];
    for (let layer = 0; places.length < count; ++layer) {
        const height = LAYER * (layer + 0.5);
        const width = widthAt(shape, height) - BEAD - 1.5 * MOST;
        const most = Math.floor(width / LAYER);
        for (let i = -most; i <= most; ++i) {
            for (let j = -most; j <= most && places.length < count; ++j) {
                if ((i * i + j * j) * LAYER * LAYER <= width * width)
                    places.push([LAYER * i, LAYER * j, shape.bottom + height]);
            }
        }
    }
    return places;
}

/** Beads on the lower part of a sphere, along a spiral; the bowl stands on the floor. */
function putBowl(beads, { bowl }) {
    const area = 2 * Math.PI * bowl * bowl * 0.8; // up to 78 degrees from the lowest point
    const count = Math.ceil(area / (0.82 * SPACING * SPACING));
    for (let i = 0; i < count; ++i) {
        const down = 1 - (0.8 * (i + 0.5)) / count;
        const across = Math.sqrt(1 - down * down);
        beads.push([bowl * across * cosine(GOLDEN * i), bowl * across * sine(GOLDEN * i), bowl * (1 - down)]);
    }
}

/** Beads on a cone, ring after ring. */
function putFunnel(beads, shape, top) {
    const upwards = (SPACING * 0.87) / Math.sqrt(1 + shape.slope * shape.slope);
    for (let height = 0, ring = 0; shape.bottom + height < top; height += upwards, ++ring) {
        const width = widthAt(shape, height);
        const count = Math.ceil((2 * Math.PI * width) / SPACING);
        for (let i = 0; i < count; ++i) {
            const angle = (2 * Math.PI * (i + 0.5 * (ring % 2))) / count;
            beads.push([width * cosine(angle), width * sine(angle), shape.bottom + height]);
        }
    }
}

function layoutOf(grainCount) {
    const shape = plan(grainCount);
    const grains = fill(shape, grainCount);
    const beads = [];
    putBowl(beads, shape);
    putFunnel(beads, shape, grains[grains.length - 1][2] + LAYER);
    return { shape, grains, beads };
}

/** Beads and grains, together at most `count`, and nearly that: beads follow from the grains, so a few rounds are needed. */
function arrange(count) {
    let grainCount = Math.round(0.7 * count);
    let best = null;
    for (let round = 0; round < 12; ++round) {
        const layout = layoutOf(grainCount);
        const left = count - layout.grains.length - layout.beads.length;
        if (left >= 0 && !(best?.grains.length > grainCount)) best = layout;
        if (left >= 0 && left <= count / 100) break;
        grainCount += Math.floor(0.9 * left);
    }
    return best;
}

export const grains = {
    title: "Grains",
    about: "Soft spheres with friction pour into a bowl. What begins to touch flashes.",
    count: 6000,

    create({ count, seed, bp }) {
        const { shape, grains, beads } = arrange(count);
        const total = beads.length + grains.length;
        const random = randomFrom(seed);
        const places = new Float64Array(3 * total);
        const radii = new Float64Array(total);
        const fixed = new Uint8Array(total);
        const colors = new Uint8Array(3 * total);
        beads.forEach((place, i) => {
            places.set(place, 3 * i);
            radii[i] = BEAD;
            fixed[i] = 1;
            paint(colors, i, BEAD_COLOR);
        });
        grains.forEach((place, k) => {
            const i = beads.length + k;
            radii[i] = LEAST + (MOST - LEAST) * random();
            for (let axis = 0; axis < 3; ++axis) {
                places[3 * i + axis] = place[axis] + (LAYER - 2 * radii[i]) * (random() - 0.5);
            }
            paint(colors, i, BANDS[Math.floor((BANDS.length * k) / grains.length)]);
        });
        const stiffness = 100 * cubeRoot(grains.length);
        const system = new bp.Grains({
            places,
            radii,
            fixed,
            walls: [{ axis: 2, at: -BEAD, side: 1 }],
            stiffness,
            restitution: 0.3,
            friction: 0.5,
            margin: 0.4,
            timeStep: (Math.PI / 8) * Math.sqrt((0.5 * 4.19 * LEAST * LEAST * LEAST) / stiffness),
        });
        const now = new Float32Array(3 * total);
        let reached = 0;
        return {
            count: total,
            colors,
            fixedCount: beads.length,
            parts: [
                { shape: "spheres", first: 0, count: beads.length, scale: 0.3, hasNoHalo: true },
                { shape: "spheres", first: beads.length, count: grains.length },
            ],
            steadyGlow: 0.1, // all that lie still touch: so what begins to touch flashes
            view: { center: [0, 0, 1.3 * shape.bowl], radius: 1.9 * shape.bowl },

            moveTo(step, boxes) {
                for (; reached < step; ++reached) system.step(SUBSTEPS);
                system.places(now);
                for (let i = 0; i < total; ++i) putCube(boxes, i, now[3 * i], now[3 * i + 1], now[3 * i + 2], radii[i]);
            },
            dispose() {
                system.dispose();
            },
        };
    },
};
