// broadphase: of all these boxes, which pairs overlap? index.d.ts is the manual.
import { BroadphaseError } from "./error.js";
import { Broadphase } from "./library.js";
import { hasSimd } from "./simd.js";

export { BroadphaseError, hasSimd };

const isNode = typeof process === "object" && process.versions?.node !== undefined;

// A bundler for browsers need not look for node's own modules.
async function readFile(file) {
    const name = "node:fs/promises";
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)).readFile(file);
}

const isAddress = (text) => /^[a-z][a-z0-9+.-]+:/i.test(text);

// Compiles what an address, a file's path or a response leads to.
async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    if (typeof source === "string" || source instanceof URL) {
        const url = typeof source === "string" && isAddress(source) ? new URL(source) : source;
        if (isNode && (typeof url === "string" || url.protocol === "file:")) return compile(await readFile(url));
        return compile(await fetch(url));
    }
    if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
    return WebAssembly.compile(await source.arrayBuffer());
}

// Each is an address of its own, so that bundlers find both files.
const fileOf = (simd) =>
    simd ? new URL("./broadphase.wasm", import.meta.url) : new URL("./broadphase-plain.wasm", import.meta.url);

export async function load({ from, simd = hasSimd(), maximumMemory } = {}) {
    const module = await compile(from === undefined ? fileOf(simd) : await from);
    return Broadphase.begin(module, maximumMemory);
}
