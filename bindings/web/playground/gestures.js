// Mouse, touch and keys on the picture, as movements of the camera.
//
//     drag, one finger, arrows       turn
//     wheel, two fingers, + and -    nearer and farther
//     drag with Shift or the right button, two fingers, Shift and arrows      shift
//     point, tap, Enter                point at something
import { orbit, pan, zoom } from "./camera.js";

const TURN = 5; // radians over the shorter side of the picture

function middle(points) {
    const sum = (key) => points.reduce((total, point) => total + point[key], 0) / points.length;
    return { x: sum("x"), y: sum("y") };
}

function spread(points) {
    return points.length < 2 ? 0 : Math.hypot(points[0].x - points[1].x, points[0].y - points[1].y);
}

function moveByPointers(camera, before, after, side, isShift) {
    const from = middle(before);
    const to = middle(after);
    const [x, y] = [(to.x - from.x) / side, (to.y - from.y) / side];
    if (after.length > 1 || isShift) pan(camera, 2 * x, -2 * y);
    else orbit(camera, -TURN * x, TURN * y);
    if (after.length > 1 && spread(after) > 0) zoom(camera, spread(before) / spread(after));
}

const KEYS = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
};

function moveByKey(camera, event) {
    if (event.key === "+" || event.key === "=") zoom(camera, 0.9);
    else if (event.key === "-") zoom(camera, 1 / 0.9);
    else if (KEYS[event.key] && event.shiftKey) pan(camera, 0.1 * -KEYS[event.key][0], 0.1 * -KEYS[event.key][1]);
    else if (KEYS[event.key]) orbit(camera, 0.1 * KEYS[event.key][0], 0.1 * KEYS[event.key][1]);
    else return false;
    return true;
}

const TAP = 8; // pixels that a finger moves when it taps

/** `pointed()` is told where somebody points at the picture: { x, y } in pixels, or null. */
export function listenToPointing(canvas, pointed) {
    let touched = null;
    const placeOf = ({ clientX, clientY }) => {
        const { left, top } = canvas.getBoundingClientRect();
        return { x: clientX - left, y: clientY - top };
    };
    canvas.addEventListener("pointerdown", (event) => {
        touched = event.isPrimary ? placeOf(event) : null;
        pointed(null); // what is dragged is not pointed at
    });
    canvas.addEventListener("pointermove", (event) => {
        if (event.pointerType === "mouse" && event.buttons === 0) pointed(placeOf(event));
    });
    canvas.addEventListener("pointerup", (event) => {
        const place = placeOf(event);
        if (touched && Math.hypot(place.x - touched.x, place.y - touched.y) < TAP) pointed(place);
    });
    canvas.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "mouse") pointed(null);
    });
    canvas.addEventListener("keydown", (event) => {
        if (event.key === "Enter") pointed({ x: 0.5 * canvas.clientWidth, y: 0.5 * canvas.clientHeight });
        if (event.key === "Escape") pointed(null);
    });
}

/** `camera()` returns the camera of the moment; `moved()` is told after each change, `done()` when the hand is off. */
export function listen(canvas, camera, moved, done) {
    const pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!pointers.has(event.pointerId)) return;
        const before = [...pointers.values()];
        pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        const side = Math.min(canvas.clientWidth, canvas.clientHeight);
        moveByPointers(camera(), before, [...pointers.values()], side, event.shiftKey || (event.buttons & 2) !== 0);
        moved();
    });
    for (const type of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(type, (event) => {
            if (pointers.delete(event.pointerId)) done();
        });
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
        "wheel",
        (event) => {
            event.preventDefault();
            zoom(camera(), Math.exp(0.0015 * Math.min(200, Math.max(-200, event.deltaY))));
            moved();
            done();
        },
        { passive: false },
    );
    canvas.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !moveByKey(camera(), event)) return;
        event.preventDefault();
        moved();
        done();
    });
}
