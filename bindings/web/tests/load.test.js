// Loading: from files, addresses, bytes, responses, inlined; the package as npm packs it; its types.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { hasSimd, house, load, packageFolder, plain, simd } from "./support.js";

const cubes = new Float32Array([0, 0, 0, 2, 2, 2, 1, 1, 1, 3, 3, 3]);
const works = (bp) => assert.deepEqual(bp.pairs(cubes), Uint32Array.of(0, 1));
const file = `${packageFolder}broadphase.wasm`;
const bytes = readFileSync(file);

test("from a file, an address, bytes, a module, a response", async () => {
    const sources = [
        file, pathToFileURL(file), pathToFileURL(file).href, bytes, Uint8Array.from(bytes).buffer, await WebAssembly.compile(bytes),
        new Response(bytes), Promise.resolve(new Response(bytes)),
    ];
    for (const from of sources) works(await load({ from }));
    const server = createServer((_, response) => response.end(bytes)).listen(0);
    await new Promise((listening) => server.once("listening", listening));
    works(await load({ from: `http://localhost:${server.address().port}/broadphase.wasm` }));
    server.close();
    await assert.rejects(load({ from: `${packageFolder}nothing.wasm` }), { code: "ENOENT" });
    await assert.rejects(load({ from: new Response("", { status: 404 }) }), /404/);
});

test("with SIMD and without, inlined", async () => {
    assert.ok(hasSimd());
    assert.equal(simd.simd, true);
    assert.equal(plain.simd, false);
    assert.throws(() => plain.pairs(cubes, { simd: "wasm" }), { status: "unsupported" });
    const inline = await import(`${packageFolder}inline.js`);
    for (const wanted of [true, false]) {
        const bp = await inline.load({ simd: wanted });
        assert.equal(bp.simd, wanted);
        works(bp);
    }
});

// node compiles vectors only for processors with SSE 4.1; on others the flag changes nothing.
test("where there is no SIMD, the plain module is loaded", { skip: process.arch !== "x64" }, () => {
    const script = `import { load, hasSimd } from ${JSON.stringify(packageFolder + "index.js")};
        const bp = await load();
        console.log(hasSimd(), bp.simd, bp.pairs([0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]).join());`;
    const words = ["--no-enable-sse4-1", "--input-type=module", "-e", script];
    assert.equal(execFileSync(process.execPath, words, { encoding: "utf8" }).trim(), "false false 0,1");
});

test("two of them share nothing", async () => {
    const [one, other] = [await load(), await load()];
    const world = new one.World();
    world.add(cubes);
    new other.World().dispose();
    assert.equal(world.update().pairs.length, 2);
});

test("npm packs it, and what it packs can be imported by name", () => {
    const folder = `${house}build/web/tests/packed`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(`${folder}/node_modules/broadphase`, { recursive: true });
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: packageFolder, stdio: "pipe" });
    const { version } = JSON.parse(readFileSync(`${packageFolder}package.json`, "utf8"));
    assert.equal(version, simd.version);
    const packed = `${folder}/broadphase-${version}.tgz`;
    execFileSync("tar", ["-xzf", packed, "--strip-components=1", "-C", `${folder}/node_modules/broadphase`]);
    writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
    for (const name of ["broadphase", "broadphase/inline"]) {
        const script = `import { load } from "${name}"; console.log((await load()).pairs([0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2]).join());`;
        const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" });
        assert.equal(said.trim(), "0,1");
    }
});

test("the first lines of the README work", () => {
    const [, lines] = readFileSync(`${house}bindings/web/README.md`, "utf8").match(/```js\n(.*?)```/s);
    const folder = `${house}build/web/tests/packed`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", lines], { cwd: folder, encoding: "utf8" });
    assert.match(said, /^Uint32Array\(\d+\)/);
});

test("the types are right, and complete", () => {
    const compiler = `${house}build/web/test-tools/node_modules/typescript/bin/tsc`;
    const words = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"];
    execFileSync(process.execPath, [compiler, ...words, `${house}bindings/web/tests/types.ts`], { stdio: "inherit" });
    const types = readFileSync(`${packageFolder}index.d.ts`, "utf8");
    const members = (name) => {
        const [, body] = types.match(new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, "s"));
        return new Set([...body.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member).filter((member) => member !== "new"));
    };
    const grains = new simd.Grains({ places: [0, 0, 0], radii: 1 });
    const world = new simd.World();
    const made = { Broadphase: simd, World: world, Update: world.update(), Floats: new simd.Floats(3), Grains: grains };
    for (const [name, object] of Object.entries(made)) {
        for (const member of members(name)) assert.ok(member in object, `${name}.${member} is declared, and not there`);
        const own = [...Object.getOwnPropertyNames(Object.getPrototypeOf(object)), ...Object.keys(object)];
        const declared = members(name);
        for (const member of own) assert.ok(member === "constructor" || declared.has(member), `${name}.${member} is not declared`);
    }
});
