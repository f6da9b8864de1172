// The site in a real browser: every page in both themes, wide and narrow, without errors and without a request to elsewhere;
// search, keyboard, themes, print, and reading without scripts.
// usage: node --test site/tests/*.test.mjs, after `make site`; scripts/test-web installs playwright-core in build/web/browser-tools
// SCREENSHOTS=FOLDER keeps a picture of each page in each form.
import assert from "node:assert/strict";
import {createReadStream, existsSync, mkdirSync, readdirSync} from "node:fs";
import {createServer} from "node:http";
import {createRequire} from "node:module";
import path from "node:path";
import {after, before, test} from "node:test";
import {fileURLToPath, pathToFileURL} from "node:url";

const house = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const site = path.join(house, "build/site");
const {chromium} = createRequire(path.join(house, "build/web/browser-tools/"))("playwright-core");

const TYPES = {html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml", png: "image/png",
    wasm: "application/wasm", json: "application/json"};
const WIDE = {width: 1400, height: 900}, NARROW = {width: 390, height: 844};
const REFERENCE = "reference/broadphase.h.html";

let browser, server, home;

function serve(request, response) {
    const asked = decodeURIComponent(new URL(request.url, "http://site").pathname);
    const file = path.join(site, asked.endsWith("/") ? asked + "index.html" : asked);
    if (!file.startsWith(site) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, {"content-type": TYPES[path.extname(file).slice(1)] ?? "application/octet-stream"});
    createReadStream(file).pipe(response);
}

before(async () => {
    assert.ok(existsSync(path.join(site, "index.html")), "build/site is there: make site");
    server = createServer(serve);
    await new Promise(done => server.listen(0, "127.0.0.1", done));
    home = `http://127.0.0.1:${server.address().port}/`;
    browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]});
});

after(async () => {
    await browser?.close();
    server?.close();
});

// A tab that notes whatever goes wrong in it.
async function openTab(options = {}) {
    const context = await browser.newContext({viewport: WIDE, ...options});
    const tab = await context.newPage();
    tab.problems = [];
    tab.on("console", message => {
        if (["error", "warning"].includes(message.type())) tab.problems.push(message.text());
    });
    tab.on("pageerror", error => tab.problems.push(String(error)));
    tab.on("requestfailed", request => { // aborted: the page was left before its icon came
        if (request.failure().errorText !== "net::ERR_ABORTED") tab.problems.push(`failed: ${request.url()}`);
    });
    tab.on("request", request => {
        if (!request.url().startsWith(home) && !/^(file|data|blob):/.test(request.url())) tab.problems.push(`asks ${request.url()}`);
    });
    return tab;
}

// The playground has tests of its own.
function listPages() {
    return readdirSync(site, {recursive: true}).map(String)
        .filter(name => name.endsWith(".html") && !name.startsWith("playground")).sort();
}

async function keepPicture(tab, name, form) {
    const folder = process.env.SCREENSHOTS;
    if (!folder || name.startsWith("source/")) return;
    mkdirSync(folder, {recursive: true});
    await tab.screenshot({path: path.join(folder, `${name.replaceAll("/", "_")}-${form}.png`)});
}

async function lookAt(tab, name, form) {
    await tab.goto(home + name);
    const seen = await tab.evaluate(() => ({
        headings: document.querySelectorAll("main h1").length,
        overflow: document.documentElement.scrollWidth - innerWidth,
        unloaded: [...document.images].filter(image => image.loading !== "lazy" && !image.naturalWidth).map(image => image.src),
    }));
    await keepPicture(tab, name, form);
    const problems = tab.problems.splice(0);
    if (seen.headings !== 1) problems.push(`${seen.headings} first headings`);
    if (seen.overflow > 0) problems.push(`is ${seen.overflow} pixels too wide`);
    problems.push(...seen.unloaded.map(address => `no picture: ${address}`));
    return problems.map(problem => `${name}, ${form}: ${problem}`);
}

for (const viewport of [WIDE, NARROW]) {
    for (const colorScheme of ["light", "dark"]) {
        const form = `${viewport.width}-${colorScheme}`;
        const listings = (viewport === WIDE) === (colorScheme === "light"); // these are all alike: twice is enough
        test(`every page, ${form}`, async () => {
            const tab = await openTab({viewport, colorScheme});
            const pages = listPages().filter(name => listings || !name.startsWith("source/")), problems = [];
            assert.ok(pages.length > 40, `${pages.length} pages`);
            for (const name of pages) problems.push(...await lookAt(tab, name, form));
            assert.deepEqual(problems, []);
        });
    }
}

async function searchFor(tab, words) {
    await tab.keyboard.press("/");
    await tab.waitForFunction(() => window.searchIndex);
    await tab.keyboard.type(words);
    return tab.locator(".search li a").first();
}

for (const from of ["server", "disk"]) {
    test(`search finds bp_find_pairs with the keyboard alone, from a ${from}`, async () => {
        const tab = await openTab();
        await tab.goto((from === "server" ? home : pathToFileURL(site).href + "/") + "guide/overview.html");
        const first = await searchFor(tab, "bp_find_pairs");
        assert.equal(await first.locator("strong").textContent(), "bp_find_pairs");
        await tab.keyboard.press("Enter");
        await tab.waitForURL(`**/${REFERENCE}#bp_find_pairs`);
        await tab.waitForFunction(() => {
            const top = document.getElementById("bp_find_pairs").getBoundingClientRect().top;
            return top >= 0 && top < innerHeight;
        });
        assert.deepEqual(tab.problems, []);
    });
}

test("search finds a constant, a word in a text, and nothing", async () => {
    const tab = await openTab();
    await tab.goto(home);
    assert.equal(await (await searchFor(tab, "BP_EVENTS")).locator("strong").textContent(), "BP_EVENTS");
    await tab.keyboard.press("Control+a");
    await tab.keyboard.type("straddling");
    assert.match(await tab.locator(".search li a").first().textContent(), /loose-octree/);
    await tab.keyboard.type("xyzzy");
    assert.equal(await tab.locator(".search p").textContent(), "Nothing found.");
    await tab.keyboard.press("Escape");
    assert.equal(await tab.locator("dialog[open]").count(), 0);
});

test("arrows move through what the search has found", async () => {
    const tab = await openTab();
    await tab.goto(home);
    await searchFor(tab, "neighbors");
    const chosen = () => tab.evaluate(() => [...document.querySelectorAll(".search li a")]
        .findIndex(link => link.getAttribute("aria-selected") === "true"));
    assert.equal(await chosen(), 0);
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowDown");
    assert.equal(await chosen(), 2);
    await tab.keyboard.press("ArrowUp");
    assert.equal(await chosen(), 1);
});

test("the reference tells parameters and statuses of bp_find_pairs", async () => {
    const tab = await openTab();
    await tab.goto(home + REFERENCE);
    const item = tab.locator("section.item", {has: tab.locator("h3#bp_find_pairs")});
    const text = await item.textContent();
    for (const word of ["const bp_box *boxes", "size_t count", "const bp_config *config", "bp_pairs *pairs",
        "BP_ERROR_ARGUMENT", "BP_ERROR_BOX", "BP_ERROR_MEMORY", "BP_ERROR_CAPACITY", "BP_ERROR_UNSUPPORTED"]) {
        assert.ok(text.includes(word), word);
    }
});

test("light and dark: the system's, then the reader's own, on all pages", async () => {
    const tab = await openTab({colorScheme: "dark"});
    const lightness = () => tab.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]));
    await tab.goto(home);
    assert.ok(await lightness() < 60);
    await tab.locator(".theme-button").click();
    assert.ok(await lightness() > 200);
    await tab.goto(home + "evidence.html");
    assert.ok(await lightness() > 200);
});

test("the first key leads to the content, and what has the focus can be seen", async () => {
    const tab = await openTab();
    await tab.goto(home + "guide/overview.html");
    await tab.keyboard.press("Tab");
    assert.equal(await tab.evaluate(() => document.activeElement.getAttribute("href")), "#content");
    await tab.keyboard.press("Tab");
    assert.notEqual(await tab.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "none");
});

test("on a narrow screen the list of pages is folded, and opens", async () => {
    const tab = await openTab({viewport: NARROW});
    await tab.goto(home + "guide/overview.html");
    const link = tab.locator(".pages a", {hasText: "Architecture"});
    assert.equal(await link.isVisible(), false);
    await tab.locator(".pages summary").click();
    await link.click();
    await tab.waitForURL("**/guide/architecture.html");
});

test("print: the text alone, dark on light", async () => {
    const tab = await openTab({colorScheme: "dark"});
    await tab.goto(home + "guide/architecture.html");
    await tab.emulateMedia({media: "print"});
    for (const part of [".bar", ".pages", ".contents", "footer"]) assert.equal(await tab.locator(part).isVisible(), false, part);
    assert.ok(await tab.locator("main h1").isVisible());
});

test("without scripts everything can be read", async () => {
    const tab = await openTab({javaScriptEnabled: false});
    for (const name of ["index.html", REFERENCE, "methods/bvh.html", "evidence.html"]) {
        await tab.goto(home + name);
        assert.ok(await tab.locator("main h1").isVisible(), name);
    }
});

test("the playground leads home", {skip: !existsSync(path.join(site, "playground")) && "it is not built"}, async () => {
    const tab = await openTab();
    await tab.goto(home);
    await tab.locator(".sections a", {hasText: "Playground"}).click();
    await tab.locator("a.home").click();
    await tab.waitForURL("**/index.html");
    assert.equal(await tab.locator(".hero h1").count(), 1);
});
