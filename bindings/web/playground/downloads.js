// What the reader takes home: pairs and boxes, in the formats of the library's tool.
import { writeNpy } from "./files/npy.js";

function save(name, parts) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(parts));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function csvOfPairs(pairs) {
    const lines = ["a,b"];
    for (let i = 0; i < pairs.length; i += 2) lines.push(`${pairs[i]},${pairs[i + 1]}`);
    return lines.join("\n") + "\n";
}

export function savePairs(pairs, format, name) {
    save(`${name}-pairs.${format}`, format === "npy" ? writeNpy(pairs, 2) : [csvOfPairs(pairs)]);
}

export function saveBoxes(boxes, name) {
    save(`${name}-boxes.npy`, writeNpy(boxes, 6));
}
