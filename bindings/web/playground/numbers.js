// Numbers that are the same on every machine: a link must show the same picture to everybody. So no Math.random, and no
// Math.sin, Math.pow or Math.cbrt, whose last digits are each browser's own; only what IEEE 754 fixes: + - * /, floor, sqrt.

/** 32 bits that look random, from two whole numbers. */
export function hash(a, b) {
    let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    return (h ^ (h >>> 15)) >>> 0;
}

/** The same as a number in [0, 1). */
export function hashUnit(a, b) {
    return hash(a, b) / 4294967296;
}

/** A function that returns numbers in [0, 1), one after the other; the same ones for the same seed. */
export function randomFrom(seed) {
    let count = 0;
    return () => hashUnit(seed, count++);
}

const TURN = 2 * Math.PI;

/** The sine, to 6 digits or more: the angle is brought to a quarter turn around 0, and then a polynomial. */
export function sine(angle) {
    let turns = angle / TURN;
    turns -= Math.floor(turns + 0.5); // -0.5 .. 0.5
    if (turns > 0.25) turns = 0.5 - turns;
    else if (turns < -0.25) turns = -0.5 - turns;
    const x = turns * TURN;
    const y = x * x;
    return x * (1 + y * (-1 / 6 + y * (1 / 120 + y * (-1 / 5040 + y * (1 / 362880 - y / 39916800)))));
}

export function cosine(angle) {
    return sine(angle + TURN / 4);
}

/** The cube root of a number of at least 1, by Newton's steps. */
export function cubeRoot(x) {
    let root = x;
    for (let i = 0; i < 60; ++i) root = (2 * root + x / (root * root)) / 3;
    return root;
}

/** Between 0 and 1, smooth at both ends. */
export function smooth(x) {
    const t = Math.min(1, Math.max(0, x));
    return t * t * (3 - 2 * t);
}

/** Back and forth between 0 and `length`, as between two mirrors. */
export function mirrored(x, length) {
    const turns = x / (2 * length);
    const part = turns - Math.floor(turns);
    return length * (1 - Math.abs(2 * part - 1));
}
