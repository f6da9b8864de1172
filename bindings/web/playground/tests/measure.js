// Figures: what a step of 50,000 moving boxes takes in Chromium, and whether memory grows. Without a picture, as there may be no
// graphics processor.
// usage: node bindings/web/playground/tests/measure.js [--soak MINUTES] [SCENE [COUNT]]
import { readFileSync } from "node:fs";
import { begin, numberOf, openPage, withoutPicture } from "./browser.js";

const words = process.argv.slice(2);
const minutes = words[0] === "--soak" ? Number(words.splice(0, 2)[1]) : 0;
const [scene = "gas", count = "50000"] = words;
const STEPS = 300;

/** Milliseconds of simulation and of broad phase, a step each. */
async function timesOf(page, steps) {
    return page.evaluate(async (steps) => {
        const read = (id) => Number(document.getElementById(id).textContent.replaceAll(",", ""));
        const times = [];
        for (let last = -1; times.length < steps; await new Promise(requestAnimationFrame)) {
            const step = read("at-step");
            if (step !== last) times.push([read("simulation-ms"), read("search-ms")]);
            last = step;
        }
        return times;
    }, steps);
}

function describe(name, values) {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (part) => sorted[Math.floor(part * (sorted.length - 1))].toFixed(1);
    console.log(`${name}: median ${at(0.5)} ms, least ${at(0)}, nine of ten below ${at(0.9)}`);
}

/** Resident bytes of the processes that run pages, in MB. */
async function memoryOf(devtools) {
    const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
    const pages = processInfo
        .filter(({ type }) => type === "renderer")
        .map(({ id }) => readFileSync(`/proc/${id}/statm`, "utf8"));
    return pages.reduce((sum, text) => sum + Number(text.split(" ")[1]) * 4096, 0) / 1e6;
}

const chromium = await begin();
const page = await openPage(chromium, `#scene=${scene}&n=${count}`, withoutPicture);
const devtools = await chromium.browser.newBrowserCDPSession();
await timesOf(page, 30);
const times = await timesOf(page, STEPS);
console.log(`${scene}, ${await numberOf(page, "objects")} objects, ${await numberOf(page, "pairs")} pairs, ${STEPS} steps`);
describe(
    "simulation",
    times.map(([simulation]) => simulation),
);
describe(
    "broad phase",
    times.map(([, search]) => search),
);
describe(
    "both",
    times.map(([simulation, search]) => simulation + search),
);
for (let minute = 0; minute <= minutes; ++minute) {
    console.log(
        `minute ${minute}: step ${await numberOf(page, "at-step")}, ${(await memoryOf(devtools)).toFixed(1)} MB resident`,
    );
    if (minute < minutes) await page.waitForTimeout(60000);
}
await chromium.end();
