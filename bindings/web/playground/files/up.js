// Which way is up in a file of the reader's own: scenes have z up, as engineers have it; many meshes have y up.

const SAYINGS = [/\b([yz])[ _-]?(?:axis[ _-]?)?(?:is[ _-])?up\b/i, /\bup[ _-]?(?:axis|vector)?[ :=]+[+]?([yz])\b/i];
const LOOKED_AT = 4096; // bytes, in which comments of the program that wrote the mesh stand
const FLAT = 1 / 5;

/** What a comment says: "Z up", "up axis: y". */
function saidBy(bytes) {
    const head = new TextDecoder("latin1").decode(bytes.slice(0, LOOKED_AT));
    for (const line of head.split(/\r?\n/).filter((line) => /^(#|comment\b|solid\b)/.test(line))) {
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
 * "y" or "z". Of boxes z, as in the library's own scenes. Of a mesh what a comment in it says; else z where it is flat along z, as
 * ground is; else z of STL, the format of 3-D printing, and y of OBJ and PLY, as most programs and scanners that write them have it.
 */
export function upOf({ boxes, triangles }, name, bytes) {
    if (!triangles) return "z";
    const said = saidBy(bytes);
    if (said) return said;
    const [x, y, z] = sizesOf(boxes);
    const isGround = z <= FLAT * Math.min(x, y);
    return isGround || /\.stl$/i.test(name) ? "z" : "y";
}
