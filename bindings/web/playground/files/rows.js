// From rows of numbers to boxes. Six numbers are a box, four a sphere: x, y, z, radius. The box of a sphere is rounded outwards,
// so that no pair is lost.

const FLOAT = new Float32Array(1);
const BITS = new Int32Array(FLOAT.buffer);

/** The largest 32-bit float that is not above x. */
function roundDown(x) {
    FLOAT[0] = x;
    if (FLOAT[0] <= x) return FLOAT[0];
    if (FLOAT[0] === 0) return -1.401298464324817e-45;
    BITS[0] += FLOAT[0] > 0 ? -1 : 1;
    return FLOAT[0];
}

function checkBox(row, where) {
    for (let axis = 0; axis < 3; ++axis) {
        if (!(row[axis] <= row[axis + 3])) {
            const name = "xyz"[axis];
            throw new Error(
                `${where}: min_${name} is ${row[axis]} and max_${name} is ${row[axis + 3]}; expected min <= max, and no nan`,
            );
        }
    }
}

function checkSphere(row, where) {
    if (!(row[3] >= 0)) throw new Error(`${where}: the radius is ${row[3]}; expected 0 or more`);
    for (let axis = 0; axis < 3; ++axis) {
        if (!Number.isFinite(row[axis])) throw new Error(`${where}: ${"xyz"[axis]} is ${row[axis]}; expected a finite number`);
    }
}

/**
 * `row(i)` returns the numbers of row i, `where(i)` says for people which one that is. `in64Bits`: boxes stay in 64 bits.
 * Returns what scenes/file.js takes.
 */
export function boxesOfRows(count, columns, row, where, in64Bits) {
    const boxes = in64Bits ? new Float64Array(6 * count) : new Float32Array(6 * count);
    for (let i = 0; i < count; ++i) {
        const numbers = row(i);
        if (columns === 6) {
            checkBox(numbers, where(i));
            boxes.set(numbers, 6 * i);
            continue;
        }
        checkSphere(numbers, where(i));
        for (let axis = 0; axis < 3; ++axis) {
            const min = numbers[axis] - numbers[3];
            const max = numbers[axis] + numbers[3];
            boxes[6 * i + axis] = in64Bits ? min : roundDown(min);
            boxes[6 * i + 3 + axis] = in64Bits ? max : -roundDown(-max);
        }
    }
    return { boxes, shape: columns === 6 ? "boxes" : "spheres" };
}
