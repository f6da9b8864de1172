// OBJ: lines "v X Y Z" are vertices, lines "f A B C ..." are faces. A corner is V, V/T, V//N or V/T/N, of which V counts: the
// number of a vertex from 1, or from the end of those so far, where -1 is the last one. Other words of meshes are left out.
import { Mesh } from "./triangles.js";

const LEFT_OUT = new Set(
    "vt vn vp g o s mg usemtl mtllib l p lod usemap maplib shadow_obj trace_obj bevel c_interp d_interp call".split(" "),
);

function cornerOf(word, vertexCount, where) {
    const number = /^[+-]?\d+(\/[+-]?\d*){0,2}$/.test(word) ? parseInt(word, 10) : 0;
    if (number === 0 || number < -vertexCount) throw new Error(`${where}: expected the number of a vertex, found '${word}'`);
    return number > 0 ? number - 1 : vertexCount + number;
}

export function readObj(text, name) {
    const mesh = new Mesh();
    text.split(/\r?\n/).forEach((line, index) => {
        const words = line.trim().split(/[ \t]+/);
        const where = `${name}:${index + 1}`;
        if (words[0] === "" || words[0].startsWith("#")) return;
        if (words[0] === "v") {
            const place = words.slice(1, 4).map(Number);
            if (place.length < 3 || place.some(Number.isNaN)) throw new Error(`${where}: expected three numbers behind v`);
            mesh.addVertex(...place);
        } else if (words[0] === "f") {
            mesh.addFace(
                words.slice(1).map((word) => cornerOf(word, mesh.vertices.length / 3, where)),
                where,
            );
        } else if (!LEFT_OUT.has(words[0])) {
            throw new Error(
                `${where}: expected v, f, or another word of OBJ meshes, found '${words[0].slice(0, 40)}'; save the mesh as triangles`,
            );
        }
    });
    return mesh.finish(name);
}
