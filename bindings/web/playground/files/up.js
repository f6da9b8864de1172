// Which way is up in a file of the reader's own: scenes have z up, as engineers have it; many meshes have y up.

const SAYINGS = [/\b([yz])[ _-]?(?:axis[ _-]?)?(?:is[ _-])?up\b/i, /\bup[ _-]?(?:axis|vector)?[ :=]+[+]?([yz])\b/i];
const LOOKED_AT = 4096; // bytes, in which comments of the program that wrote the mesh stand
const FLAT = 1 / 5;

/** What a comment says: "Z up", "up axis: y". */
function saidBy(bytes) {
    const head = new TextDecoder("latin1").decode(bytes.slice(0, LOOKED_AT));
    for (const line of head.split(/\r?\n/).filter((line) => /^(#|comment\b)/.test(line))) {
        for (const saying of SAYINGS) {
            const up = saying.exec(line)?.[1];
            if (up) return up.toLowerCase();
        }
    }
    return null;
}

function sizesOf(boxes) {
    return [0, 1, 2].map((axis) => {
        let [low, high] = [Infinity, -Infinity];
        for (let i = axis; i < boxes.length; i += 6) {
            low = Math.min(low, boxes[i]);
            high = Math.max(high, boxes[i + 3]);
        }
        return high - low;
    });
}

/**
 * "y" or "z". Of boxes z, as in the library's own scenes. Of a mesh what a comment in it says; else the side on which it is flat,
 * as ground is, where that is clear; else y, as the programs that write OBJ and the scanners that write PLY mostly have it.
 */
export function upOf({ boxes, triangles }, bytes) {
    if (!triangles) return "z";
    const said = saidBy(bytes);
    if (said) return said;
    const [x, y, z] = sizesOf(boxes);
    if (z <= FLAT * Math.min(x, y)) return "z";
    return "y";
}
