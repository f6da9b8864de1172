// What the graphics processor runs. Every object is an instance: its box, its color, its glow; corners follow from gl_VertexID.
//
//     boxes       a strip of 14 corners around a cube
//     spheres     a square that faces the eye; each of its pixels looks for the sphere along its own ray
//     triangles   three corners, given
//     halos       a soft square around what glows, added on top

const HEAD = `#version 300 es
precision highp float;
uniform mat4 toView, toClip;
uniform vec3 eye, background, glowColor, seenColor, ambient;
uniform float distance0, radius0, pixel, scale, haloSize, haloStrength, haloCover, seen;
const float SEEN = 2.0; // the glow of what a ray hits: more than any other
`;

const INSTANCE = `
layout(location = 0) in vec3 low;
layout(location = 1) in vec3 high;
layout(location = 2) in vec3 color;
layout(location = 3) in float glow;
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);

float glowNow() {
    return float(gl_InstanceID) == seen ? SEEN : glow;
}
bool isFinite() {
    return !any(isinf(low)) && !any(isinf(high));
}
// A few directions of a square: two triangles.
vec2 squareCorner(int id) {
    return vec2(id == 1 || id == 2 || id == 4 ? 1.0 : -1.0, id == 2 || id == 4 || id == 5 ? 1.0 : -1.0);
}
`;

// Light from above and from the side of the eye; then haze with distance, and the glow.
const LIGHT = `
vec3 lit(vec3 base, float glow, vec3 normal, vec3 place, float shade) {
    vec3 light = normalize(vec3(0.35, -0.25, 0.9));
    vec3 toEye = normalize(eye - place);
    float day = 0.55 * max(0.0, dot(normal, light)) + 0.3 * max(0.0, dot(normal, toEye));
    vec3 plain = base * (ambient * (0.7 + 0.3 * normal.z) + day) * shade;
    vec3 hot = (glow == SEEN ? seenColor : glowColor) * (0.62 + 0.5 * day) * (0.5 + 0.5 * shade);
    vec3 result = mix(plain, hot, min(glow, 1.0));
    float haze = smoothstep(distance0 - 0.4 * radius0, distance0 + 1.9 * radius0, length(eye - place));
    return mix(result, background, 0.72 * haze);
}
`;

export const BOXES = {
    corners: 14,
    strip: true,
    vertex: `${HEAD}${INSTANCE}
out vec3 vPlace, vCorner, vColor;
flat out float vGlow;
// The bits of x, y and z of the 14 corners of a strip around a cube.
void main() {
    int bit = 1 << gl_VertexID;
    vec3 corner = vec3((0x287a & bit) != 0, (0x02af & bit) != 0, (0x31e3 & bit) != 0);
    vCorner = 2.0 * corner - 1.0;
    vec3 middle = 0.5 * (low + high);
    vPlace = middle + scale * (mix(low, high, corner) - middle);
    vColor = color;
    vGlow = glowNow();
    gl_Position = isFinite() ? toClip * toView * vec4(vPlace, 1.0) : NOWHERE;
}`,
    fragment: `${HEAD}${LIGHT}
in vec3 vPlace, vCorner, vColor;
flat in float vGlow;
out vec4 result;
void main() {
    vec3 size = abs(vCorner);
    float most = max(size.x, max(size.y, size.z));
    vec3 normal = sign(vCorner) * step(vec3(most - 1e-4), size);
    // the second largest is 1 at an edge of the face
    float edge = size.x + size.y + size.z - most - min(size.x, min(size.y, size.z));
    float line = smoothstep(1.0 - clamp(2.0 * fwidth(edge), 0.0, 0.35), 1.0, edge) * (1.0 - smoothstep(0.15, 0.5, fwidth(edge)));
    result = vec4(lit(vColor, vGlow, normalize(normal), vPlace, 1.0 - 0.35 * line), 1.0);
}`,
};

export const SPHERES = {
    corners: 6,
    vertex: `${HEAD}${INSTANCE}
out vec3 vView, vColor;
flat out vec3 vCenter;
flat out float vRadius;
flat out float vGlow;
void main() {
    vec3 center = (toView * vec4(0.5 * (low + high), 1.0)).xyz;
    vRadius = max(0.5 * scale * (high.x - low.x), 0.75 * pixel * -center.z); // nothing is smaller than a pixel
    float far = length(center);
    vec3 forward = center / far;
    vec3 side = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
    vec2 corner = squareCorner(gl_VertexID);
    // the square touches the sphere in front, and is as wide as the sphere looks from there
    float wide = vRadius * sqrt(max(0.0, (far - vRadius) / (far + vRadius)));
    vView = center - vRadius * forward + wide * (corner.x * side + corner.y * cross(side, forward));
    vCenter = center;
    vColor = color;
    vGlow = glowNow();
    gl_Position = isFinite() && far > vRadius ? toClip * vec4(vView, 1.0) : NOWHERE;
}`,
    fragment: `${HEAD}${LIGHT}
in vec3 vView, vColor;
flat in vec3 vCenter;
flat in float vRadius;
flat in float vGlow;
out vec4 result;
void main() {
    vec3 ray = normalize(vView);
    float along = dot(ray, vCenter);
    float depth = vRadius * vRadius - dot(vCenter, vCenter) + along * along;
    if (depth < 0.0) discard;
    vec3 hit = (along - sqrt(depth)) * ray;
    vec4 clip = toClip * vec4(hit, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
    mat3 toScene = transpose(mat3(toView));
    vec3 normal = toScene * ((hit - vCenter) / vRadius);
    float rim = 1.0 - 0.35 * pow(1.0 - max(0.0, dot(normal, -toScene * ray)), 3.0);
    result = vec4(lit(vColor, vGlow, normal, eye + toScene * hit, rim), 1.0);
}`,
};

export const TRIANGLES = {
    corners: 3,
    vertex: `${HEAD}${INSTANCE}
layout(location = 4) in vec3 first;
layout(location = 5) in vec3 second;
layout(location = 6) in vec3 third;
out vec3 vPlace, vColor;
flat out vec3 vNormal;
flat out float vGlow;
void main() {
    vPlace = gl_VertexID == 0 ? first : gl_VertexID == 1 ? second : third;
    vec3 across = cross(second - first, third - first);
    vNormal = length(across) > 0.0 ? normalize(across) : vec3(0.0, 0.0, 1.0);
    vColor = color;
    vGlow = glowNow();
    gl_Position = toClip * toView * vec4(vPlace, 1.0);
}`,
    fragment: `${HEAD}${LIGHT}
in vec3 vPlace, vColor;
flat in vec3 vNormal;
flat in float vGlow;
out vec4 result;
void main() {
    vec3 normal = dot(vNormal, eye - vPlace) < 0.0 ? -vNormal : vNormal; // both sides are seen
    result = vec4(lit(vColor, vGlow, normal, vPlace, 1.0), 1.0);
}`,
};

export const HALOS = {
    corners: 6,
    vertex: `${HEAD}${INSTANCE}
out vec2 vCorner;
flat out float vGlow;
void main() {
    vec3 center = (toView * vec4(0.5 * (low + high), 1.0)).xyz;
    float size = haloSize * (0.5 * length(high - low) + 2.0 * pixel * -center.z);
    size = min(size, 0.12 * radius0); // a giant's would hide everything
    vCorner = squareCorner(gl_VertexID);
    vGlow = glowNow();
    vec3 place = center + size * vec3(vCorner, 0.0);
    gl_Position = isFinite() && vGlow > 0.2 ? toClip * vec4(place, 1.0) : NOWHERE;
}`,
    fragment: `${HEAD}
in vec2 vCorner;
flat in float vGlow;
out vec4 result;
void main() {
    float fall = max(0.0, 1.0 - length(vCorner));
    bool isSeen = vGlow == SEEN;
    float strength = (isSeen ? 0.6 : haloStrength * vGlow) * fall * fall;
    result = vec4((isSeen ? seenColor : glowColor) * strength, haloCover * strength);
}`,
};
