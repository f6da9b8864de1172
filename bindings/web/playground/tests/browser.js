// What the tests share: a server for build/web/playground, Chromium, and what a page is asked.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const HOUSE = resolve(fileURLToPath(import.meta.url), "../../../../..");
const SITE = join(HOUSE, "build/web/playground");
const TOOL = join(HOUSE, "build/bin/broadphase");
const { chromium } = createRequire(join(HOUSE, "build/web/browser-tools/"))("playwright-core");

const TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
};

function serve() {
    const server = createServer(async (request, response) => {
        const path = new URL(request.url, "http://localhost").pathname;
        try {
            const bytes = await readFile(join(SITE, path === "/" ? "index.html" : path));
            response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/html" }).end(bytes);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise((resolve) => server.listen(0, "localhost", () => resolve(server)));
}

/** Chromium draws without a graphics processor: SwiftShader is one in software. */
export async function begin() {
    const server = await serve();
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
    const origin = `http://localhost:${server.address().port}/`;
    return {
        browser,
        origin,
        async end() {
            await browser.close();
            server.close();
        },
    };
}

/** A page at an address, once it shows its first step. `problems` gets what it complains of, and requests to elsewhere. */
export async function openPage({ browser, origin }, hash, options = {}) {
    const { prepare, ...contextOptions } = options;
    const context = await browser.newContext({ viewport: { width: 900, height: 640 }, ...contextOptions });
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    page.problems = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) page.problems.push(message.text());
    });
    page.on("pageerror", (error) => page.problems.push(error.message));
    page.on("request", (request) => {
        if (!/^(blob:)?http:\/\/localhost:/.test(request.url())) page.problems.push(`asks for ${request.url()}`);
    });
    await prepare?.(page);
    await page.goto(origin + hash);
    await page.waitForFunction(() => document.getElementById("pairs").textContent !== "–");
    return page;
}

/** Options of a page that finds no WebGL2. */
export const withoutPicture = {
    prepare: (page) =>
        page.addInitScript(() => {
            const { getContext } = HTMLCanvasElement.prototype;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind === "webgl2" ? null : getContext.call(this, kind, ...rest);
            };
        }),
};

export function textOf(page, id) {
    return page.evaluate((id) => document.getElementById(id).textContent, id);
}

export async function numberOf(page, id) {
    return Number((await textOf(page, id)).replaceAll(",", ""));
}

export function addressOf(page) {
    return page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
}

/** Waits until the words of the address are these. */
export function waitForAddress(page, words) {
    return page.waitForFunction((words) => {
        const now = new URLSearchParams(location.hash.slice(1));
        return Object.entries(words).every(([word, value]) => now.get(word) === String(value));
    }, words);
}

export function waitForText(page, id, text) {
    return page.waitForFunction(([id, text]) => document.getElementById(id).textContent.includes(text), [id, text]);
}

/** Waits until no step is under way: for pages that are paused. */
export function waitForRest(page) {
    return page.waitForFunction(() => document.getElementById("picture").ariaBusy === "false");
}

/** The middle of the picture, where nothing lies on it, after it has been drawn. */
export async function pictureOf(page) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const { width, height } = await page.evaluate(() => {
        const { clientWidth, clientHeight } = document.getElementById("picture");
        return { width: clientWidth, height: clientHeight };
    });
    return page.screenshot({ clip: { x: 10, y: 90, width: width - 20, height: height - 190 } });
}

/** Clicks, and returns the path of the file that the page saves. */
export async function download(page, id) {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`#${id}`)]);
    const path = join(mkdtempSync(join(tmpdir(), "playground-")), saved.suggestedFilename());
    await saved.saveAs(path);
    return path;
}

/** What the native tool says about a file: its pairs as CSV, or why it refuses it. */
export function nativeAnswer(path, dimensions = 3) {
    const words = ["pairs", path, "-o", "-", "--set", `dimensions=${dimensions}`];
    const { status, stdout, stderr } = spawnSync(TOOL, words, { encoding: "utf8", maxBuffer: 1 << 28 });
    return status === 0 ? stdout : stderr;
}

/** Its pairs, of a file that it reads. */
export function nativePairs(path, dimensions = 3) {
    const answer = nativeAnswer(path, dimensions);
    if (!answer.startsWith("a,b\n")) throw new Error(answer);
    return answer;
}
