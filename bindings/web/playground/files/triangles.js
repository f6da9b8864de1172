// A mesh while it is read: vertices, and faces cut into fans of triangles around their first corner. The objects are the boxes
// of the triangles, in the order of the faces, as the library's own tool has them.
import { putTriangleBoxes } from "../scenes/boxes.js";

export class Mesh {
    vertices = [];
    corners = []; // three for each triangle
    faces = []; // for messages: which face a triangle is from

    addVertex(x, y, z) {
        this.vertices.push(x, y, z);
    }

    addFace(corners, where) {
        if (corners.length < 3) throw new Error(`${where}: expected a face of three corners or more, found ${corners.length}`);
        for (let i = 2; i < corners.length; ++i) {
            this.corners.push(corners[0], corners[i - 1], corners[i]);
            this.faces.push(where);
        }
    }

    /** What scenes/file.js takes. */
    finish(name) {
        if (this.faces.length === 0) throw new Error(`${name}: expected faces, found none; points alone have no boxes`);
        const triangles = new Float32Array(3 * this.corners.length);
        this.corners.forEach((corner, i) => {
            for (let axis = 0; axis < 3; ++axis) {
                const value = this.vertices[3 * corner + axis];
                if (!Number.isFinite(value)) {
                    throw new Error(
                        `${this.faces[Math.floor(i / 3)]}: the face names a vertex that is not there, or is not finite`,
                    );
                }
                triangles[3 * i + axis] = value;
            }
        });
        const boxes = new Float32Array(6 * this.faces.length);
        putTriangleBoxes(boxes, triangles, this.faces.length);
        return { boxes, triangles, shape: "triangles" };
    }
}
