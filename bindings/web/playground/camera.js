// A camera that goes around a point: yaw, pitch and distance; z is up. Matrices have 16 numbers, column after column, as WebGL
// takes them.
const FIELD = 0.75; // of view, in radians, along the shorter side of the picture
const MOST_PITCH = 1.5;

function clamp(value, low, high) {
    return Math.min(high, Math.max(low, value));
}

/** The directions of the picture in the scene: to its right, up, and towards the eye. */
export function axesOf({ yaw, pitch }) {
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    return { right: [-sy, cy, 0], up: [-cy * sp, -sy * sp, cp], back: [cy * cp, sy * cp, sp] };
}

function dot(a, b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** What the shaders need: matrices, the eye's place, and the size of a pixel at distance 1. `view` is the scene's. */
export function lensOf(camera, view, width, height) {
    const { right, up, back } = axesOf(camera);
    const center = view.center.map((value, axis) => value + view.radius * camera.target[axis]);
    const distance = camera.distance * view.radius;
    const eye = center.map((value, axis) => value + distance * back[axis]);
    const near = Math.max(distance - 3 * view.radius, 0.01 * view.radius);
    const far = distance + 30 * view.radius;
    const half = Math.tan(FIELD / 2);
    const scale = Math.min(width, height) / half; // pixels for a slope of 1, times two
    const toView = [
        right[0],
        up[0],
        back[0],
        0,
        right[1],
        up[1],
        back[1],
        0,
        right[2],
        up[2],
        back[2],
        0,
        -dot(right, eye),
        -dot(up, eye),
        -dot(back, eye),
        1,
    ];
    const toClip = [
        scale / width,
        0,
        0,
        0,
        0,
        scale / height,
        0,
        0,
        0,
        0,
        (near + far) / (near - far),
        -1,
        0,
        0,
        (2 * near * far) / (near - far),
        0,
    ];
    return { toView, toClip, eye, distance, pixel: 2 / scale, radius: view.radius };
}

/** The ray through a place of the picture, in pixels from its left upper corner. */
export function rayAt(camera, view, width, height, x, y) {
    const { right, up, back } = axesOf(camera);
    const { eye, pixel } = lensOf(camera, view, width, height);
    const [toRight, toTop] = [(x - 0.5 * width) * pixel, (0.5 * height - y) * pixel];
    const way = back.map((value, axis) => toRight * right[axis] + toTop * up[axis] - value);
    const length = Math.hypot(...way);
    return { origin: eye, direction: way.map((value) => value / length) };
}

/** Turns by angles. */
export function orbit(camera, yaw, pitch) {
    camera.yaw = (camera.yaw + yaw) % (2 * Math.PI);
    camera.pitch = clamp(camera.pitch + pitch, -MOST_PITCH, MOST_PITCH);
}

export function zoom(camera, factor) {
    camera.distance = clamp(camera.distance * factor, 0.05, 20);
}

/** Shifts the picture: 1 is half its shorter side. */
export function pan(camera, x, y) {
    const { right, up } = axesOf(camera);
    const size = camera.distance * Math.tan(FIELD / 2);
    camera.target = camera.target.map((value, axis) => value - size * (x * right[axis] + y * up[axis]));
}
