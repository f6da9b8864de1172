// Milliseconds and pairs over the last steps, in two small charts: one axis each, and the newest value in words beside its title.
//
//     ms |      ____          the dark area is the broad phase, the light one on top of it is the simulation
//        | ____/    \___
//        +----------------
const STEPS = 240;
const TOP = 6; // room over the highest value, in points

/** The last STEPS values of one figure. */
class Trace {
    values = new Float64Array(STEPS);
    count = 0;

    add(value) {
        if (this.count === STEPS) this.values.copyWithin(0, 1);
        else this.count++;
        this.values[this.count - 1] = value;
    }
}

/** 1, 2 or 5 times a power of ten: the first that is not below. */
function roundUp(value) {
    const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-3)));
    return [1, 2, 5, 10].map((step) => step * power).find((limit) => limit >= value);
}

function largest(trace, below) {
    let most = 0;
    for (let i = 0; i < trace.count; ++i) most = Math.max(most, trace.values[i] + (below ? below.values[i] : 0));
    return most;
}

export class Chart {
    constructor(times, pairs) {
        this.canvases = { times, pairs };
        this.clear();
    }

    clear() {
        this.search = new Trace();
        this.simulation = new Trace();
        this.pairs = new Trace();
    }

    add({ searchMs, simulationMs, pairs }) {
        this.search.add(searchMs);
        this.simulation.add(simulationMs);
        this.pairs.add(pairs);
    }

    draw() {
        const style = getComputedStyle(document.documentElement);
        const color = (name) => style.getPropertyValue(name).trim();
        this.drawAreas(
            this.canvases.times,
            [
                { trace: this.simulation, below: this.search, fill: color("--chart-simulation") },
                { trace: this.search, fill: color("--chart-search") },
            ],
            " ms",
            color,
        );
        this.drawAreas(this.canvases.pairs, [{ trace: this.pairs, fill: color("--chart-pairs") }], "", color);
    }

    drawAreas(canvas, areas, unit, color) {
        const density = devicePixelRatio || 1;
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        canvas.width = Math.round(width * density);
        canvas.height = Math.round(height * density);
        const context = canvas.getContext("2d");
        context.scale(density, density);
        const limit = roundUp(Math.max(...areas.map(({ trace, below }) => largest(trace, below)), 0.1));
        const scale = { x: width / (STEPS - 1), y: (height - TOP) / limit, height };
        for (const area of areas) this.drawArea(context, area, scale);
        context.fillStyle = color("--line");
        context.fillRect(0, height - 1, width, 1);
        context.fillRect(0, TOP, width, 1);
        context.fillStyle = color("--muted");
        context.font = "11px system-ui, sans-serif";
        context.textBaseline = "top";
        context.fillText(limit.toLocaleString("en") + unit, 2, TOP + 3);
    }

    drawArea(context, { trace, below, fill }, { x, y, height }) {
        const { count } = trace;
        if (count === 0) return;
        const start = STEPS - count; // the newest is at the right
        context.beginPath();
        context.moveTo(x * start, height);
        for (let i = 0; i < count; ++i) {
            context.lineTo(x * (start + i), height - y * (trace.values[i] + (below ? below.values[i] : 0)));
        }
        context.lineTo(x * (STEPS - 1), height);
        context.fillStyle = fill;
        context.fill();
    }
}
