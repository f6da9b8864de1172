// Colors of objects: three bytes each.

/** The color at t (0 .. 1) of a ramp of [red, green, blue] stops, evenly spaced. */
export function onRamp(ramp, t) {
    const at = Math.min(Math.max(t, 0), 1) * (ramp.length - 1);
    const low = Math.min(Math.floor(at), ramp.length - 2);
    const part = at - low;
    return ramp[low].map((value, i) => value + part * (ramp[low + 1][i] - value));
}

export function paint(colors, index, color) {
    colors[3 * index] = color[0];
    colors[3 * index + 1] = color[1];
    colors[3 * index + 2] = color[2];
}
