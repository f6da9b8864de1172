// The readers of files, in node, against the native tool's.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readBoxes } from "../files/read.js";
import { writeNpy } from "../files/npy.js";
import { HOUSE, nativePairs } from "./browser.js";
const { load } = await import(join(HOUSE, "build/web/package/index.js"));

const bp = await load();
const folder = mkdtempSync(join(tmpdir(), "playground-files-"));

function csvOf(pairs) {
    const lines = ["a,b"];
    for (let i = 0; i < pairs.length; i += 2) lines.push(`${pairs[i]},${pairs[i + 1]}`);
    return lines.join("\n") + "\n";
}

/** Our pairs of a file are those of the tool. Returns what was read. */
function compare(name, content) {
    const path = join(folder, name);
    writeFileSync(path, content);
    const data = readBoxes(new Uint8Array(content.buffer ? content : Buffer.from(content)).slice().buffer, name);
    const pairs = bp.pairs(data.boxes, { pairOrder: "sorted" });
    assert.equal(csvOf(pairs), nativePairs(path));
    assert.ok(pairs.length > 0);
    return data;
}

function random(count, columns, scale = 10) {
    let state = 7;
    return Float64Array.from({ length: count * columns }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return (scale * state) / 4294967296;
    });
}

function boxes(count) {
    const numbers = random(count, 6);
    for (let i = 0; i < numbers.length; ++i) if (i % 6 > 2) numbers[i] = numbers[i - 3] + numbers[i] / 8;
    return numbers;
}

function npy(array, columns) {
    return Buffer.concat(writeNpy(array, columns).map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
}

function rows(numbers, columns, separator) {
    const lines = [];
    for (let i = 0; i < numbers.length; i += columns) lines.push([...numbers.subarray(i, i + columns)].join(separator));
    return lines.join("\n");
}

test("CSV: boxes, spheres, headers, separators, walls, quotes", () => {
    compare("a.csv", rows(boxes(500), 6, ","));
    compare("b.csv", "\ufeffmin_x;min_y;min_z;max_x;max_y;max_z\r\n" + rows(boxes(300), 6, ";").replaceAll("\n", "\r\n"));
    const spheres = random(400, 4).map((value, i) => (i % 4 === 3 ? value / 9 : value));
    assert.equal(compare("c.csv", rows(spheres, 4, "\t") + "\n\n").shape, "spheres");
    compare("d.csv", "-inf,-inf,-inf,inf,inf,0\n" + rows(boxes(50), 6, ",") + '\n"1", "1" ,"0","2","2","9"\n');
});

test("NPY: 32 and 64 bits, boxes and spheres", () => {
    compare("a.npy", npy(Float32Array.from(boxes(500)), 6));
    assert.ok(compare("b.npy", npy(boxes(500), 6)).boxes instanceof Float64Array);
    compare(
        "c.npy",
        npy(
            Float32Array.from(random(400, 4), (value, i) => (i % 4 === 3 ? value / 9 : value)),
            4,
        ),
    );
});

test("OBJ: fans, numbers from the end, corners with textures", () => {
    const data = compare(
        "a.obj",
        "o x\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2//1 3 4\nv 5 5 5\nv 5 5.5 5\nv .5 .5 -1\nf -1 -2 -3\n",
    );
    assert.equal(data.triangles.length, 27);
});

const VERTICES = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0.5, 0.5, 1],
];
const FACES = [
    [0, 1, 2, 3],
    [0, 1, 4],
];
const HEADER = (format) => `ply
format ${format} 1.0
comment a pyramid
element vertex 5
property float x
property float y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
`;

function binaryPly(isLittle) {
    const bytes = new DataView(new ArrayBuffer(5 * 13 + 2 + 7 * 4));
    let at = 0;
    for (const vertex of VERTICES) {
        for (const value of vertex) bytes.setFloat32(((at += 4), at - 4), value, isLittle);
        bytes.setUint8(at++, 9);
    }
    for (const face of FACES) {
        bytes.setUint8(at++, face.length);
        for (const corner of face) bytes.setInt32(((at += 4), at - 4), corner, isLittle);
    }
    const format = isLittle ? "binary_little_endian" : "binary_big_endian";
    return Buffer.concat([Buffer.from(HEADER(format)), Buffer.from(bytes.buffer)]);
}

test("PLY: text, and bytes in both orders", () => {
    const text = [...VERTICES.map((v) => [...v, 9].join(" ")), ...FACES.map((f) => [f.length, ...f].join(" "))].join("\n");
    compare("a.ply", HEADER("ascii") + text + "\n");
    compare("b.ply", binaryPly(true));
    compare("c.ply", binaryPly(false));
});

/** What the tool says about a file, and what we say: pairs, or undefined where it is refused. */
function bothAnswers(path, name) {
    const answer = (ask) => {
        try {
            return ask();
        } catch (error) {
            return undefined;
        }
    };
    const ours = () =>
        csvOf(bp.pairs(readBoxes(new Uint8Array(readFileSync(path)).buffer, name).boxes, { pairOrder: "sorted" }));
    return [answer(() => nativePairs(path)), answer(ours)];
}

test("odd and broken files are read, or refused, as by the native tool", () => {
    for (const kind of ["csv", "npy", "mesh"]) {
        const corpus = join(HOUSE, "fuzz/corpus", kind);
        for (const name of readdirSync(corpus).filter((name) => name !== "only_header.csv")) {
            // nothing to show in that one
            const [native, ours] = bothAnswers(join(corpus, name), name);
            assert.equal(ours, native, name);
        }
    }
});

test("what is wrong with a file is said in a sentence, with its place", () => {
    const fail = (name, text, pattern) => {
        assert.throws(() => readBoxes(new Uint8Array(Buffer.from(text, "latin1")).buffer, name), pattern);
    };
    fail("a.txt", "", /a\.txt: expected a name that ends in/);
    fail("a.csv", "", /expected a row of numbers, found none/);
    fail("a.csv", "1,2,3\n", /a\.csv:1: expected 6 columns .* found 3/);
    fail("a.csv", "1,2,3,4,5,6\n1,2,3,4,5\n", /a\.csv:2: expected 6 columns as in the first row, found 5/);
    fail("a.csv", "1,2,3,4,5,6\n1,2,x,4,5,6\n", /a\.csv:2: expected a number in column 3/);
    fail("a.csv", "1,2,3,0,5,6\n", /a\.csv:1: min_x is 1 and max_x is 0/);
    fail("a.csv", "1,2,3,-1\n", /a\.csv:1: the radius is -1/);
    fail("a.npy", npy(new Float32Array(12), 6).toString("latin1").slice(0, -4), /expected 2 rows/);
    fail("a.obj", "v 0 0 0\nf 1 2 3\n", /a\.obj:2: the face names a vertex that is not there/);
    fail("a.obj", "v 0 0 0\ncurv 1\n", /a\.obj:2: expected v, f/);
    fail("a.ply", binaryPly(true).toString("latin1").slice(0, -2), /cut off/);
});
