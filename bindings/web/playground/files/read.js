// A file of the reader's own, by the end of its name.
import { readCsv } from "./csv.js";
import { readNpy } from "./npy.js";
import { readObj } from "./obj.js";
import { readPly } from "./ply.js";

const text = (bytes) => new TextDecoder().decode(bytes);

const READERS = {
    csv: (bytes, name) => readCsv(text(bytes), name),
    npy: readNpy,
    obj: (bytes, name) => readObj(text(bytes), name),
    ply: readPly,
};

/** { boxes, triangles, shape }; throws an Error whose message is a sentence for people. */
export function readBoxes(buffer, name) {
    const reader = READERS[/\.([a-z]+)$/i.exec(name)?.[1].toLowerCase()];
    if (!reader) throw new Error(`${name}: expected a name that ends in .csv, .npy, .ply or .obj`);
    return reader(new Uint8Array(buffer), name);
}
