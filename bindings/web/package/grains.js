// Grains: soft spheres with friction.
import { refuse, shown } from "./error.js";
import { isFloat32 } from "./heap.js";
import { numberOf, typedOf, wholeOf } from "./numbers.js";
import { countRows } from "./rows.js";

const kinds = { places: 0, speeds: 1, spins: 2 };

function doublesOf(numbers, count, what) {
    const doubles = Float64Array.from(typedOf(numbers, what));
    if (doubles.length !== count) throw refuse(`${what}: expected ${count} numbers, found ${doubles.length}`);
    if (!doubles.every(Number.isFinite)) throw refuse(`${what}: expected finite numbers`);
    return doubles;
}

// A number from 0 to `most`.
function amountOf(settings, what, usual, most = Number.MAX_VALUE) {
    const value = settings[what] === undefined ? usual : numberOf(settings[what], what);
    if (value >= 0 && value <= most) return value;
    throw new RangeError(`${what}: expected a number from 0 ${most === 1 ? "to 1" : "up"}, found ${value}`);
}

function radiiOf(radii, count) {
    const list = doublesOf(typeof radii === "number" ? new Float64Array(count).fill(radii) : radii, count, "radii");
    if (!list.every((radius) => radius > 0)) throw refuse("radii: expected numbers above 0");
    return list;
}

function wallOf(wall) {
    const { axis, at, side } = wall ?? {};
    if (![0, 1, 2].includes(axis) || ![1, -1].includes(side) || !Number.isFinite(at)) {
        throw refuse("walls: expected { axis: 0, 1 or 2, at: a number, side: 1 or -1 }");
    }
    return [axis, at, side];
}

function listed(list, what) {
    if (typeof list === "object" && list !== null && Number.isInteger(list.length)) return Array.from(list);
    throw new TypeError(`${what}: expected a list, found ${shown(list)}`);
}

// As web_grain_options of src/grains.c has them.
function optionsOf(settings) {
    const { gravity = [0, 0, -1], period = [0, 0, 0] } = settings;
    const lengths = doublesOf(period, 3, "period");
    if (!lengths.every((length) => length >= 0)) throw new RangeError("period: expected numbers of 0 or more");
    return Float64Array.of(
        ...doublesOf(gravity, 3, "gravity"),
        ...lengths,
        amountOf(settings, "stiffness", 0),
        amountOf(settings, "restitution", 0.2, 1),
        amountOf(settings, "friction", 0.7),
        amountOf(settings, "margin", 0),
        amountOf(settings, "timeStep", 0),
    );
}

// All that goes in, one piece after the other in the library's memory.
function placeAll(heap, pieces) {
    const sizes = pieces.map((piece) => (piece === null ? 0 : Math.ceil(piece.byteLength / 8) * 8));
    let at = heap.slot("first", sizes.reduce((sum, size) => sum + size, 0));
    return pieces.map((piece, i) => {
        if (piece === null) return 0;
        const address = at;
        heap.views.u8.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), address);
        at += sizes[i];
        return address;
    });
}

export function makeGrainsClass(heap) {
    const forgotten = new FinalizationRegistry((grains) => heap.forget("web_grains_destroy", grains));

    return class Grains {
        #grains = 0;
        #count;

        constructor(settings) {
            if (typeof settings !== "object" || settings === null) {
                throw new TypeError(`expected an object with places and radii, found ${shown(settings)}`);
            }
            const places = typedOf(settings.places, "places");
            const count = countRows(places, "places", "points", 3);
            if (count === 0) throw refuse("places: expected at least one");
            const walls = new Float64Array(listed(settings.walls ?? [], "walls").flatMap(wallOf));
            const [placesAt, radii, speeds, fixed, wallsAt, options] = placeAll(heap, [
                doublesOf(places, 3 * count, "places"),
                radiiOf(settings.radii, count),
                settings.speeds === undefined ? null : doublesOf(settings.speeds, 3 * count, "speeds"),
                settings.fixed === undefined ? null : Uint8Array.from(listed(settings.fixed, "fixed"), (one) => (one ? 1 : 0)),
                walls,
                optionsOf(settings),
            ]);
            if (settings.fixed !== undefined && settings.fixed.length !== count) {
                throw refuse(`fixed: ${count} grains, but ${settings.fixed.length} values`);
            }
            heap.call("web_grains_create", count, placesAt, radii, speeds, fixed, walls.length / 3, wallsAt, options);
            this.#count = count;
            this.#grains = heap.result(0);
            forgotten.register(this, this.#grains, this);
        }

        get #open() {
            if (this.#grains === 0) throw refuse("these grains are disposed of");
            return this.#grains;
        }

        step(steps = 1) {
            heap.call("web_grains_step", this.#open, wholeOf(steps, "steps"));
        }

        #read(kind, into) {
            const grains = this.#open;
            const length = 3 * this.#count;
            if (into !== undefined && !isFloat32(into)) throw new TypeError(`into: expected a Float32Array, found ${shown(into)}`);
            if (into !== undefined && into.length < length) throw refuse(`into: expected room for ${length} numbers`);
            const address = heap.slot("first", 4 * length);
            heap.get("web_grains_read", grains, kinds[kind], address);
            const view = new Float32Array(heap.views.buffer, address, length);
            if (into === undefined) return view.slice();
            into.set(view);
            return into;
        }

        places(into = undefined) {
            return this.#read("places", into);
        }

        speeds(into = undefined) {
            return this.#read("speeds", into);
        }

        spins(into = undefined) {
            return this.#read("spins", into);
        }

        touching() {
            heap.call("web_grains_touching", this.#open);
            return heap.uint32Copy(heap.result(0), 2 * heap.result(1));
        }

        // As web_grains_figures of src/grains.c lists them.
        #figure(index) {
            return heap.views.f64[(heap.get("web_grains_figures", this.#open) >>> 3) + index];
        }

        get count() {
            return this.#count;
        }
        get timeStep() {
            return this.#figure(0);
        }
        get touchingCount() {
            return this.#figure(1);
        }
        get energy() {
            return this.#figure(2);
        }
        get searches() {
            return this.#figure(3);
        }
        get searchSeconds() {
            return this.#figure(4);
        }

        dispose() {
            if (this.#grains === 0) return;
            heap.get("web_grains_destroy", this.#grains);
            forgotten.unregister(this);
            this.#grains = 0;
        }
    };
}
