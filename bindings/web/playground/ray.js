// What a ray meets first. The library says which boxes it hits; where an object is not its box, its own shape decides.

function dot(a, b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function minus(a, b) {
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** How far along the ray a box begins, made larger or smaller around its middle; null if it is missed. */
function atBox({ origin, direction }, box, scale) {
    let [enter, leave] = [0, Infinity];
    for (let axis = 0; axis < 3; ++axis) {
        const middle = 0.5 * (box[axis] + box[axis + 3]);
        const half = 0.5 * scale * (box[axis + 3] - box[axis]);
        if (direction[axis] === 0) {
            if (Math.abs(origin[axis] - middle) > half) return null;
            continue;
        }
        const at = (middle - origin[axis]) / direction[axis];
        const width = Math.abs(half / direction[axis]);
        enter = Math.max(enter, at - width);
        leave = Math.min(leave, at + width);
    }
    return enter <= leave ? enter : null;
}

/** The same for the ball in a box. */
function atSphere({ origin, direction }, box, scale) {
    const center = [0, 1, 2].map((axis) => 0.5 * (box[axis] + box[axis + 3]));
    const radius = 0.5 * scale * (box[3] - box[0]);
    const toCenter = minus(center, origin);
    const along = dot(toCenter, direction);
    const depth = radius * radius - dot(toCenter, toCenter) + along * along;
    const at = along - Math.sqrt(depth);
    return depth >= 0 && at >= 0 ? at : null;
}

/** The same for a triangle (Möller and Trumbore, 1997). */
function atTriangle({ origin, direction }, corners) {
    const first = corners.slice(0, 3);
    const [one, other] = [minus(corners.slice(3, 6), first), minus(corners.slice(6, 9), first)];
    const across = cross(direction, other);
    const size = dot(one, across);
    if (size === 0) return null;
    const from = minus(origin, first);
    const u = dot(from, across) / size;
    const around = cross(from, one);
    const v = dot(direction, around) / size;
    const at = dot(other, around) / size;
    return u >= 0 && v >= 0 && u + v <= 1 && at >= 0 ? at : null;
}

/** How far along a ray object `id` of a scene is met, drawn as a shape; null: not at all, or it is not drawn. */
function meet(ray, { parts, triangles }, boxes, id, shape) {
    const part = parts.find(({ first, count }) => id >= first && id < first + count);
    const box = boxes.subarray(6 * id, 6 * id + 6);
    if (!part || !box.every(Number.isFinite)) return null;
    switch (shape === "scene" ? part.shape : shape) {
        case "triangles":
            return atTriangle(ray, Array.from(triangles.subarray(9 * id, 9 * id + 9)));
        case "spheres":
            return atSphere(ray, box, part.scale ?? 1);
        default:
            return atBox(ray, box, part.scale ?? 1);
    }
}

/**
 * What a ray { origin, direction } (of length 1) meets first among the objects of a scene, whose boxes are drawn at `boxes`:
 * { id, distance }, or null.
 */
export function firstMet(world, scene, boxes, ray, shape) {
    const asGiven = scene.rayAsGiven?.(ray) ?? ray;
    let first = null;
    for (const id of world.queryRay(asGiven.origin, asGiven.direction).ids) {
        const distance = meet(ray, scene, boxes, id, shape);
        if (distance !== null && !(first?.distance <= distance)) first = { id, distance };
    }
    return first;
}
