// Grains: they fall, rest on what is fixed, and lose energy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSame, makeRandom, simd, ways } from "./support.js";

function column(count) {
    const random = makeRandom(5);
    const side = Math.ceil(Math.cbrt(count));
    const cell = (i) => [i % side, Math.floor(i / side) % side, Math.floor(i / side / side) + 0.5];
    return Array.from({ length: count }, (_, i) => cell(i).map((x) => 2.2 * x + 0.1 * random())).flat();
}

const walls = [
    { axis: 2, at: 0, side: 1 }, { axis: 0, at: -2, side: 1 }, { axis: 0, at: 20, side: -1 }, { axis: 1, at: -2, side: 1 },
    { axis: 1, at: 20, side: -1 },
];

test("a column falls, loses energy, and stays between its walls; the same bits in every way", () => {
    const results = ways.map(({ bp }) => {
        const grains = new bp.Grains({ places: column(300), radii: 1, walls });
        const before = grains.energy;
        grains.step(400);
        assert.ok(grains.energy < before);
        assert.ok(grains.touchingCount > 100);
        assert.equal(grains.touching().length, 2 * grains.touchingCount);
        assert.ok(grains.searches > 1 && grains.searches < 400);
        const places = grains.places();
        for (let i = 0; i < places.length; ++i) assert.ok(places[i] > [-1.5, -1.5, 0.5][i % 3] && places[i] < 20, String(places[i]));
        grains.dispose();
        return places;
    });
    for (const places of results) assert.ok(isSame(places, results[0]));
});

test("what is fixed stays, and carries the others", () => {
    const bowl = [];
    for (let x = -6; x <= 6; ++x) for (let y = -6; y <= 6; ++y) bowl.push(1.2 * x, 1.2 * y, 0.08 * (x * x + y * y));
    const falling = [0, 0, 4, 0.3, 0, 6.5, 0, 0.3, 9];
    const fixed = Array.from({ length: bowl.length / 3 + 3 }, (_, i) => i < bowl.length / 3);
    const grains = new simd.Grains({ places: [...bowl, ...falling], radii: 1, fixed, restitution: 0.1 });
    grains.step(3000);
    const places = grains.places(new Float32Array(3 * grains.count));
    assert.deepEqual(places.slice(0, bowl.length), Float32Array.from(bowl));
    for (let i = bowl.length; i < places.length; i += 3) assert.ok(places[i + 2] > 0.5 && places[i + 2] < 9);
    for (const speed of grains.speeds()) assert.ok(Math.abs(speed) < 0.5);
    assert.equal(grains.spins().length, 3 * grains.count);
});
