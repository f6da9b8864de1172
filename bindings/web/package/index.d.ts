/// <reference lib="esnext.disposable" />
/**
 * broadphase: of all these boxes, which pairs overlap? Every overlapping pair, exactly once.
 *
 *     import { load } from "broadphase";
 *     const bp = await load();
 *     const pairs = bp.pairs(new Float32Array([0, 0, 0, 2, 2, 2,  1, 1, 1, 3, 3, 3])); // Uint32Array [0, 1]
 *
 * This file is the manual. Names are those of the C header, in camel case.
 *
 * Input: a Float32Array is compared in 32 bits, a Float64Array or any other list of numbers in 64 bits, exactly. It is
 * copied to the library's memory, unless it is there already (`Floats`).
 * Output: copies, which are yours and do not change. Only properties with "View" in their name are views over the
 * library's memory: read them at once, because the next call may overwrite them, or detach them by growing the memory.
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

/** Options of a call or a world. Everything has a default. */
export interface Settings {
    /** Default: "auto", the library chooses. */
    method?: MethodName;
    /** 3 or 2. In two dimensions boxes have four numbers and points two. */
    dimensions?: 2 | 3;
    /** The order of the pairs: as found (the fastest, and the same on every run), or ascending by (a, b). */
    pairOrder?: "found" | "sorted";
    /** Boxes, or the spheres inside them. */
    shape?: "boxes" | "spheres";
    /** Boxes are enlarged by this length on all sides. */
    margin?: number;
    /** The length after which space repeats along each axis; 0: not periodic. */
    period?: readonly [number, number, number] | readonly [number, number];
    /**
     * Called for each pair, which is slow; return false to exclude the pair. It must not call the library, nor dispose of
     * any of its objects: that throws.
     */
    filter?: (a: number, b: number) => boolean;

    // For experts: broadphase_methods.h explains these.
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

/** Statistics of an update. */
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
    /**
     * 64 bits: what it is. 0, the default, counts as all bits. Numbers are exact up to 2^53, bigints up to 64 bits. What ~ and <<
     * make of numbers is signed: write `>>> 0` behind it.
     */
    group?: number | bigint | ArrayLike<number | bigint>;
    /** 64 bits: what it pairs with. 0, the default, counts as all bits. */
    mask?: number | bigint | ArrayLike<number | bigint>;
    /** Two static objects never pair. */
    static?: boolean | ArrayLike<boolean | number>;
    /** Objects of different islands never pair. */
    island?: number | ArrayLike<number>;
    /** 64 bits for you, which the library only stores. */
    user?: number | bigint | ArrayLike<number | bigint>;
}

/** A query finds what such an object would pair with. Default: everything. */
export interface QuerySettings {
    group?: number | bigint;
    mask?: number | bigint;
    island?: number;
    static?: boolean;
}

export interface WorldObject {
    box: Float64Array;
    group: bigint;
    mask: bigint;
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

/** The results of query i are at `offsets[i]` to `offsets[i + 1] - 1`. */
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
 * The result of an update. Each list is copied out of the world when it is first read, and does not change after that; lists
 * that are never read cost nothing. Read them before the world changes again: after that, reading throws.
 */
export interface Update {
    /** All pairs that overlap now: a, b, a, b, ... with a < b. */
    readonly pairs: Uint32Array;
    /** With events: the pairs that have begun to overlap since the last update, ascending. */
    readonly begun: Uint32Array;
    /** With events: the pairs that no longer overlap, ascending. */
    readonly ended: Uint32Array;
    /** The same without a copy. Read them before the next call to the library. */
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
    /** Changes which others they pair with, from the next update on. Omitted settings are reset to their defaults. */
    setObject(ids: number | ArrayLike<number>, objects?: ObjectSettings): void;
    getObject(id: number): WorldObject;
    /** Finds all pairs of the world as it is now. */
    update(): Update;

    /** The objects whose boxes overlap a box, ascending. */
    queryBox(box: Boxes, as?: QuerySettings): Uint32Array;
    /** The objects that a ray hits: origin + t * direction for t in 0 .. maxT. `maxHits`: only the first of them. */
    queryRay(origin: Points, direction: Points, maxT?: number, options?: QuerySettings & { maxHits?: number }): Hits;
    /** The objects that a box meets when it moves along a direction. */
    queryCast(box: Boxes, direction: Points, maxT?: number, options?: QuerySettings & { maxHits?: number }): Hits;
    /** The k objects whose boxes are nearest to a point. Default: 1. */
    queryNearest(point: Points, k?: number, as?: QuerySettings): Nearest;
    /** Batch queries, several times as fast as single ones. In 32 bits. */
    queryBoxes(boxes: Boxes, as?: QuerySettings): BoxAnswers;
    queryRays(origins: Points, directions: Points, maxT?: number, options?: QuerySettings & { maxHits?: number }): HitAnswers;
    queryCasts(boxes: Boxes, directions: Points, maxT?: number, options?: QuerySettings & { maxHits?: number }): HitAnswers;
    queryNearestMany(points: Points, k?: number, as?: QuerySettings): NearestAnswers;

    /** The objects that an object was paired with at the last update, ascending. */
    pairsOf(id: number): Uint32Array;
    /** The number of objects. */
    readonly count: number;
    /** Reserves memory for this many more objects. */
    reserve(count: number): void;
    /** The statistics of the last update. */
    readonly stats: Stats;
    /** Which method the last update ran, and why, in English; with warnings for scenes that are slow. */
    explain(): string;
    /** All objects, and the pairs of the last update: the same bytes for the same state, on every machine. */
    save(): Uint8Array;
    /** A deep check of everything the world holds, for tests. */
    validate(): void;
    /** Releases its memory. The world cannot be used after that; a second call does nothing. */
    dispose(): void;
    [Symbol.dispose](): void;
}

export interface WorldConstructor {
    new (settings?: WorldSettings): World;
    /** A world from what `save` returned. Dimensions, shape, margin and period must be those of the saved world. */
    load(bytes: Uint8Array, settings?: WorldSettings): World;
}

/**
 * An array in the library's memory: numbers written into its view are not copied when it is passed to a call (unless the call
 * has a filter). Its initial content is undefined. It lives as long as it, a view of it or a `subarray` of one is in use, or
 * until `dispose`; do not write to views after that.
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
    /** Positions of the centers. */
    places: Points;
    /** One for all, or one for each. */
    radii: number | Numbers;
    /** Default: at rest. */
    speeds?: Points;
    /** Grains with true or 1 do not move: ground, a bowl. */
    fixed?: ArrayLike<boolean | number>;
    walls?: readonly Wall[];
    /** Default: [0, 0, -1]. */
    gravity?: readonly [number, number, number];
    /** The length after which space repeats along each axis; 0: not periodic. */
    period?: readonly [number, number, number];
    /** Stiffness of the springs. Default: the bottom of a column of all grains is compressed by a twentieth of a radius. */
    stiffness?: number;
    /** The part of its speed that a grain keeps when it bounces, 0 to 1. Default: 0.2. */
    restitution?: number;
    /** Default: 0.7. */
    friction?: number;
    /** Pairs are searched with this margin, and again when a grain has moved that far. Default: 0.15 mean radii. */
    margin?: number;
    /** Default: a fifteenth of a collision of the two lightest grains. */
    timeStep?: number;
}

/** Soft spheres with friction (Cundall and Strack, 1979): examples/granular of the library. */
export interface Grains {
    readonly count: number;
    readonly timeStep: number;
    /** Simulates time steps. If memory runs out, the last one is incomplete. */
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
    /** Energy of motion, spin, springs and height. */
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
