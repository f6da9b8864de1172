// NPY, the arrays of NumPy: a magic word, a header that is a Python dictionary, and the numbers.
//
//     93 'NUMPY' 1 0 | length of the header (16 bits) | {'descr': '<f4', ...}, blanks, newline | numbers

/** The parts of an NPY file with `columns` columns: of a Uint32Array, a Float32Array or a Float64Array. */
export function writeNpy(array, columns) {
    const type = array instanceof Uint32Array ? "<u4" : array instanceof Float64Array ? "<f8" : "<f4";
    const words = `{'descr': '${type}', 'fortran_order': False, 'shape': (${array.length / columns}, ${columns}), }`;
    const text = words.padEnd(117) + "\n"; // so that the numbers begin at byte 128
    const head = Uint8Array.from("\x93NUMPY\x01\x00" + String.fromCharCode(text.length, 0) + text, (letter) =>
        letter.charCodeAt(0),
    );
    return [head, array];
}
