// Each finds all pairs of a step: `prepare` makes boxes what it wants to have, which does not count; `find` returns the number
// of pairs and, where it has a clock of its own, the share of the time (which `passed` tells) that its broad phase took.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const fromNpm = (folder) => {
    const require = createRequire(pathToFileURL(`${folder}/package.json`));
    return (name) => import(pathToFileURL(require.resolve(name)));
};

const rowsOf = (boxes, width) => Array.from({ length: boxes.length / width }, (_, i) => boxes.subarray(width * i, width * (i + 1)));

export function broadphase(name, bp, settings) {
    return { name, prepare: (boxes) => boxes, find: (boxes) => ({ pairs: bp.pairs(boxes, settings).length / 2 }) };
}

// Boxes that lie in the library's memory, and a view of the pairs: nothing is copied.
export function broadphaseInPlace(name, bp) {
    let room = new bp.Floats(0);
    const prepare = (boxes) => {
        if (room.length !== boxes.length) room = new bp.Floats(boxes.length);
        room.view.set(boxes);
    };
    return { name, prepare, find: () => ({ pairs: bp.pairsView(room.view).length / 2 }) };
}

// A world that remembers its objects, and a view of its pairs.
export function broadphaseWorld(name, bp) {
    const world = new bp.World({ events: false });
    return {
        name,
        prepare: (boxes) => boxes,
        find(boxes) {
            if (world.count === 0) world.add(boxes);
            else world.move(boxes);
            return { pairs: world.update().pairsView.length / 2 };
        },
    };
}

async function boxIntersect(load) {
    const { default: search } = await load("box-intersect");
    return {
        name: "box-intersect",
        prepare: (boxes) => rowsOf(boxes, 6).map((row) => Array.from(row)),
        find(boxes) {
            let pairs = 0;
            search(boxes, () => {
                ++pairs;
            });
            return { pairs };
        },
    };
}

async function rbush3d(load) {
    const { RBush3D } = await load("rbush-3d");
    return {
        name: "rbush-3d",
        prepare: (boxes) =>
            rowsOf(boxes, 6).map(([minX, minY, minZ, maxX, maxY, maxZ], id) => ({ minX, minY, minZ, maxX, maxY, maxZ, id })),
        find(boxes) {
            const tree = new RBush3D(16).load(boxes);
            let pairs = 0;
            for (const box of boxes) for (const other of tree.search(box)) pairs += other.id > box.id;
            return { pairs };
        },
    };
}

async function flatbush(load) {
    const { default: Flatbush } = await load("flatbush");
    return {
        name: "flatbush",
        prepare: (boxes) => boxes,
        find(boxes) {
            const tree = new Flatbush(boxes.length / 4, 16, Float32Array);
            for (let at = 0; at < boxes.length; at += 4) tree.add(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]);
            tree.finish();
            let pairs = 0;
            for (let i = 0, at = 0; at < boxes.length; ++i, at += 4) {
                for (const j of tree.search(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3])) pairs += j > i;
            }
            return { pairs };
        },
    };
}

// Bodies that are moved, and that collide with each other in no way, so that all else of a step is short. Its boxes have a
// margin, and it does not give its pairs away: only its clock counts.
async function rapier(load) {
    const { default: RAPIER } = await load("@dimforge/rapier3d-compat");
    await RAPIER.init();
    let world, bodies;
    const begin = (boxes) => {
        world = new RAPIER.World({ x: 0, y: 0, z: 0 });
        world.profilerEnabled = true;
        bodies = rowsOf(boxes, 6).map(() => {
            const body = world.createRigidBody(RAPIER.RigidBodyDesc.kinematicPositionBased());
            world.createCollider(RAPIER.ColliderDesc.cuboid(0.5, 0.5, 0.5).setSensor(true), body);
            return body;
        });
    };
    return {
        name: "Rapier, its own clock",
        prepare: (boxes) => boxes,
        find(boxes, passed) {
            if (bodies?.length !== boxes.length / 6) begin(boxes);
            bodies.forEach((body, i) => {
                body.setTranslation({ x: boxes[6 * i] + 0.5, y: boxes[6 * i + 1] + 0.5, z: boxes[6 * i + 2] + 0.5 }, false);
            });
            world.step();
            return { pairs: null, share: world.timingBroadPhase() / passed() };
        },
    };
}

export async function peersFrom(folder) {
    const load = fromNpm(folder);
    return {
        cubes: [await boxIntersect(load), await rbush3d(load), await rapier(load)],
        squares: [await flatbush(load)],
    };
}
