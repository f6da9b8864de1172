/// <reference lib="esnext.disposable" />
/**
 * broadphase: of all these boxes, which pairs overlap? Every overlapping pair, each exactly once.
 *
 *     import { load } from "broadphase";
 *     const bp = await load();
 *     const pairs = bp.pairs(new Float32Array([0, 0, 0, 2, 2, 2,  1, 1, 1, 3, 3, 3])); // Uint32Array [0, 1]
 *
 * This file is the manual. The words are those of the C header, in camel case.
 *
 * What goes in: a Float32Array is compared in 32 bits, a Float64Array or any other list of numbers in 64 bits, exactly. It is
 * copied to the library's memory, unless it lies there already (`Floats`).
 * What comes out: copies, which are yours and stay as they are. Only what has "View" in its name is a view over the
 * library's memory: read it at once, because the next call may overwrite it, or leave it empty by growing the memory.
 *
 * A call that fails throws a `BroadphaseError` (or a TypeError, where an argument is of the wrong type, or a RangeError, where a
 * number does not fit), and everything is as it was before the call.
 */

/** Numbers: 32 bits each, or 64. */
export type Numbers = Float32Array | Float64Array | readonly number[];

/** One box, or several one after the other: min x, y, z, max x, y, z each. In two dimensions min x, y, max x, y. */
export type Boxes = Numbers;

/** One point, or several one after the other: x, y, z each. In two dimensions x, y. */
export type Points = Numbers;

export type MethodName =
    | "auto"
    | "brute-force"
    | "linked-cells"
    | "hierarchical-grid"
    | "spatial-hash"
    | "pivot-grid"
    | "compact-grid"
    | "cuckoo-grid"
    | "octree"
    | "loose-octree"
    | "bvh"
    | "sweep-and-prune"
    | "split"
    | "tree"
    | "strips";

/** What a call or a world is told, beyond the boxes. Everything has a default. */
export interface Settings {
    /** Default: "auto", the library chooses. */
    method?: MethodName;
    /** 3, or 2: then boxes have four numbers and points two. */
    dimensions?: 2 | 3;
    /** The order of the pairs: as found (the fastest, and the same on every run), or ascending by (a, b). */
    pairOrder?: "found" | "sorted";
    /** Boxes, or the spheres inside them. */
    shape?: "boxes" | "spheres";
    /** Boxes are grown by this much on all sides. */
    margin?: number;
    /** Space repeats after this length along each axis; 0: it does not. */
    period?: readonly [number, number, number] | readonly [number, number];
    /**
     * Asked about each pair; false leaves it out. Slow, as it is called for each pair. It may not call the library, nor dispose of
     * anything of it: that throws.
     */
    filter?: (a: number, b: number) => boolean;

    // For experts: broadphase_methods.h says what these mean.
    // Made by `make settings`:
    simd?: "auto" | "scalar" | "wasm";
    hierarchyFactor?: number;
    cellSize?: number;
    gridSize?: readonly [number, number, number];
    gridForm?: "automatic" | "linked";
    gridLoad?: number;
    bruteForceBelow?: number;
    domain?: readonly [number, number, number, number, number, number];
    memoryLimit?: number;
    hashTable?: "chained" | "open";
    hashCellLimit?: number;
    pivotLayout?: "chunked" | "dense";
    chunkSize?: number;
    gridEntries?: "corner" | "footprint";
    compactKeys?: "row_major" | "z_curve";
    compactSort?: "automatic" | "radix" | "adaptive";
    octreeMaxObjects?: number;
    octreeMaxDepth?: number;
    looseness?: number;
    bvhBuild?: "top_down" | "bottom_up" | "insertion";
    bvhSplit?: "object_median" | "object_mean" | "spatial_median";
    bvhAxis?: "largest_extent" | "largest_variance";
    bvhDescent?: "simultaneous" | "larger_volume" | "one_before_other";
    sweepAxes?: 0 | 1 | 3;
    // to here.
}

export interface WorldSettings extends Settings {
    /** List the pairs that have begun and ended, at each update. Default: true. */
    events?: boolean;
    /** How the world brings its structure up to date. Default: "automatic". */
    update?: "automatic" | "individual" | "rebuild";
}

export interface NeighborSettings extends Settings {
    /** List each pair once, in the row of the smaller index. */
    half?: boolean;
    /** With a radius for each point: two are neighbors within the larger radius (default), the smaller one, or their sum. */
    radiusRule?: "max" | "min" | "sum";
}

/** The neighbors of point i are `indices[offsets[i]]` to `indices[offsets[i + 1] - 1]`, ascending. */
export interface Neighbors {
    offsets: Uint32Array;
    indices: Uint32Array;
}

export interface Method {
    name: MethodName;
    /** One line about it. */
    summary: string;
    supports: { twoDimensions: boolean; between: boolean; incremental: boolean; threads: boolean };
}

/** Figures about an update. */
export interface Stats {
    /** The method that ran; never "auto". */
    method: MethodName;
    update: "individual" | "rebuild";
    objects: number;
    pairs: number;
    /** Candidate pairs examined. */
    tests: number;
    /** Memory of the structure and its scratch space, without boxes and pairs. */
    bytes: number;
    levels: number;
    cells: number;
    occupied: number;
    objectsPerCellMax: number;
    objectsPerCell: number;
    buildSeconds: number;
    findSeconds: number;
}

/** Which others an object pairs with: one value for all objects of the call, or a list with one for each. */
export interface ObjectSettings {
    /** 32 bits: what it is. 0, the default, counts as all bits. What ~ and << make is signed: write `>>> 0` behind it. */
    group?: number | ArrayLike<number>;
    /** 32 bits: what it pairs with. 0, the default, counts as all bits. */
    mask?: number | ArrayLike<number>;
    /** Two static objects never pair. */
    static?: boolean | ArrayLike<boolean | number>;
    /** Objects of different islands never pair. */
    island?: number | ArrayLike<number>;
    /** Yours: 64 bits that the library only stores. */
    user?: number | bigint | ArrayLike<number | bigint>;
}

/** What a query sees: what such an object would pair with. Default: everything. */
export interface QuerySettings {
    group?: number;
    mask?: number;
    island?: number;
    static?: boolean;
}

export interface WorldObject {
    box: Float64Array;
    group: number;
    mask: number;
    static: boolean;
    island: number;
    user: bigint;
}

/** Hits, ascending by (t, id): hit i is object ids[i], entered at origin + t[i] * direction. */
export interface Hits {
    ids: Uint32Array;
    t: Float64Array;
}

/** Objects, ascending by (distance, id). */
export interface Nearest {
    ids: Uint32Array;
    distances: Float32Array;
}

/** The answers to question i are at `offsets[i]` to `offsets[i + 1] - 1`. */
export interface BoxAnswers {
    offsets: Uint32Array;
    ids: Uint32Array;
}
export interface HitAnswers extends BoxAnswers {
    t: Float32Array;
}
export interface NearestAnswers extends BoxAnswers {
    distances: Float32Array;
}

/**
 * What an update found. Each list is copied out of the world when it is first read, and then stays as it is; what nobody
 * reads costs nothing. Read it before the world changes again: after that it throws.
 */
export interface Update {
    /** All pairs that overlap now: a, b, a, b, ... with a < b. */
    readonly pairs: Uint32Array;
    /** With events: the pairs that have begun to overlap since the last update, ascending. */
    readonly begun: Uint32Array;
    /** With events: the pairs that have ceased to, ascending. */
    readonly ended: Uint32Array;
    /** The same without a copy. Read them before you call anything of the library. */
    readonly pairsView: Uint32Array;
    readonly begunView: Uint32Array;
    readonly endedView: Uint32Array;
    readonly stats: Stats;
}

/** Objects that move. An id is a small number; a new object gets the smallest free one. */
export interface World {
    /** Adds objects, all or none; returns their ids. */
    add(boxes: Boxes, objects?: ObjectSettings): Uint32Array;
    /** Gives objects 0, 1, 2 ... new boxes, all or none. */
    move(boxes: Boxes): void;
    /** Gives these objects new boxes, all or none. */
    move(ids: number | ArrayLike<number>, boxes: Boxes): void;
    /** Removes objects, all or none. */
    remove(ids: number | ArrayLike<number>): void;
    /** Changes which others they pair with, from the next update on. What is not given gets its default. */
    setObject(ids: number | ArrayLike<number>, objects?: ObjectSettings): void;
    getObject(id: number): WorldObject;
    /** Finds all pairs of the world as it is now. */
    update(): Update;

    /** The objects whose boxes overlap a box, ascending. */
    queryBox(box: Boxes, as?: QuerySettings): Uint32Array;
    /** The objects that a ray hits: origin + t * direction for t in 0 .. maxT. `most`: only the first of them. */
    queryRay(origin: Points, direction: Points, maxT?: number, options?: QuerySettings & { most?: number }): Hits;
    /** The objects that a box meets which moves along a direction. */
    queryCast(box: Boxes, direction: Points, maxT?: number, options?: QuerySettings & { most?: number }): Hits;
    /** The k objects whose boxes are nearest to a point. Default: 1. */
    queryNearest(point: Points, k?: number, as?: QuerySettings): Nearest;
    /** Many questions at once, which is several times as fast. In 32 bits. */
    queryBoxes(boxes: Boxes, as?: QuerySettings): BoxAnswers;
    queryRays(origins: Points, directions: Points, maxT?: number, options?: QuerySettings & { most?: number }): HitAnswers;
    queryCasts(boxes: Boxes, directions: Points, maxT?: number, options?: QuerySettings & { most?: number }): HitAnswers;
    queryNearestMany(points: Points, k?: number, as?: QuerySettings): NearestAnswers;

    /** The objects that an object was paired with at the last update, ascending. */
    pairsOf(id: number): Uint32Array;
    /** The number of objects. */
    readonly count: number;
    /** Makes room for this many more objects. */
    reserve(count: number): void;
    /** The figures of the last update. */
    readonly stats: Stats;
    /** Which method the last update ran, and why, in English; with warnings for scenes that are slow. */
    explain(): string;
    /** All objects, and the pairs of the last update: the same bytes for the same state, on every machine. */
    save(): Uint8Array;
    /** A deep check of everything the world holds, for tests. */
    validate(): void;
    /** Gives its memory back. The world is of no use after that; a second time does nothing. */
    dispose(): void;
    [Symbol.dispose](): void;
}

export interface WorldConstructor {
    new (settings?: WorldSettings): World;
    /** A world from what `save` returned. Dimensions, shape, margin and period must be those of the saved world. */
    load(bytes: Uint8Array, settings?: WorldSettings): World;
}

/**
 * Room for numbers in the library's memory: what is written into its view is not copied when it is given to a call (unless that
 * has a filter). What it holds at first is undefined. It lasts as long as it, a view of it or a `subarray` of one is in use, or
 * until `dispose`: views are not to be written to after that.
 *
 *     const boxes = new bp.Floats(6 * n);
 *     boxes.view.set(...);                // each time through .view: an old view is empty after the memory has grown
 *     bp.pairs(boxes.view);
 */
export interface Floats {
    readonly length: number;
    readonly view: Float32Array;
    dispose(): void;
    [Symbol.dispose](): void;
}

/** The half-space beyond `at` along an axis: below it if `side` is 1, above it if `side` is -1. */
export interface Wall {
    axis: 0 | 1 | 2;
    at: number;
    side: 1 | -1;
}

export interface GrainSettings {
    /** Of their centers. */
    places: Points;
    /** One for all, or one for each. */
    radii: number | Numbers;
    /** Default: at rest. */
    speeds?: Points;
    /** Those with a true or a 1 do not move: ground, a bowl. */
    fixed?: ArrayLike<boolean | number>;
    walls?: readonly Wall[];
    /** Default: [0, 0, -1]. */
    gravity?: readonly [number, number, number];
    /** Space repeats after this length along each axis; 0: it does not. */
    period?: readonly [number, number, number];
    /** Of the springs. Default: so stiff that a column as high as all grains gives way by a twentieth of a radius at its bottom. */
    stiffness?: number;
    /** The part of its speed that a grain keeps when it bounces, 0 to 1. Default: 0.2. */
    restitution?: number;
    /** Default: 0.7. */
    friction?: number;
    /** Pairs are searched with this margin, and again when a grain has moved so far. Default: 0.15 mean radii. */
    margin?: number;
    /** Default: a fifteenth of a collision of the two lightest grains. */
    timeStep?: number;
}

/** Soft spheres with friction (Cundall and Strack, 1979): examples/granular of the library. */
export interface Grains {
    readonly count: number;
    readonly timeStep: number;
    /** Steps in time. If memory runs out, the last one of them is not complete. */
    step(steps?: number): void;
    /** x, y, z of all grains, into your array or a new one. */
    places(into?: Float32Array): Float32Array;
    speeds(into?: Float32Array): Float32Array;
    /** Angular speeds. */
    spins(into?: Float32Array): Float32Array;
    /** Pairs of grains that touch: a, b, a, b, ... From `count` up, b is a wall. */
    touching(): Uint32Array;
    /** How many touch. */
    readonly touchingCount: number;
    /** Of motion, spin, springs and height. */
    readonly energy: number;
    /** How often pairs were searched so far, and how long that took. */
    readonly searches: number;
    readonly searchSeconds: number;
    dispose(): void;
    [Symbol.dispose](): void;
}

export interface GrainsConstructor {
    new (settings: GrainSettings): Grains;
}

/** The library in its own memory. Two of them share nothing. */
export interface Broadphase {
    /** Of the library, as "major.minor.patch". */
    readonly version: string;
    /** Whether its inner loops use SIMD. */
    readonly simd: boolean;
    /** Bytes of its memory now; it grows up to 4 GiB, and never shrinks. */
    readonly memoryBytes: number;

    /** All pairs of overlapping boxes, by index: a, b, a, b, ... with a < b. Boxes are closed: touching counts. */
    pairs(boxes: Boxes, settings?: Settings): Uint32Array;
    /** The same without a copy: a view. */
    pairsView(boxes: Boxes, settings?: Settings): Uint32Array;
    /** All pairs of a box of `a` and a box of `b`, by index. */
    pairsBetween(a: Boxes, b: Boxes, settings?: Settings): Uint32Array;
    /** All neighbors of each point: those within a distance of `radius`, which may be one number or one for each point. */
    neighbors(points: Points, radius: number | Numbers, settings?: NeighborSettings): Neighbors;
    /** For each point of `a`, the points of `b` within the radius. */
    neighborsBetween(a: Points, b: Points, radius: number, settings?: NeighborSettings): Neighbors;
    /** Which method `pairs` runs for these boxes, and why, in English. It costs a call of `pairs`. */
    explain(boxes: Boxes, settings?: Settings): string;
    /** The algorithms, "auto" first. */
    methods(): Method[];

    readonly World: WorldConstructor;
    readonly Floats: { new (length: number): Floats };
    readonly Grains: GrainsConstructor;
}

export type Status = "argument" | "box" | "id" | "memory" | "capacity" | "unsupported" | "internal";

/** What a call throws. Its message is the library's own sentence. */
export class BroadphaseError extends Error {
    readonly status: Status;
}

export interface LoadOptions {
    /**
     * The WebAssembly module: an address, a file's path (node), its bytes, a response, or a compiled module. Default: the file
     * beside this one, `broadphase.wasm`, or `broadphase-plain.wasm` where there is no SIMD.
     */
    from?: string | URL | BufferSource | Response | PromiseLike<Response> | WebAssembly.Module;
    /** false: the plain module, without SIMD. Default: SIMD where there is SIMD. */
    simd?: boolean;
    /** The most bytes that its memory may take, up to 4 GiB, the default. */
    maximumMemory?: number;
}

/**
 * Loads the library. `import { load } from "broadphase/inline"` is the same with the WebAssembly inside the JavaScript, for
 * where files and addresses are a nuisance.
 */
export function load(options?: LoadOptions): Promise<Broadphase>;

/** Whether this machine runs WebAssembly with SIMD. */
export function hasSimd(): boolean;
