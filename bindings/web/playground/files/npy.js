// NPY, the arrays of NumPy: a magic word, a header that is a Python dictionary, and the numbers.
//
//     93 'NUMPY' 1 0 | length of the header (16 bits; 32 from version 2 on) | {'descr': '<f4', ...}, blanks, newline | numbers
import { boxesOfRows } from "./rows.js";

const MAGIC = "\x93NUMPY";

function latin(bytes) {
    return String.fromCharCode(...bytes);
}

function readHeader(bytes, name) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 12 || latin(bytes.subarray(0, 6)) !== MAGIC) throw new Error(`${name}: this is not an NPY file`);
    const isLong = bytes[6] >= 2;
    const start = isLong ? 12 : 10;
    const end = start + (isLong ? view.getUint32(8, true) : view.getUint16(8, true));
    const text = latin(bytes.subarray(start, Math.min(end, start + 4096)));
    const shape = /'shape':\s*\(([^)]*)\)/
        .exec(text)?.[1]
        .split(",")
        .filter((word) => word.trim() !== "");
    return {
        type: /'descr':\s*'([^']*)'/.exec(text)?.[1],
        isFortran: /'fortran_order':\s*True/.test(text),
        shape: shape?.map(Number),
        end,
    };
}

export function readNpy(bytes, name) {
    const { type, isFortran, shape, end } = readHeader(bytes, name);
    if (isFortran || shape?.length !== 2 || (shape[1] !== 6 && shape[1] !== 4)) {
        throw new Error(
            `${name}: expected an array of N rows with 6 numbers (boxes) or 4 (spheres), in C order, found (${shape})`,
        );
    }
    if (type !== "<f4" && type !== "<f8")
        throw new Error(`${name}: expected float32 or float64, little-endian, found '${type}'`);
    const [count, columns] = shape;
    const in64Bits = type === "<f8";
    const size = in64Bits ? 8 : 4;
    if (bytes.length !== end + count * columns * size) {
        throw new Error(`${name}: expected ${count} rows, found ${bytes.length - end} bytes; copy or save the file again`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset + end);
    const numbers = new Float64Array(columns);
    const row = (i) => {
        for (let k = 0; k < columns; ++k) {
            const at = (columns * i + k) * size;
            numbers[k] = in64Bits ? view.getFloat64(at, true) : view.getFloat32(at, true);
        }
        return numbers;
    };
    return boxesOfRows(count, columns, row, (i) => `${name}: row ${i} (from 0)`, in64Bits);
}

/** The parts of an NPY file with `columns` columns: of a Uint32Array, a Float32Array or a Float64Array. */
export function writeNpy(array, columns) {
    const type = array instanceof Uint32Array ? "<u4" : array instanceof Float64Array ? "<f8" : "<f4";
    const words = `{'descr': '${type}', 'fortran_order': False, 'shape': (${array.length / columns}, ${columns}), }`;
    const text = words.padEnd(117) + "\n"; // so that the numbers begin at byte 128
    const head = Uint8Array.from(MAGIC + "\x01\x00" + String.fromCharCode(text.length, 0) + text, (letter) =>
        letter.charCodeAt(0),
    );
    return [head, array];
}
