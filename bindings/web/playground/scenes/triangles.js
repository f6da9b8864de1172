// Triangles, nine numbers each, in one array: which of them have a common corner, and which really touch. Their boxes say only
// that they may.

/** Whether two have a corner at the same place: in a mesh, neighbors always touch. */
export function haveCommonCorner(triangles, a, b) {
    for (let i = 9 * a; i < 9 * a + 9; i += 3) {
        for (let k = 9 * b; k < 9 * b + 9; k += 3) {
            const isSame =
                triangles[i] === triangles[k] && triangles[i + 1] === triangles[k + 1] && triangles[i + 2] === triangles[k + 2];
            if (isSame) return true;
        }
    }
    return false;
}

function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Whether all of one triangle lies on one side along a direction, and all of the other beyond it. */
function separates([x, y, z], triangles, a, b) {
    let [lowA, highA, lowB, highB] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let corner = 0; corner < 9; corner += 3) {
        const [i, k] = [9 * a + corner, 9 * b + corner];
        const atA = x * triangles[i] + y * triangles[i + 1] + z * triangles[i + 2];
        const atB = x * triangles[k] + y * triangles[k + 1] + z * triangles[k + 2];
        lowA = Math.min(lowA, atA);
        highA = Math.max(highA, atA);
        lowB = Math.min(lowB, atB);
        highB = Math.max(highB, atB);
    }
    return highA < lowB || highB < lowA;
}

function sidesOf(triangles, a) {
    return [0, 3, 6].map((corner) => {
        const from = 9 * a + corner;
        const to = 9 * a + ((corner + 3) % 9);
        return [0, 1, 2].map((axis) => triangles[to + axis] - triangles[from + axis]);
    });
}

/**
 * Whether two have a common point. If not, one of these directions separates them (Gottschalk, Lin and Manocha, 1996): their
 * normals, the products of their sides, and, where they lie in one plane, what is across their sides in it.
 */
export function areTouching(triangles, a, b) {
    const [sidesA, sidesB] = [sidesOf(triangles, a), sidesOf(triangles, b)];
    const [normalA, normalB] = [cross(sidesA[0], sidesA[1]), cross(sidesB[0], sidesB[1])];
    if (separates(normalA, triangles, a, b) || separates(normalB, triangles, a, b)) return false;
    for (const side of sidesA) {
        for (const other of sidesB) if (separates(cross(side, other), triangles, a, b)) return false;
    }
    const isApart = (sides, normal) => sides.some((side) => separates(cross(side, normal), triangles, a, b));
    return !isApart(sidesA, normalA) && !isApart(sidesB, normalB);
}
