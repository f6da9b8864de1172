// The page in Chromium: pictures, figures, controls, keys, files, links.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
    HOUSE,
    addressOf,
    begin,
    download,
    nativePairs,
    numberOf,
    openPage,
    pictureOf,
    textOf,
    waitForAddress,
    waitForRest,
    waitForText,
    withoutPicture,
} from "./browser.js";

let chromium;
before(async () => (chromium = await begin()));
after(() => chromium.end());

/** A test with a page of its own, that must have had no complaints at its end. */
function pageTest(name, hash, options, body) {
    test(name, async () => {
        const page = await openPage(chromium, hash, options);
        await body(page);
        assert.deepEqual(page.problems, []);
        await page.context().close();
    });
}

/** A click without waiting for a quiet moment, which a page that draws in software seldom has. */
function press(page, id) {
    return page.dispatchEvent(`#${id}`, "click");
}

const PAUSED = "paused=1&n=1500";

pageTest("loads, runs, and the picture changes", "#scene=gas&n=2000", {}, async (page) => {
    const first = await pictureOf(page);
    await page.waitForFunction(() => Number(document.getElementById("at-step").textContent) > 20);
    assert.notDeepEqual(await pictureOf(page), first);
    assert.equal(await page.title(), "broadphase playground");
    assert.equal(await numberOf(page, "objects"), 2000);
    assert.match(await textOf(page, "about"), /WebAssembly with SIMD/);
    assert.equal(await textOf(page, "notice"), "");
});

// ---- the same pairs as the native library ----

for (const scene of ["gas", "rain", "galaxy", "knot"]) {
    pageTest(
        `${scene}: the pairs are those of the native tool`,
        `#scene=${scene}&n=6000&step=120&paused=1`,
        {},
        async (page) => {
            const native = nativePairs(await download(page, "save-boxes"));
            assert.equal(await numberOf(page, "pairs"), native.split("\n").length - 2);
            assert.equal(readFileSync(await download(page, "save-pairs-csv"), "utf8"), native);
            const npy = readFileSync(await download(page, "save-pairs-npy"));
            assert.match(
                npy.subarray(0, 128).toString("latin1"),
                new RegExp(`'<u4'.*\\(${await numberOf(page, "pairs")}, 2\\)`),
            );
        },
    );
}

pageTest("grains: they fall, and touch", "#scene=grains&n=1000&step=60&paused=1", {}, async (page) => {
    const count = await numberOf(page, "objects");
    assert.ok(count > 900 && count <= 1000);
    const before = await numberOf(page, "pairs");
    await page.click("#play");
    await page.waitForFunction(() => Number(document.getElementById("at-step").textContent) > 100);
    assert.notEqual(await numberOf(page, "pairs"), before);
    const native = nativePairs(await download(page, "save-boxes")).split("\n");
    assert.ok(native.length > 2);
});

// ---- a link ----

for (const scene of ["gas", "rain", "grains", "galaxy", "knot"]) {
    pageTest(`${scene}: a link shows the same`, `#scene=${scene}&n=1200&seed=7`, {}, async (page) => {
        await page.waitForFunction(() => Number(document.getElementById("at-step").textContent) > 20);
        await press(page, "play");
        await page.locator("#picture").focus();
        await page.keyboard.press("ArrowLeft");
        await waitForRest(page);
        const [picture, pairs, step] = [await pictureOf(page), await textOf(page, "pairs"), await textOf(page, "at-step")];
        await page.reload();
        await waitForText(page, "at-step", step);
        await waitForText(page, "pairs", pairs);
        await waitForText(page, "notice", "");
        await waitForRest(page);
        // On a busy machine the first picture after a reload may differ in a few pixels, and the next one not.
        let shown = await pictureOf(page);
        for (let i = 0; i < 5 && !shown.equals(picture); ++i) shown = await pictureOf(page);
        assert.ok(shown.equals(picture), "the picture is the same");
    });
}

pageTest(
    "an address that makes no sense is as if it were not there",
    "#scene=soup&n=7&method=9&camera=1&step=x&seed=-1",
    {},
    async (page) => {
        await waitForAddress(page, { scene: "gas", n: 1000, method: "auto", seed: 1 });
    },
);

pageTest("a new address in the same page is followed", `#scene=gas&${PAUSED}`, {}, async (page) => {
    await page.evaluate(() => (location.hash = "#scene=galaxy&n=1200&step=5&paused=1&theme=light"));
    await waitForText(page, "objects", "1,200");
    await waitForText(page, "at-step", "5");
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
});

// ---- controls ----

pageTest("scene, count, seed and dice", `#scene=gas&${PAUSED}`, {}, async (page) => {
    await page.check("input[value=rain]");
    await waitForAddress(page, { scene: "rain", n: 1500, step: 0 });
    await page.locator("#count").fill("0");
    await waitForAddress(page, { n: 1000 });
    await waitForText(page, "objects", "1,000");
    const pairs = await textOf(page, "pairs");
    await page.fill("#seed", "42");
    await page.press("#seed", "Enter");
    await waitForAddress(page, { seed: 42 });
    await page.waitForFunction((pairs) => document.getElementById("pairs").textContent !== pairs, pairs);
    await page.click("#dice");
    await waitForAddress(page, { seed: 43 });
});

pageTest("the most objects that there can be", `#scene=gas&${PAUSED}`, {}, async (page) => {
    await page.locator("#count").fill("100");
    await waitForText(page, "objects", "200,000");
    assert.ok((await numberOf(page, "pairs")) > 10000);
});

pageTest("pause, step, restart", "#scene=gas&n=1000", {}, async (page) => {
    await press(page, "play");
    await waitForAddress(page, { paused: 1 });
    assert.equal(await page.getAttribute("#play", "aria-label"), "Go on");
    await waitForRest(page);
    const step = await numberOf(page, "at-step");
    await page.click("#step");
    await waitForText(page, "at-step", String(step + 1));
    await waitForAddress(page, { step: step + 1 });
    await page.click("#restart");
    await waitForAddress(page, { step: 0, paused: 1 });
    await page.click("#play");
    await page.waitForFunction(() => Number(document.getElementById("at-step").textContent) > 3);
});

pageTest("every method finds the same pairs, and says why it ran", `#scene=gas&step=10&${PAUSED}`, {}, async (page) => {
    assert.match(await textOf(page, "reason"), /^(tree|strips): /);
    assert.match(await textOf(page, "reason-more"), /boxes: /);
    const pairs = await textOf(page, "pairs");
    const methods = await page.locator("#method option").allTextContents();
    assert.equal(methods.length, 15);
    for (const method of methods.slice(1)) {
        await page.selectOption("#method", method);
        await waitForText(page, "reason", method);
        await waitForAddress(page, { method, step: 10 });
        assert.equal(await textOf(page, "pairs"), pairs, method);
        assert.notEqual(await textOf(page, "summary"), "");
    }
});

pageTest("as boxes, as spheres", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const natural = await pictureOf(page);
    await page.selectOption("#shape", "spheres");
    await waitForAddress(page, { shape: "spheres" });
    assert.notDeepEqual(await pictureOf(page), natural);
    await page.selectOption("#shape", "boxes");
    assert.deepEqual(await pictureOf(page), natural);
});

pageTest("the race has a row for every method", `#scene=gas&paused=1&n=5000`, {}, async (page) => {
    await page.click("#race");
    await waitForText(page, "race", "Race again");
    const names = await page.locator("#rows .name").allTextContents();
    assert.equal(new Set(names).size, 15);
    const times = (await page.locator("#rows .time").allTextContents()).map(parseFloat);
    assert.deepEqual(
        times,
        [...times].sort((a, b) => a - b),
    );
    await waitForAddress(page, { step: 6 });
    assert.match(await textOf(page, "raced"), /from step 0 on/);
});

pageTest("a race is forgotten when something changes", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const rowCount = () => page.locator("#rows li").count();
    const changes = [
        () => page.check("input[value=rain]"),
        () => page.locator("#count").fill("0"),
        () => page.click("#dice"),
        () => page.setInputFiles("#file", MESH),
        () => page.selectOption("#dimensions", "2"),
    ];
    for (const change of changes) {
        await page.click("#race");
        await waitForText(page, "race", "Race again");
        assert.equal(await rowCount(), 15);
        await change();
        await waitForText(page, "race", "Start the race");
        assert.equal(await rowCount(), 0);
        await waitForRest(page);
    }
});

pageTest("a race that is overtaken leaves no rows", `#scene=gas&paused=1&n=20000`, {}, async (page) => {
    await page.click("#race");
    await page.waitForFunction(() => document.querySelectorAll("#rows li").length > 1);
    await page.check("input[value=galaxy]");
    assert.equal(await page.locator("#rows li").count(), 0);
    await waitForRest(page);
    assert.equal(await page.locator("#rows li").count(), 0);
    assert.equal(await textOf(page, "race"), "Start the race");
});

pageTest(
    "theme and link",
    `#scene=gas&${PAUSED}`,
    { colorScheme: "dark", permissions: ["clipboard-read", "clipboard-write"] },
    async (page) => {
        const dark = await pictureOf(page);
        await page.click("#theme");
        await waitForAddress(page, { theme: "light" });
        assert.notDeepEqual(await pictureOf(page), dark);
        await page.click("#theme");
        assert.deepEqual(await pictureOf(page), dark);
        await page.click("#copy");
        await waitForText(page, "notice", "copied");
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
    },
);

pageTest("a system that turns light", `#scene=gas&${PAUSED}`, { colorScheme: "dark" }, async (page) => {
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
});

// ---- mouse, touch, keys ----

pageTest("the mouse turns, shifts and zooms; the camera goes back", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const cameraOf = async () => (await addressOf(page)).camera.split(",").map(Number);
    const first = await cameraOf();
    await page.mouse.move(200, 300);
    await page.mouse.down();
    await page.mouse.move(260, 330);
    await page.mouse.up();
    const turned = await cameraOf();
    assert.ok(turned[0] < first[0] && turned[1] > first[1] && turned[2] === first[2]);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction((distance) => location.hash.split("camera=")[1].split(",")[2] > distance, first[2]);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(220, 300);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    assert.notDeepEqual((await cameraOf()).slice(3), [0, 0, 0]);
    await page.click("#home");
    assert.deepEqual(await cameraOf(), first);
});

pageTest("one finger turns, two zoom", `#scene=gas&${PAUSED}`, { hasTouch: true }, async (page) => {
    const devtools = await page.context().newCDPSession(page);
    const touch = (type, ...points) =>
        devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    const first = (await addressOf(page)).camera.split(",").map(Number);
    await touch("touchStart", [200, 300]);
    await touch("touchMove", [260, 300]);
    await touch("touchEnd");
    await page.waitForFunction((yaw) => Number(location.hash.split("camera=")[1].split(",")[0]) !== yaw, first[0]);
    await touch("touchStart", [200, 300], [260, 300]);
    await touch("touchMove", [150, 300], [310, 300]);
    await touch("touchEnd");
    await page.waitForFunction(
        (distance) => Number(location.hash.split("camera=")[1].split(",")[2]) < 0.6 * distance,
        first[2],
    );
});

const CUBE = { name: "cube.csv", mimeType: "text/csv", buffer: Buffer.from("0,0,0,1,1,1\n0.9,0.2,0.2,9,0.4,0.4\n") };
const SEEN = /^Object \d+: distance [\d.,]+, \d+ pairs?$/;

pageTest("what is pointed at glows, with its distance", `#scene=gas&${PAUSED}`, {}, async (page) => {
    await page.setInputFiles("#file", CUBE);
    await waitForText(page, "notice", "cube.csv");
    await waitForRest(page);
    const before = await pictureOf(page);
    await page.locator("#picture").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#seen:not([hidden])");
    assert.match(await textOf(page, "seen"), /^Object 1: distance \d+\.\d+, 1 pair$/);
    await page.keyboard.press("Escape");
    assert.ok(!(await page.isVisible("#seen")));
    assert.ok((await pictureOf(page)).equals(before));
    await page.mouse.move(5, 300); // nothing is there
    await page.waitForTimeout(300);
    assert.ok(!(await page.isVisible("#seen")));
    const box = await page.locator("#picture").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector("#seen:not([hidden])");
    assert.ok(!(await pictureOf(page)).equals(before));
    await page.check("input[value=galaxy]");
    await waitForText(page, "scene-about", "Dust");
    await page.mouse.move(box.x + box.width + 100, 300); // on the panel
    await page.waitForSelector("#seen", { state: "hidden" });
});

pageTest("a finger points by a tap, and not by a drag", `#scene=gas&${PAUSED}`, { hasTouch: true }, async (page) => {
    await page.setInputFiles("#file", CUBE);
    await waitForText(page, "notice", "cube.csv");
    await waitForRest(page);
    const { x, y, width, height } = await page.locator("#picture").boundingBox();
    const devtools = await page.context().newCDPSession(page);
    const touch = (type, ...points) =>
        devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    await page.touchscreen.tap(x + width / 2, y + height / 2);
    await page.waitForSelector("#seen:not([hidden])");
    await touch("touchStart", [x + width / 2, y + height / 2]);
    await touch("touchMove", [x + width / 2 + 40, y + height / 2]);
    await touch("touchEnd");
    await page.waitForSelector("#seen", { state: "hidden" });
});

pageTest("while the scene runs, what is pointed at is looked for again", "#scene=gas&n=20000", {}, async (page) => {
    const box = await page.locator("#picture").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector("#seen:not([hidden])");
    const first = await textOf(page, "seen");
    assert.match(first, SEEN);
    await page.waitForFunction((first) => !["", first].includes(document.getElementById("seen").textContent), first);
    const step = await numberOf(page, "at-step");
    await page.waitForFunction((step) => Number(document.getElementById("at-step").textContent) > step + 3, step);
});

pageTest("keys", "#scene=gas&n=1000", {}, async (page) => {
    await page.keyboard.press(" ");
    await waitForAddress(page, { paused: 1 });
    await waitForRest(page);
    const step = await numberOf(page, "at-step");
    await page.keyboard.press(".");
    await waitForText(page, "at-step", String(step + 1));
    await page.keyboard.press("r");
    await waitForAddress(page, { step: 0 });
    await page.keyboard.press("n");
    await waitForAddress(page, { seed: 2 });
    await page.keyboard.press("4");
    await waitForAddress(page, { scene: "galaxy" });
    await page.keyboard.press("t");
    await waitForAddress(page, { theme: await page.getAttribute("html", "data-theme") });
    await page.locator("#picture").focus();
    const { camera } = await addressOf(page);
    for (const key of ["ArrowLeft", "ArrowUp", "+", "Shift+ArrowDown"]) {
        const before = (await addressOf(page)).camera;
        await page.keyboard.press(key);
        assert.notEqual((await addressOf(page)).camera, before, key);
    }
    await page.keyboard.press("0");
    await waitForAddress(page, { camera });
});

pageTest("all controls can be reached with Tab alone", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const reached = new Set();
    await page.locator("#picture").focus();
    for (let i = 0; i < 42; ++i) {
        reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name));
        await page.keyboard.press("Tab");
    }
    for (const id of [
        "picture",
        "restart",
        "play",
        "step",
        "scene",
        "count",
        "seed",
        "dice",
        "shape",
        "method",
        "race",
        "choose",
        "dimensions",
        "up",
        "save-pairs-csv",
        "save-pairs-npy",
        "save-boxes",
        "copy",
        "theme",
        "home",
    ])
        assert.ok(reached.has(id), id);
});

// ---- files ----

const MESH = join(HOUSE, "fuzz/corpus/mesh/square.obj");

pageTest("a dropped file gives its pairs", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const text = readFileSync(MESH, "utf8");
    const transfer = await page.evaluateHandle((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], "square.obj"));
        return data;
    }, text);
    await page.dispatchEvent("#picture", "dragover", { dataTransfer: transfer });
    assert.ok(await page.isVisible("#drop"));
    await page.dispatchEvent("#picture", "drop", { dataTransfer: transfer });
    await waitForAddress(page, { scene: "file" });
    await waitForText(page, "notice", "square.obj: ");
    assert.ok(!(await page.isVisible("#drop")));
    assert.equal(readFileSync(await download(page, "save-pairs-csv"), "utf8"), nativePairs(MESH));
});

pageTest("a chosen file gives its pairs, and a broken one a sentence", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const boxes = join(HOUSE, "fuzz/corpus/npy/boxes_float64.npy");
    await page.setInputFiles("#file", boxes);
    await waitForAddress(page, { scene: "file" });
    await waitForText(page, "notice", "boxes_float64.npy: ");
    assert.equal(readFileSync(await download(page, "save-pairs-csv"), "utf8"), nativePairs(boxes));
    await page.setInputFiles("#file", join(HOUSE, "fuzz/corpus/csv/negative_radius.csv"));
    await waitForText(page, "notice", "the radius is -");
});

pageTest("a file can be read in two dimensions, and is seen from above", `#scene=gas&${PAUSED}`, {}, async (page) => {
    const path = join(mkdtempSync(join(tmpdir(), "playground-")), "tiles.csv");
    writeFileSync(path, "0,0,0,2,2,1\n1,1,5,3,3,6\n1.5,0.5,8,4,1.5,9\n5,5,0,6,6,1\n"); // apart along z alone
    await page.setInputFiles("#file", path);
    await waitForText(page, "notice", "tiles.csv: ");
    assert.equal(await textOf(page, "pairs"), "0");
    const { camera } = await addressOf(page);
    await page.selectOption("#dimensions", "2");
    await page.waitForFunction((camera) => !location.hash.includes(`camera=${camera}`), camera);
    await waitForText(page, "pairs", "3");
    assert.equal(readFileSync(await download(page, "save-pairs-csv"), "utf8"), nativePairs(path, 2));
});

test("a link to somebody's own file asks for one", async () => {
    const context = await chromium.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${chromium.origin}#scene=file`);
    await waitForText(page, "notice", "Drop a file here");
    await context.close();
});

// ---- browsers that lack something ----

const MOTION = { reducedMotion: "reduce" };
pageTest("where little motion is asked for, the scene waits", "#scene=gas&n=1000", MOTION, async (page) => {
    await waitForText(page, "notice", "reduced motion");
    assert.equal(await textOf(page, "at-step"), "0");
    await page.click("#play");
    await page.waitForFunction(() => Number(document.getElementById("at-step").textContent) > 3);
});

pageTest("without WebGL2 the page says so, and counts", "#scene=gas&n=1000", withoutPicture, async (page) => {
    await waitForText(page, "notice", "no WebGL2");
    await page.waitForFunction(() => Number(document.getElementById("at-step").textContent) > 3);
    assert.ok((await numberOf(page, "pairs")) > 0);
});

const NO_SIMD = {
    prepare: (page) =>
        page
            .context()
            .route("**/simd.js", (route) =>
                route.fulfill({ contentType: "text/javascript", body: "export const hasSimd = () => false;" }),
            ),
};
pageTest("without SIMD the page says so, and finds the same", `#scene=gas&step=20&${PAUSED}`, NO_SIMD, async (page) => {
    await waitForText(page, "notice", "without SIMD");
    assert.match(await textOf(page, "about"), /without SIMD/);
    assert.equal(await numberOf(page, "pairs"), nativePairs(await download(page, "save-boxes")).split("\n").length - 2);
});

// ---- how it looks ----

const SHOTS = join(HOUSE, "build/web/screenshots");
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const LOOKS = [
    ["gas", "n=20000&step=100", "dark", DESK],
    ["rain", "n=20000&step=100", "light", DESK],
    ["grains", "n=3000&step=400", "dark", DESK],
    ["galaxy", "n=20000&step=100", "dark", PHONE],
    ["knot", "n=20000&step=280", "light", PHONE],
];
for (const [scene, words, colorScheme, viewport] of LOOKS) {
    const name = `${scene}, ${colorScheme}, ${viewport.width} wide: nothing sticks out`;
    pageTest(name, `#scene=${scene}&${words}&paused=1`, { viewport, colorScheme }, async (page) => {
        await pictureOf(page);
        mkdirSync(SHOTS, { recursive: true });
        await page.screenshot({ path: join(SHOTS, `${scene}-${colorScheme}-${viewport.width}.png`) });
        const [wide, narrowest] = await page.evaluate(() => {
            const panel = document.querySelector(".panel");
            return [document.documentElement.scrollWidth, Math.min(panel.clientWidth - panel.scrollWidth, 0)];
        });
        assert.equal(wide, viewport.width);
        assert.equal(narrowest, 0);
    });
}
