// Figures: what a step of 50,000 moving boxes takes in Chromium. Without a picture, as there may be no graphics processor.
// usage: node bindings/web/playground/tests/measure.js [SCENE [COUNT]]
import { begin, numberOf, openPage, withoutPicture } from "./browser.js";

const [scene = "gas", count = "50000"] = process.argv.slice(2);
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

const chromium = await begin();
const page = await openPage(chromium, `#scene=${scene}&n=${count}`, withoutPicture);
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
await chromium.end();
