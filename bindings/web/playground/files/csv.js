// CSV: a row of six numbers for each box, or of four for each sphere; one header line is allowed. Any other line that is not a
// row of numbers is an error: to skip it would lose pairs.
import { boxesOfRows } from "./rows.js";

const LARGEST = 3.4028235e38; // of 32-bit floats

/** What stands between the columns: a comma, a semicolon, or blanks and tabs. */
function separatorOf(line) {
    return line.includes(";") ? ";" : line.includes(",") ? "," : /[ \t]+/;
}

function readNumber(text) {
    const word = text
        .trim()
        .replace(/^(["'])(.*)\1$/, "$2")
        .trim();
    if (/^[+-]?(inf|infinity)$/i.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
    return /^[+-]?(\d|\.\d)/.test(word) ? Number(word) : NaN;
}

export function readCsv(text, name) {
    const lines = text
        .replace(/^\ufeff/, "")
        .trimEnd()
        .split(/\r?\n/);
    const separator = separatorOf(lines[0]);
    const split = (line) => line.trim().split(separator).map(readNumber);
    const first = split(lines[0]).some(Number.isNaN) ? 1 : 0; // a header
    if (lines.length <= first) throw new Error(`${name}: expected a row of numbers, found none`);
    const columns = split(lines[first]).length;
    const where = (i) => `${name}:${first + i + 1}`;
    if (columns !== 4 && columns !== 6) {
        throw new Error(
            `${where(0)}: expected 6 columns (min_x,min_y,min_z,max_x,max_y,max_z) or 4 (x,y,z,radius), found ${columns}`,
        );
    }
    const row = (i) => {
        const numbers = split(lines[first + i]);
        if (numbers.length !== columns) {
            throw new Error(`${where(i)}: expected ${columns} columns as in the first row, found ${numbers.length}`);
        }
        const wrong = numbers.findIndex(Number.isNaN);
        if (wrong >= 0) throw new Error(`${where(i)}: expected a number in column ${wrong + 1}`);
        const large = columns === 6 ? numbers.findIndex((value) => Number.isFinite(value) && Math.abs(value) > LARGEST) : -1;
        if (large >= 0) throw new Error(`${where(i)}: expected at most ${LARGEST} either way, or inf, in column ${large + 1}`);
        return numbers;
    };
    return boxesOfRows(lines.length - first, columns, row, where, false);
}
