// The smallest module that has a vector: a function that makes one, and drops it.
const vector = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
];

export const hasSimd = () => WebAssembly.validate(Uint8Array.from(vector));
