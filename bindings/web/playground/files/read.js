// A file of the reader's own, read by the readers of the library's tool: readers.wasm, which readers/readers.c describes.

const nothing = () => 52; // the C library's streams, which nobody uses
const IMPORTS = { wasi_snapshot_preview1: { fd_close: nothing, fd_seek: nothing, fd_write: nothing } };

/** Puts bytes, and a 0 behind them, into the module's memory. */
function place({ memory, readers_allocate }, bytes) {
    const address = readers_allocate(bytes.length + 1) >>> 0;
    if (address === 0) throw new Error("out of memory; try a smaller file");
    new Uint8Array(memory.buffer).set(bytes, address);
    new Uint8Array(memory.buffer)[address + bytes.length] = 0;
    return address;
}

/** As `reading` of readers/readers.c has them. */
function resultAt(memory, address) {
    const [boxes, count, triangles, isDouble, hasRadius, sentence] = new Uint32Array(memory.buffer, address, 6);
    if (sentence !== 0) {
        const bytes = new Uint8Array(memory.buffer, sentence);
        throw new Error(new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0))));
    }
    const numbers = (Type, at, length) => new Type(memory.buffer, at, length).slice();
    return {
        boxes: numbers(isDouble ? Float64Array : Float32Array, boxes, 6 * count),
        triangles: triangles === 0 ? undefined : numbers(Float32Array, triangles, 9 * count),
        shape: triangles !== 0 ? "triangles" : hasRadius ? "spheres" : "boxes",
    };
}

/** In two dimensions z is of no meaning, whatever the file says. */
function flatten({ boxes, triangles }) {
    for (let i = 2; i < boxes.length; i += 3) boxes[i] = 0;
    for (let i = 2; i < (triangles?.length ?? 0); i += 3) triangles[i] = 0;
}

let compiled = null;

/** Loads the readers: from the file beside the page, or from what is given. */
export async function loadReaders(source = fetch(new URL("../readers.wasm", import.meta.url))) {
    const bytes = source instanceof Promise ? await (await source).arrayBuffer() : source;
    compiled = await WebAssembly.compile(bytes);
}

/**
 * What scenes/file.js takes: { boxes, triangles, shape }; throws an Error whose message is a sentence for people. Each file has an
 * instance of its own, whose memory goes with it.
 */
export async function readBoxes(buffer, name, dimensions) {
    if (compiled === null) await loadReaders();
    const { exports } = await WebAssembly.instantiate(compiled, IMPORTS);
    const bytes = place(exports, new Uint8Array(buffer));
    const path = place(exports, new TextEncoder().encode(name));
    const at = exports.readers_read(path, bytes, buffer.byteLength, dimensions) >>> 0;
    const data = resultAt(exports.memory, at);
    if (dimensions === 2) flatten(data);
    return data;
}
