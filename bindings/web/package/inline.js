// The same as index.js, with the WebAssembly inside: no files, no addresses.
import { load as loadFrom } from "./index.js";
import { hasSimd } from "./simd.js";

export { BroadphaseError, hasSimd } from "./index.js";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

export async function load({ from, simd = hasSimd(), maximumMemory } = {}) {
    const { base64 } = simd ? await import("./inlined-simd.js") : await import("./inlined-plain.js");
    return loadFrom({ from: from ?? bytesOf(base64), maximumMemory });
}
