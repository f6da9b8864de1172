// Draws the boxes of a frame with WebGL2: an instance of a shape for each object, straight from the array that the library saw.
import { lensOf } from "./camera.js";
import { BOXES, HALOS, SPHERES, TRIANGLES } from "./shaders.js";

const MOST_PIXELS_PER_POINT = 2;
const MANY = 10000; // objects

// Places of what an instance has, in shaders.js.
const ATTRIBUTES = [
    { at: 0, buffer: "boxes", size: 3, stride: 24, offset: 0 },
    { at: 1, buffer: "boxes", size: 3, stride: 24, offset: 12 },
    { at: 2, buffer: "colors", size: 3, stride: 3, offset: 0, bytes: true },
    { at: 3, buffer: "glow", size: 1, stride: 1, offset: 0, bytes: true },
    { at: 4, buffer: "triangles", size: 3, stride: 36, offset: 0 },
    { at: 5, buffer: "triangles", size: 3, stride: 36, offset: 12 },
    { at: 6, buffer: "triangles", size: 3, stride: 36, offset: 24 },
];

function compile(gl, type, source) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
}

class Program {
    constructor(gl, { vertex, fragment, corners, strip }) {
        this.handle = gl.createProgram();
        this.corners = corners;
        this.mode = strip ? gl.TRIANGLE_STRIP : gl.TRIANGLES;
        gl.attachShader(this.handle, compile(gl, gl.VERTEX_SHADER, vertex));
        gl.attachShader(this.handle, compile(gl, gl.FRAGMENT_SHADER, fragment));
        gl.linkProgram(this.handle);
        this.places = {};
        const count = gl.getProgramParameter(this.handle, gl.ACTIVE_UNIFORMS) ?? 0;
        for (let i = 0; i < count; ++i) {
            const { name } = gl.getActiveUniform(this.handle, i);
            this.places[name] = gl.getUniformLocation(this.handle, name);
        }
    }

    set(gl, name, value) {
        const place = this.places[name];
        if (!place) return;
        if (typeof value === "number") gl.uniform1f(place, value);
        else if (value.length === 3) gl.uniform3fv(place, value);
        else gl.uniformMatrix4fv(place, false, value);
    }
}

export class Renderer {
    /** Throws if there is no WebGL2. */
    constructor(canvas) {
        this.canvas = canvas;
        this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
        if (!this.gl) throw new Error("no WebGL2");
        this.begin();
        canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
        canvas.addEventListener("webglcontextrestored", () => {
            this.begin();
            if (this.scene) this.useScene(this.scene);
        });
    }

    begin() {
        const { gl } = this;
        this.programs = {
            boxes: new Program(gl, BOXES),
            spheres: new Program(gl, SPHERES),
            triangles: new Program(gl, TRIANGLES),
            halos: new Program(gl, HALOS),
        };
        this.buffers = {};
        for (const name of ["boxes", "colors", "glow", "triangles"]) this.buffers[name] = gl.createBuffer();
        for (const { at } of ATTRIBUTES) gl.vertexAttribDivisor(at, 1);
        gl.enable(gl.DEPTH_TEST);
    }

    fill(name, array) {
        const { gl } = this;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
        gl.bufferData(gl.ARRAY_BUFFER, array, gl.STREAM_DRAW);
    }

    /** { count, colors, parts, view } */
    useScene(scene) {
        this.scene = scene;
        this.hasFrame = false;
        this.fill("colors", scene.colors);
    }

    useFrame({ boxes, glow, triangles }) {
        this.fill("boxes", boxes);
        this.fill("glow", glow);
        if (triangles) this.fill("triangles", triangles);
        this.hasFrame = true;
    }

    /** Instances from `first` on, for what this shape needs. */
    point(first, withTriangles) {
        const { gl } = this;
        for (const { at, buffer, size, stride, offset, bytes } of ATTRIBUTES) {
            if (buffer === "triangles" && !withTriangles) {
                gl.disableVertexAttribArray(at);
                continue;
            }
            gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[buffer]);
            gl.vertexAttribPointer(
                at,
                size,
                bytes ? gl.UNSIGNED_BYTE : gl.FLOAT,
                Boolean(bytes),
                stride,
                offset + first * stride,
            );
            gl.enableVertexAttribArray(at);
        }
    }

    drawPart(name, part, uniforms) {
        const { gl } = this;
        const program = this.programs[name];
        gl.useProgram(program.handle);
        for (const [word, value] of Object.entries(uniforms)) program.set(gl, word, value);
        program.set(gl, "scale", part.scale ?? 1);
        program.set(gl, "seen", uniforms.seenId - part.first);
        this.point(part.first, name === "triangles");
        gl.drawArraysInstanced(program.mode, 0, program.corners, part.count);
    }

    fit() {
        const { canvas } = this;
        const density = Math.min(devicePixelRatio || 1, MOST_PIXELS_PER_POINT);
        const width = Math.max(1, Math.round(canvas.clientWidth * density));
        const height = Math.max(1, Math.round(canvas.clientHeight * density));
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
    }

    /** `shape`: "scene", or what all are drawn as. `colors`: those of theme.js. `seenId`: the object that a ray hits, or -1. */
    draw(camera, shape, colors, seenId) {
        const { gl, canvas, scene } = this;
        this.fit();
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(...colors.background, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        if (!scene || !this.hasFrame) return;
        const lens = lensOf(camera, scene.view, canvas.width, canvas.height);
        const haloStrength = 0.24 * Math.min(1, Math.sqrt(MANY / scene.count)); // where there are many, halos lie on halos
        const uniforms = { ...lens, ...colors, seenId, distance0: lens.distance, radius0: lens.radius, haloSize: 2, haloStrength };
        for (const part of scene.parts) this.drawPart(shape === "scene" ? part.shape : shape, part, uniforms);
        gl.enable(gl.BLEND);
        gl.depthMask(false);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        for (const part of scene.parts.filter(({ hasNoHalo }) => !hasNoHalo)) this.drawPart("halos", part, uniforms);
        gl.depthMask(true);
        gl.disable(gl.BLEND);
    }
}
