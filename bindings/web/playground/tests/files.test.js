// The readers of files, in node, against the native tool's.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadReaders, readBoxes } from "../files/read.js";
import { writeNpy } from "../files/npy.js";
import { HOUSE, nativeAnswer, nativePairs } from "./browser.js";
const { load } = await import(join(HOUSE, "build/web/package/index.js"));

const bp = await load();
await loadReaders(readFileSync(join(HOUSE, "build/web/playground/readers.wasm")));
const folder = mkdtempSync(join(tmpdir(), "playground-files-"));

function csvOf(pairs) {
    const lines = ["a,b"];
    for (let i = 0; i < pairs.length; i += 2) lines.push(`${pairs[i]},${pairs[i + 1]}`);
    return lines.join("\n") + "\n";
}

/** Our pairs of a file are those of the tool. Returns what was read. */
async function compare(name, content, dimensions = 3) {
    const path = join(folder, name);
    writeFileSync(path, content);
    const data = await readBoxes(new Uint8Array(readFileSync(path)).buffer, name, dimensions);
    const pairs = bp.pairs(data.boxes, { pairOrder: "sorted" });
    assert.equal(csvOf(pairs), nativePairs(path, dimensions));
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

test("CSV: boxes, spheres, headers, separators, walls, quotes", async () => {
    await compare("a.csv", rows(boxes(500), 6, ","));
    await compare("b.csv", "\ufeffmin_x;min_y;min_z;max_x;max_y;max_z\r\n" + rows(boxes(300), 6, ";").replaceAll("\n", "\r\n"));
    const spheres = random(400, 4).map((value, i) => (i % 4 === 3 ? value / 9 : value));
    assert.equal((await compare("c.csv", rows(spheres, 4, "\t") + "\n\n")).shape, "spheres");
    await compare("d.csv", "-inf,-inf,-inf,inf,inf,0\n" + rows(boxes(50), 6, ",") + '\n"1", "1" ,"0","2","2","9"\n');
});

test("NPY: 32 and 64 bits, boxes and spheres", async () => {
    await compare("a.npy", npy(Float32Array.from(boxes(500)), 6));
    assert.ok((await compare("b.npy", npy(boxes(500), 6))).boxes instanceof Float64Array);
    await compare(
        "c.npy",
        npy(
            Float32Array.from(random(400, 4), (value, i) => (i % 4 === 3 ? value / 9 : value)),
            4,
        ),
    );
});

test("OBJ: fans, numbers from the end, corners with textures", async () => {
    const data = await compare(
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

test("PLY: text, and bytes in both orders", async () => {
    const text = [...VERTICES.map((v) => [...v, 9].join(" ")), ...FACES.map((f) => [f.length, ...f].join(" "))].join("\n");
    await compare("a.ply", HEADER("ascii") + text + "\n");
    await compare("b.ply", binaryPly(true));
    await compare("c.ply", binaryPly(false));
});

test("PLY: strips of triangles, which face the same way", async () => {
    const strips = [0, 1, 2, 4, -1, 0, 3, 2, -1];
    const header = HEADER("ascii").replace("face 2", "tristrips 1").replace("uchar int", "int int");
    const vertices = VERTICES.map((v) => [...v, 9].join(" ")).join("\n");
    const data = await compare("strips.ply", `${header}${vertices}\n${[strips.length, ...strips].join(" ")}\n`);
    const triangles = [0, 1, 2, 2, 1, 4, 0, 3, 2];
    assert.deepEqual([...data.triangles], triangles.flatMap((corner) => VERTICES[corner]));
});

test("four columns are rectangles where a header or the dimensions say so, and spheres otherwise", async () => {
    const numbers = boxes(300).filter((_, i) => i % 3 !== 2);
    const tiles = rows(numbers, 4, ",");
    const expected = bp.pairs(numbers, { dimensions: 2 }).length;
    for (const [name, content, dimensions] of [
        ["tiles.csv", tiles, 2],
        ["named.csv", `minx,miny,maxx,maxy\n${tiles}`, 2],
        ["named_only.csv", `minx,miny,maxx,maxy\n${tiles}`, 3],
        ["turned.csv", `maxx,maxy,minx,miny\n${rows(numbers.map((_, i) => numbers[i ^ 2]), 4, ",")}`, 2],
        ["tiles.npy", npy(numbers, 4), 2],
    ]) {
        const data = await compare(name, content, dimensions);
        assert.equal(data.shape, "boxes", name);
        assert.equal(bp.pairs(data.boxes).length, expected, name);
    }
    assert.equal((await compare("balls.csv", tiles, 3)).shape, "spheres");
    const ambiguous = readBoxes(new TextEncoder().encode("min_x,y,max_x,radius\n1,2,3,4\n").buffer, "a.csv", 2);
    await assert.rejects(ambiguous, { message: /^a\.csv:1: / });
});

test("two dimensions: boxes and meshes are those of the native tool, and lie flat", async () => {
    const files = {
        "flat.csv": rows(boxes(300), 6, ","),
        "flat.npy": npy(boxes(300), 6),
        "flat.obj": "v 0 0 0\nv 1 0 5\nv 1 1 9\nv 0 1 0\nf 1 2 3\nf 1 3 4\n",
    };
    for (const [name, content] of Object.entries(files)) {
        const data = await compare(name, content, 2);
        assert.ok(data.boxes.every((value, i) => i % 3 !== 2 || value === 0));
    }
});

test("odd and broken files are read, or refused in the same words, as by the native tool", async () => {
    for (const kind of ["csv", "npy", "mesh"]) {
        const corpus = join(HOUSE, "fuzz/corpus", kind);
        for (const name of readdirSync(corpus)) {
            for (const dimensions of [3, 2]) {
                const path = join(corpus, name);
                const ours = readBoxes(new Uint8Array(readFileSync(path)).buffer, path, dimensions).then(
                    ({ boxes }) => csvOf(bp.pairs(boxes, { pairOrder: "sorted" })),
                    (error) => `broadphase: ${error.message}\n`,
                );
                assert.equal(await ours, nativeAnswer(path, dimensions), `${name}, ${dimensions}`);
            }
        }
    }
});

test("what is wrong with a file is said in a sentence, with its place", async () => {
    const fail = (name, text, message) =>
        assert.rejects(readBoxes(new Uint8Array(Buffer.from(text, "latin1")).buffer, name, 3), { message });
    await fail("a.txt", "", /^a\.txt: unknown file type; expected a name ending in /);
    await fail("a.csv", "", /^a\.csv: is empty/);
    await fail("a.csv", "1,2,3\n", /^a\.csv:1: expected 6 columns .* found 3/);
    await fail("a.csv", "1,2,3,4,5,6\n1,2,x,4,5,6\n", /^a\.csv:2: expected a number in column 3/);
    await fail("a.npy", npy(new Float32Array(12), 6).toString("latin1").slice(0, -4), /announces 2 rows/);
    await fail("a.obj", "v 0 0 0\nf 1 2 3\n", /^a\.obj:2: the face names vertex 2/);
    await fail("a.ply", binaryPly(true).toString("latin1").slice(0, -2), /truncated/);
});
