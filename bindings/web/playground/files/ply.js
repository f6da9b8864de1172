// PLY: a text says which elements follow, and which properties each of them has; then they follow, as text or as bytes in either
// order. Vertices and faces are read; other elements and properties are read over.
import { Mesh } from "./triangles.js";

const TYPES = {
    char: "Int8",
    int8: "Int8",
    uchar: "Uint8",
    uint8: "Uint8",
    short: "Int16",
    int16: "Int16",
    ushort: "Uint16",
    uint16: "Uint16",
    int: "Int32",
    int32: "Int32",
    uint: "Uint32",
    uint32: "Uint32",
    float: "Float32",
    float32: "Float32",
    double: "Float64",
    float64: "Float64",
};

function propertyOf(words, name) {
    const isList = words[1] === "list";
    const types = isList ? words.slice(2, 4) : words.slice(1, 2);
    if (types.some((type) => !TYPES[type])) throw new Error(`${name}: '${words.join(" ")}' names a type that PLY has not`);
    return { name: words.at(-1), type: TYPES[types.at(-1)], countType: isList ? TYPES[types[0]] : null };
}

function readHeader(bytes, name) {
    const start = new TextDecoder("latin1").decode(bytes.subarray(0, 65536));
    const end = /(^|\n)end_header[ \t]*\r?\n/.exec(start);
    if (!/^ply\s/.test(start) || !end) throw new Error(`${name}: this is not a PLY file`);
    const elements = [];
    let format = "";
    for (const line of start.slice(0, end.index).split(/\r?\n/)) {
        const words = line.trim().split(/[ \t]+/);
        if (words[0] === "format") format = words[1];
        if (words[0] === "element") elements.push({ name: words[1], count: Number(words[2]), properties: [] });
        if (words[0] === "property") elements.at(-1)?.properties.push(propertyOf(words, name));
    }
    return { format, elements, length: end.index + end[0].length };
}

/** `next` returns the next number of a type, from bytes; `isDone` tells whether there is nothing left. */
function byteReader(bytes, isLittle, name) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    const next = (type) => {
        const size = parseInt(type.match(/\d+/)[0], 10) / 8;
        if (at + size > bytes.length) throw new Error(`${name}: the file was cut off; copy or save it again`);
        const value = view[`get${type}`](at, isLittle);
        at += size;
        return value;
    };
    return { next, isDone: () => at === bytes.length };
}

function wordReader(bytes, name) {
    const words = new TextDecoder("latin1").decode(bytes).trim().split(/\s+/);
    let at = 0;
    const next = () => {
        const word = words[at++] || "the end of the file";
        const value = Number(word);
        if (Number.isNaN(value)) throw new Error(`${name}: expected a number, found ${word.slice(0, 40)}`);
        return value;
    };
    return { next, isDone: () => at >= words.length };
}

/** Properties of one element, by name: a number each, or a list of them. */
function readElement(element, next) {
    const values = {};
    for (const { name, type, countType } of element.properties) {
        values[name] = countType ? Array.from({ length: next(countType) }, () => next(type)) : next(type);
    }
    return values;
}

export function readPly(bytes, name) {
    const { format, elements, length } = readHeader(bytes, name);
    const data = bytes.subarray(length);
    const { next, isDone } =
        format === "ascii" ? wordReader(data, name) : byteReader(data, format === "binary_little_endian", name);
    const mesh = new Mesh();
    for (const element of elements.filter(({ properties }) => properties.length > 0)) {
        for (let i = 0; i < element.count; ++i) {
            const values = readElement(element, next);
            if (element.name === "vertex") mesh.addVertex(values.x, values.y, values.z);
            if (element.name === "face")
                mesh.addFace(values.vertex_indices ?? values.vertex_index ?? [], `${name}: face ${i} (from 0)`);
        }
    }
    if (!isDone()) throw new Error(`${name}: there is more in the file than its header promises; save the mesh again`);
    return mesh.finish(name);
}
