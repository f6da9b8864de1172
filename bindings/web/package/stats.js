// Figures, as web_figures of src/find.c lists them.
const words = [
    "method", "update", "objects", "pairs", "tests", "bytes", "levels", "cells", "occupied", "objectsPerCellMax",
    "objectsPerCell", "buildSeconds", "findSeconds",
];
const updates = ["automatic", "individual", "rebuild"];

export function readStats(heap, address) {
    const at = heap.get("web_figures", address) >>> 3;
    const stats = Object.fromEntries(words.map((word, i) => [word, heap.views.f64[at + i]]));
    stats.method = heap.text(heap.get("web_method_name", stats.method));
    stats.update = updates[stats.update];
    return stats;
}

export function readExplanation(heap, address) {
    const text = heap.get("web_explain", address);
    if (text === 0) throw heap.error(4);
    const explanation = heap.text(text);
    heap.release(text);
    return explanation;
}
