// The charts of the report, one row each, and the sections that they stand in.
//
// To add one: write a row. Its id is the name of its file; where, x, y and series say which rows it shows and how (see
// report_chart.h); `shows` is one sentence with figures from the data (report_figures.c), `paper` what a paper found.
#include "report/report_chart.h"

const report_section REPORT_SECTIONS[] = {
    {"quick methods", "Beside other libraries",
     "Everything moves in each step, one thread, the whole step: new boxes in, all pairs out. Each library in its "
     "best honest use; all find the same pairs."},
    {"scaling", "Beside the limits of the machine",
     "Unit cubes, two pairs each. A copy and a radix sort are measured in the same run: no method can do with less "
     "than reading all boxes and writing all pairs."},
    {"schornbaum", "The hierarchical grid (Schornbaum 2009)",
     "The experiments of Schornbaum 2009, section 4: cuboids, everything moves, density solved for the pairs wanted. "
     "factor=2 is the structure as Schornbaum 2009 describes it; without a factor the library chooses its levels by "
     "itself."},
    {"koch", "Inhomogeneous and polydisperse scenes (Koch 2020)",
     "The experiments of Koch 2020, section 4, with its parameters. Candidates are pairs that a structure examines "
     "in a step. The times of Koch 2020 are those of whole simulations on another machine: only their ratios mean "
     "something here."},
    {"zhyhallo", "Pivots, dense and in chunks (Zhyhallo and Woźna-Szcześniak)",
     "The experiments of Zhyhallo and Woźna-Szcześniak, section 3: flat scenes of up to 14,336² cells, objects "
     "spread evenly or crowded. Only building the table is measured."},
    {"gissler", "Deforming tissue (Gissler et al.)",
     "The experiments of Gissler et al., section 5, on tissue built in code, of the sizes of its Table 1. cell=edge: "
     "cells as long as the mean edge, as there."},
    {"zych", "Broad and narrow phase (Zych 2016)",
     "The experiments of Zych 2016, section 4: a thousand objects of random shape, one factor at a time. Broad "
     "phases are ours and Bullet's on the same boxes; the narrow phase, libccd, is the same for all, because their "
     "pairs are."},
    {"living neighbors queries", "Worlds with motion",
     "Worlds in which all, some or none move, the neighbours of points, and queries of a world. Times are "
     "medians; the suite itself judges living worlds by their means."},
    {"auto", "The right method by itself", "Every method on every scene beside the one that the library chooses."},
    {"worst worst-search", "Hostile shapes",
     "Needles, plates, onions, half-infinite boxes and other shapes with few pairs, in one call with the default "
     "config, "
     "in turns with a call on as many uniform boxes. What counts is the time for each object and pair."},
    {"trace", "Recordings", "Your own scenes, replayed (broadphase bench --suite trace --file FILE.npy)."},
    {"cuda", "On the GPU", "Boxes and pairs in the card's memory; kernels timed by events, transfers apart."},
    {"mpi", "Over many processes", "Worlds over MPI, balanced by Zoltan."},
};
const size_t REPORT_SECTION_COUNT = sizeof REPORT_SECTIONS / sizeof *REPORT_SECTIONS;

// Fields in groups: what it is, which rows, which axes, words.
// clang-format off
const report_chart REPORT_CHARTS[] = {
    // ---- quick
    {
        .id = "quick-libraries", .suite = "quick",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT,
        .where = "who!=limit;threads=1;n=100000;method!=hierarchical-grid/scalar",
        .x = "name", .y = "total_ms/n*1e6", .series = "scene",
        .y_label = "time per object and step, ns",
        .title = "Time per object, 10⁵ boxes",
        .shows = "The fastest other library takes {margin|hierarchical-grid} times as long as the hierarchical grid, "
                 "whatever the scene.",
    },
    {
        .id = "quick-growth", .suite = "quick",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .where = "who!=limit;threads=1;scene=uniform;method!=hierarchical-grid/scalar",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "The scene uniform, more and more objects",
        .shows = "The time of the hierarchical grid grows as n to the power of {exponent|hierarchical-grid}; Embree's "
                 "as {exponent|embree collide}, ODE's sweep's as {exponent|ode sap}.",
        .paper = "Schornbaum 2009, Fig. 20: all pairs quadratic, the hierarchical grid linear.",
    },
    // ---- methods
    {
        .id = "methods-growth", .suite = "methods",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .where = "who=broadphase;threads=1;scene=uniform;method!=hierarchical-grid/scalar",
        .x = "n", .y = "total_ms/n*1e6", .series = "name",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Every method, per object",
        .shows = "From the smallest to the largest scene the hierarchical grid's time per object grows "
                 "{growth|hierarchical-grid} times, the tree's (bvh) {growth|bvh} times, sweep and prune's "
                 "{growth|sweep-and-prune} times.",
        .paper = "Schornbaum 2009, §4.1: worse than linear while data outgrows the cache, then linear again.",
    },
    {
        .id = "methods-memory", .suite = "methods",
        .kind = CHART_DOTS,
        .where = "who=broadphase;threads=1;scene=uniform;method!=hierarchical-grid/scalar|brute-force", .largest = "n",
        .x = "name", .y = "bytes_per_object", .series = "",
        .y_label = "bytes per object, beside the boxes",
        .title = "Memory of every method",
        .shows = "Structures hold {low|} to {high|} bytes for each of the most boxes measured, most in {high-at|}.",
        .paper = "Koch 2020, Table 11 (rounded): 39 to 73 bytes for a hash grid of 128³ cells, 105 to 236 for the "
                 "octree.",
    },
    // ---- scaling
    {
        .id = "scaling-time", .suite = "scaling",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "who=broadphase|limit|embree;method!=copy",
        .x = "n", .y = "total_ms/n*1e6,=boxes read and pairs written:copying_ms/n*1e6", .series = "name threads",
        .x_label = "objects", .y_label = "ms per million objects",
        .title = "Time per million objects, and what the machine allows",
        .shows = "One thread takes {range|hierarchical-grid threads = 1} ms per million objects, as long as "
                 "{ratio|hierarchical-grid threads = 1|limit radix-sort threads = 1} radix sorts of as many keys; "
                 "reading boxes and writing pairs at the speed of a copy would take {ratio|boxes read and pairs "
                 "written|hierarchical-grid threads = 1} of that.",
        .paper = "Schornbaum 2009, Fig. 22: linear for large numbers, worse than linear where data outgrows the "
                 "cache.",
    },
    {
        .id = "scaling-memory", .suite = "scaling",
        .kind = CHART_LINES, .flags = CHART_LOG_X, .where = "who=broadphase",
        .x = "n", .y = "bytes_per_object", .series = "threads",
        .x_label = "objects", .y_label = "bytes per object",
        .title = "Memory beside the boxes",
        .shows = "One thread needs {last|threads = 1} bytes per object at the largest scene.",
        .paper = "Koch 2020, Table 11: a hash grid of 128³ cells 35 MiB for 5·10⁵ particles, 73 bytes each; the "
                 "octree 168.",
    },
    // ---- schornbaum
    {
        .id = "schornbaum-scaling", .suite = "schornbaum", .experiment = "scaling",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "who=broadphase;scene=uniform|mixed",
        .x = "n", .y = "total_ms", .series = "name scene",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "General scaling, beside all pairs",
        .shows = "The time of the grid grows as n to the power of {exponent|hierarchical-grid uniform} (equal sizes) "
                 "and {exponent|hierarchical-grid mixed} (1:12), that of testing all pairs as {exponent|brute-force "
                 "uniform}.",
        .paper = "Schornbaum 2009, Fig. 20: the grid almost perfectly linear, all pairs quadratic; several grids cost "
                 "little more than one.",
    },
    {
        .id = "schornbaum-set-up", .suite = "schornbaum", .experiment = "set-up",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time until the first pairs, ms",
        .title = "Setting up: from nothing to the first pairs",
        .shows = "Setting up the grid grows as n to the power of {exponent|hierarchical-grid}, Bullet's sweep as "
                 "{exponent|bullet sweep16}.",
        .paper = "Schornbaum 2009, Fig. 21, 27: the grid linear; sweep and prune, which adds one after the other, "
                 "quadratic: a minute for 10⁴ objects.",
    },
    {
        .id = "schornbaum-density", .suite = "schornbaum", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n",
        .x = "pairs=", .y = "total_ms/n*1e6", .series = "name scene",
        .x_label = "pairs per object", .y_label = "time per object and step, ns",
        .title = "Density: more pairs per object",
        .shows = "From one pair per object to eight the time grows {growth|hierarchical-grid uniform} times (equal "
                 "sizes) and {growth|hierarchical-grid mixed} times (1:12).",
        .paper = "Schornbaum 2009, Fig. 22: more collisions and more grids take noticeably more time.",
    },
    {
        .id = "schornbaum-density-growth", .suite = "schornbaum", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=hierarchical-grid",
        .x = "n", .y = "total_ms/n*1e6", .series = "scene pairs=",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Density: more objects",
        .shows = "At two pairs per object the time per object in the largest scene is {growth|uniform pairs = 2} "
                 "times that in the smallest (equal sizes), {growth|mixed pairs = 2} times (1:12).",
        .paper = "Schornbaum 2009, Fig. 22: worse than linear where data outgrows the cache, then almost perfectly "
                 "linear.",
    },
    {
        .id = "schornbaum-factor-uniform", .suite = "schornbaum", .experiment = "hierarchy-factor",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform",
        .x = "n", .y = "total_ms/n*1e6", .series = "name", .drop = "hierarchical-grid ",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Hierarchy factor, equal sizes",
        .shows = "A factor of 10 takes {ratio|factor=10|factor=1.5} times as long as one of 1.5; levels chosen by the "
                 "library take {ratio|hierarchical-grid|factor=2} of the time of factor 2.",
        .paper = "Schornbaum 2009, Fig. 23: the smaller the factor, the fewer objects a cell, the faster.",
    },
    {
        .id = "schornbaum-factor-mixed", .suite = "schornbaum", .experiment = "hierarchy-factor",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=mixed",
        .x = "n", .y = "total_ms/n*1e6", .series = "name", .drop = "hierarchical-grid ",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Hierarchy factor, sizes 1:12",
        .shows = "Factor 1.5 takes {ratio|factor=1.5|factor=2} times the time of factor 2, factor 10 "
                 "{ratio|factor=10|factor=2} times; levels chosen by the library {ratio|hierarchical-grid|factor=2}.",
        .paper = "Schornbaum 2009, Fig. 24: fewer objects a cell against fewer grids; a factor of 2 is best in "
                 "general.",
    },
    {
        .id = "schornbaum-update", .suite = "schornbaum", .experiment = "update",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "method", .y = "total_ms/n*1e6", .series = "motion", .drop = "hierarchical-grid ",
        .y_label = "time per object and step, ns",
        .title = "Update strategies at normal and abnormal motion",
        .shows = "Moving by up to ten sizes instead of a fifth of one costs {ratio|motion = 10|motion = 0.2} times as "
                 "much, by strategy.",
        .paper = "Schornbaum 2009, Fig. 25: at normal motion updating each object by itself is 40 % faster than "
                 "removing and reinserting all; when all change their cell, it is not.",
    },
    {
        .id = "schornbaum-shape", .suite = "schornbaum", .experiment = "shape",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=hierarchical-grid",
        .x = "n", .y = "total_ms/n*1e6", .series = "scene",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Worst cases: long, flat, stretched",
        .shows = "Beside cubes, long boxes take {ratio|long|uniform} times as long, flat ones {ratio|flat|uniform}, a "
                 "domain of 1024:1 {ratio|stretched|uniform}.",
        .paper = "Schornbaum 2009, Fig. 26: long boxes up to 5 times, a distribution of 1024:1 1.5 times.",
    },
    {
        .id = "schornbaum-shape-factor", .suite = "schornbaum", .experiment = "shape",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=hierarchical-grid factor=2",
        .x = "n", .y = "total_ms/n*1e6", .series = "scene",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "The same with the levels of Schornbaum 2009 (factor 2)",
        .shows = "Here long boxes take {ratio|long|uniform} times as long as cubes, flat ones {ratio|flat|uniform}, a "
                 "domain of 1024:1 {ratio|stretched|uniform}.",
        .paper = "Schornbaum 2009, Fig. 26, as above.",
    },
    {
        .id = "schornbaum-motion-20", .suite = "schornbaum", .experiment = "coherence",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform motion=0.2",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Beside sweep and prune: 20 % motion",
        .shows = "Three-axis sweep and prune takes {ratio|sweep-and-prune axes=3|hierarchical-grid} times as long as "
                 "the grid.",
        .paper = "Schornbaum 2009, Fig. 28: with little coherence sweep and prune is slower than testing all pairs.",
    },
    {
        .id = "schornbaum-motion-1", .suite = "schornbaum", .experiment = "coherence",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform motion=0.01",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Beside sweep and prune: 1 % motion",
        .shows = "Three-axis sweep and prune takes {ratio|sweep-and-prune axes=3|hierarchical-grid} times as long as "
                 "the grid.",
        .paper = "Schornbaum 2009, Fig. 29: sweep and prune gains much from coherence, and the grid is still up to "
                 "five times as fast.",
    },
    {
        .id = "schornbaum-motion-sparse", .suite = "schornbaum", .experiment = "coherence",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=sparse*",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Beside sweep and prune: sizes ÷ 10⁵, no pairs",
        .shows = "Three-axis sweep and prune takes {ratio|sweep-and-prune axes=3|hierarchical-grid} of the grid's "
                 "time.",
        .paper = "Schornbaum 2009, Fig. 30: sweep and prune at its best is two to three times faster than the grid.",
    },
    // ---- koch
    {
        .id = "koch-candidates", .suite = "koch",
        .kind = CHART_DOTS, .flags = CHART_LOG_X,
        .where = "experiment!=table-8-10|table-11;method!=hierarchical-grid|linked-cells",
        .x = "scene kind", .y = "tests", .series = "whose",
        .y_label = "candidate pairs in a step",
        .title = "Candidate pairs of every structure and scene",
        .shows = "With the parameters of Koch 2020 our structures examine {ratio|ours|published} times as many pairs "
                 "as there.",
        .paper = "Koch 2020, Tables 1 – 7: the hash grid examines few pairs in every scene, the octree several times "
                 "as many; linked cells up to all there are, where one size is far from the others.",
    },
    {
        .id = "koch-times", .suite = "koch",
        .kind = CHART_DOTS, .flags = CHART_LOG_X,
        .where = "experiment!=table-8-10|table-11;method!=hierarchical-grid|linked-cells*",
        .x = "scene kind", .y = "total_ms", .beside = "method=linked-cells cell*", .series = "whose", .mark = 1,
        .y_label = "time beside linked cells (1: as long)",
        .title = "Time beside linked cells, with the parameters of Koch 2020",
        .shows = "The fastest case takes {low|ours} of the time of linked cells, the slowest {high|ours} times; in "
                 "Koch 2020 {low|published} and {high|published}.",
        .paper = "Koch 2020, Tables 1 – 7: linked cells win on even scenes and at sizes of 8:1, the hash grid where "
                 "space is mostly empty and at sizes of 40:1 (7 times faster) and 360:1 (680 times).",
    },
    {
        .id = "koch-own-times", .suite = "koch",
        .kind = CHART_DOTS, .flags = CHART_LOG_X,
        .where = "who=broadphase;experiment!=table-8-10|table-11;method!=linked-cells|hierarchical-grid grid*",
        .x = "scene", .y = "total_ms/n*1e6", .series = "method", .strip = "cell depth",
        .y_label = "time per object and step, ns",
        .title = "Our grid, as it comes, beside its parameters for linked cells and octree",
        .shows = "Linked cells with the cells of Koch 2020 take {ratio|linked-cells|hierarchical-grid} times as long "
                 "as our hierarchical grid without any parameter, the octree {ratio|octree|hierarchical-grid} times.",
        .paper = "Koch 2020, §5: the hash grid complements linked cells; together almost any scene can be simulated.",
    },
    {
        .id = "koch-scaling-candidates", .suite = "koch", .experiment = "table-8-10",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method!=hierarchical-grid",
        .x = "n", .y = "tests", .series = "whose kind",
        .x_label = "objects in the same space", .y_label = "candidate pairs in a step",
        .title = "Candidates, more and more objects",
        .shows = "Candidates of the octree grow as n to the power of {exponent|ours octree} (Koch 2020: "
                 "{exponent|published octree}), of a hash grid of fixed size as {exponent|ours hierarchical-grid} "
                 "({exponent|published hierarchical-grid}).",
        .paper = "Koch 2020, Tables 8, 10: the octree linear in steps of eight; the hash grid quadratic once it is "
                 "full.",
    },
    {
        .id = "koch-scaling-time", .suite = "koch", .experiment = "table-8-10",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "n", .y = "total_ms", .series = "whose method",
        .x_label = "objects in the same space", .y_label = "time of a step, ms",
        .title = "Time, more and more objects",
        .shows = "Our grid as it comes grows as n to the power of {exponent|ours hierarchical-grid}; with the fixed "
                 "grid of Koch 2020 as {exponent|ours hierarchical-grid grid=128}.",
        .paper = "Koch 2020, §4.2: octree as n to the power of 1.14; hash grid linear until it is full, then towards "
                 "n².",
    },
    {
        .id = "koch-memory", .suite = "koch", .experiment = "table-11",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "n", .y = "bytes_per_object", .series = "whose method",
        .x_label = "objects", .y_label = "bytes per object",
        .title = "Memory",
        .shows = "Our hash grid of 128³ cells needs {range|ours hierarchical-grid grid=128} bytes per object, the "
                 "octree {range|ours octree*}.",
        .paper = "Koch 2020, Table 11 (rounded): 39 to 73 bytes per object for the hash grid of 128³, 105 to 236 for "
                 "the octree.",
    },
    // ---- zhyhallo
    {
        .id = "zhyhallo-memory", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "n=10000;threads=1",
        .x = "cells", .y = "bytes_per_object*n/1048576", .series = "scene method", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "memory, MiB",
        .title = "Memory, 10⁴ objects in larger and larger scenes",
        .shows = "From the smallest to the largest scene a dense table grows {growth|uniform-2d dense} times; chunks "
                 "of 8² cells {growth|clustered-2d chunk=8} times where objects are crowded, {growth|uniform-2d "
                 "chunk=8} times where they are spread.",
        .paper = "Zhyhallo and Woźna-Szcześniak, Fig. 6b: Pozzer's table grows with the scene; chunks do not where "
                 "objects are crowded.",
    },
    {
        .id = "zhyhallo-time", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "n=10000;threads=1",
        .x = "cells", .y = "update_ms", .series = "scene method", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "time to make the table, ms",
        .title = "Time, 10⁴ objects in larger and larger scenes",
        .shows = "In the largest scene the dense table takes {last|uniform-2d dense} ms, chunks of 8² cells "
                 "{last|clustered-2d chunk=8} (crowded) and {last|uniform-2d chunk=8} (spread).",
        .paper = "Zhyhallo and Woźna-Szcześniak, Fig. 6a: the time of chunks does not depend on the scene's size "
                 "either where objects are crowded.",
    },
    {
        .id = "zhyhallo-memory-many", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "n=100000;threads=1",
        .x = "cells", .y = "bytes_per_object*n/1048576", .series = "scene method", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "memory, MiB",
        .title = "Memory, 10⁵ objects",
        .shows = "With ten times as many objects the largest scene takes {last|clustered-2d chunk=8} MiB in chunks "
                 "where they are crowded, {last|uniform-2d chunk=8} where they are spread, {last|uniform-2d dense} in "
                 "a dense table.",
        .paper = "Zhyhallo and Woźna-Szcześniak, Fig. 5: crowded, memory follows the number of objects; spread "
                 "evenly, it grows with the scene.",
    },
    {
        .id = "zhyhallo-threads", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "scene=uniform-2d*", .largest = "n",
        .x = "cells", .y = "update_ms", .series = "method threads", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "time to make the table, ms",
        .title = "One thread and all, objects spread evenly",
        .shows = "On one thread the dense table takes {range|dense threads = 1} ms, chunks of 32² cells "
                 "{range|chunk=32 threads = 1}; the lower lines are those of all threads.",
        .paper = "Zhyhallo and Woźna-Szcześniak, Fig. 4: 2 to 4 times faster on 16 threads; memory, not the "
                 "processor, is the limit.",
    },
    // ---- gissler
    {
        .id = "gissler-points", .suite = "gissler", .experiment = "tetrahedra-points",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "threads=1",
        .x = "name", .y = "total_ms", .series = "scene",
        .y_label = "time of a search, ms",
        .title = "Points against tetrahedra",
        .shows = "Beside the best method of each scene, index sort (compact-grid cell=edge) takes "
                 "{beside|compact-grid cell=edge} times as long, serial hashing {beside|spatial-hash cell=edge}, "
                 "cuckoo hashing {beside|cuckoo-grid cell=edge}, the hierarchical grid {beside|hierarchical-grid}.",
        .paper = "Gissler et al., Fig. 2, 3: index sort updates points faster than serial hashing, even on one core; "
                 "cuckoo hashing is slower.",
    },
    {
        .id = "gissler-edges", .suite = "gissler", .experiment = "edges-triangles",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "threads=1",
        .x = "name", .y = "total_ms", .series = "scene",
        .y_label = "time of a search, ms",
        .title = "Edges against triangles",
        .shows = "Beside the best method of each scene, index sort (compact-grid cell=edge) takes "
                 "{beside|compact-grid cell=edge} times as long, serial hashing {beside|spatial-hash cell=edge}, "
                 "cuckoo hashing {beside|cuckoo-grid cell=edge}, the hierarchical grid {beside|hierarchical-grid}.",
        .paper = "Gissler et al., Fig. 3: index sort falls back where the footprints of many edges are entered.",
    },
    {
        .id = "gissler-threads", .suite = "gissler", .experiment = "edges-triangles",
        .kind = CHART_LINES, .flags = CHART_LOG_X | CHART_LOG_Y,
        .where = "scene=skull;"
                 "method=compact-grid cell=edge|spatial-hash cell=edge|cuckoo-grid cell=edge|hierarchical-grid",
        .x = "threads", .y = "total_ms", .series = "method", .drop = " cell=edge",
        .x_label = "threads", .y_label = "time of a search, ms",
        .title = "More and more threads (skull, edges against triangles)",
        .shows = "From one thread to the most: index sort {first|compact-grid} to {last|compact-grid} ms, cuckoo hashing "
                 "{first|cuckoo-grid} to {last|cuckoo-grid}, the hierarchical grid {first|hierarchical-grid} to "
                 "{last|hierarchical-grid}.",
        .paper = "Gissler et al., §5: on eight cores 3.2 times faster (index sort) and 2.6 times (cuckoo hashing).",
    },
    {
        .id = "gissler-sort", .suite = "gissler", .experiment = "sort",
        .kind = CHART_LINES,
        .where = "method=compact-grid sort=radix|compact-grid sort=adaptive|compact-grid sort=automatic;threads=1",
        .x = "changed", .y = "update_ms", .series = "method", .drop = "compact-grid ",
        .x_label = "share of keys that change in a step", .y_label = "time of an update, ms",
        .title = "What a sort gains from the last order",
        .shows = "With 2 % changed or none the adaptive sort takes {low|sort=adaptive} ms, with all changed "
                 "{high|sort=adaptive}; radix {range|sort=radix}; the automatic one changes over.",
        .paper = "Gissler et al., §5: 128,000 keys on four cores: radix 14 ms whatever changes, the other sort 3 ms "
                 "at 2 %, 6 at 10 %, and as long as radix when all change.",
    },
    {
        .id = "gissler-lines", .suite = "gissler", .experiment = "locality",
        .kind = CHART_DOTS, .where = "cache-lines=d1",
        .x = "order", .y = "tests", .series = "method", .strip = "cache-lines cell",
        .y_label = "cache lines fetched into the first level",
        .title = "Cache lines by the order of the boxes in memory (callgrind)",
        .shows = "Boxes in random order need {beside|random} times the lines of the best order, in the order of the "
                 "mesh {beside|mesh} times; keys along a Z-curve {ratio|compact-grid keys=z-curve|compact-grid} times "
                 "those of row-major keys.",
        .paper = "Gissler et al., §5: the query of edges and triangles gains 8 % from Z-curves, because what is near "
                 "in space is near in memory.",
    },
    {
        .id = "gissler-locality", .suite = "gissler", .experiment = "locality",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "pairs!=0",
        .x = "name", .y = "find_ms", .series = "order",
        .y_label = "time of the query, ms",
        .title = "Time of the query, by the order in memory",
        .shows = "Boxes in random order take {ratio|random|z-curve} times as long as boxes along a Z-curve, in the "
                 "order of the mesh {ratio|mesh|z-curve} times.",
        .paper = "Gissler et al., §5: 8 % on average.",
    },
    // ---- zych
    {
        .id = "zych-objects", .suite = "zych", .experiment = "objects",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "n", .y = "total_ms*1000", .series = "name",
        .x_label = "objects", .y_label = "time of a step, µs",
        .title = "Number of objects: time",
        .shows = "The grid's time grows as n to the power of {exponent|hierarchical-grid}, brute force's as "
                 "{exponent|brute-force}; Bullet's tree takes {ratio|bullet dbvt|hierarchical-grid} times the grid's "
                 "time, its sweep {ratio|bullet sweep16|hierarchical-grid} times.",
        .paper = "Zych 2016, Fig. 4.3 – 4.7: brute force quadratic; sweep and prune (up to 5,000 objects) and BVH "
                 "(beyond) best, octree between.",
    },
    {
        .id = "zych-objects-collisions", .suite = "zych", .experiment = "objects",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=narrow-phase",
        .x = "n", .y = "possible:tests,actual:pairs", .series = "",
        .x_label = "objects", .y_label = "collisions a step",
        .title = "Number of objects: collisions",
        .shows = "Possible collisions grow as n to the power of {exponent|possible}, actual ones as "
                 "{exponent|actual}: both linear.",
        .paper = "Zych 2016, Fig. 4.3 – 4.7: brute force quadratic; sweep and prune (up to 5,000 objects) and BVH "
                 "(beyond) best, octree between.",
    },
    {
        .id = "zych-uniformity", .suite = "zych", .experiment = "uniformity",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n",
        .x = "alpha", .y = "total_ms*1000", .series = "name",
        .x_label = "both parameters of the beta distribution of sizes", .y_label = "time of a step, µs",
        .title = "Uniformity of sizes: time",
        .shows = "From extreme to equal sizes the grid's time is {range|hierarchical-grid} µs, the octree's "
                 "{range|octree}, the loose octree's {range|loose-octree}.",
        .paper = "Zych 2016, Fig. 4.11 – 4.14: BVH and sweep and prune do not care; the octree suffers where sizes "
                 "are extreme, because boxes straddle.",
    },
    {
        .id = "zych-uniformity-collisions", .suite = "zych", .experiment = "uniformity",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=narrow-phase", .largest = "n",
        .x = "alpha", .y = "possible:tests,actual:pairs", .series = "",
        .x_label = "both parameters of the beta distribution of sizes", .y_label = "collisions a step",
        .title = "Uniformity of sizes: collisions",
        .shows = "Extreme sizes ({first|possible} possible collisions, {first|actual} actual) beside equal ones "
                 "({last|possible} and {last|actual}).",
        .paper = "Zych 2016, Fig. 4.11 – 4.14: BVH and sweep and prune do not care; the octree suffers where sizes "
                 "are extreme, because boxes straddle.",
    },
    {
        .id = "zych-static-share", .suite = "zych", .experiment = "static-share",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .largest = "n",
        .x = "static-share", .y = "total_ms*1000", .series = "name",
        .x_label = "share of objects that never move", .y_label = "time of a step, µs",
        .title = "Static share: time",
        .shows = "With nine in ten at rest the grid takes {growth|hierarchical-grid} of the time with none at rest, "
                 "Bullet's tree {growth|bullet dbvt}.",
        .paper = "Zych 2016, Fig. 4.16 – 4.19: everything falls in proportion to the share that rests.",
    },
    {
        .id = "zych-static-share-collisions", .suite = "zych", .experiment = "static-share",
        .kind = CHART_LINES, .where = "method=narrow-phase", .largest = "n",
        .x = "static-share", .y = "possible:tests,actual:pairs", .series = "",
        .x_label = "share of objects that never move", .y_label = "collisions a step",
        .title = "Static share: collisions",
        .shows = "Possible collisions go from {first|possible} to {last|possible}, because two static objects are no "
                 "pair; actual ones from {first|actual} to {last|actual}.",
        .paper = "Zych 2016, Fig. 4.16 – 4.19: everything falls in proportion to the share that rests.",
    },
    {
        .id = "zych-velocity", .suite = "zych", .experiment = "velocity",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .largest = "n",
        .x = "velocity", .y = "total_ms*1000", .series = "name",
        .x_label = "mean velocity, units a step", .y_label = "time of a step, µs",
        .title = "Velocity: time",
        .shows = "From rest to the fastest the grid takes {growth|hierarchical-grid} times as long, Bullet's sweep "
                 "{growth|bullet sweep16} times, its tree {growth|bullet dbvt} times.",
        .paper = "Zych 2016, Fig. 4.20 – 4.23: faster objects cost more, less and less so; sweep and prune suffers "
                 "most, for want of coherence.",
    },
    {
        .id = "zych-velocity-collisions", .suite = "zych", .experiment = "velocity",
        .kind = CHART_LINES, .where = "method=narrow-phase", .largest = "n",
        .x = "velocity", .y = "possible:tests,actual:pairs", .series = "",
        .x_label = "mean velocity, units a step", .y_label = "collisions a step",
        .title = "Velocity: collisions",
        .shows = "Without solid bodies speed changes little: {range|possible} possible collisions, {range|actual} "
                 "actual ones.",
        .paper = "Zych 2016, Fig. 4.20 – 4.23: faster objects cost more, less and less so; sweep and prune suffers "
                 "most, for want of coherence.",
    },
    {
        .id = "zych-density", .suite = "zych", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n",
        .x = "density", .y = "total_ms*1000", .series = "name",
        .x_label = "objects per unit of volume", .y_label = "time of a step, µs",
        .title = "Density: time",
        .shows = "From the thinnest to the densest world the grid takes {growth|hierarchical-grid} times as long, the "
                 "narrow phase {growth|narrow-phase} times.",
        .paper = "Zych 2016, Fig. 4.24 – 4.27: the narrow phase grows with density; the octree's broad phase does "
                 "not.",
    },
    {
        .id = "zych-density-collisions", .suite = "zych", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=narrow-phase", .largest = "n",
        .x = "density", .y = "possible:tests,actual:pairs", .series = "",
        .x_label = "objects per unit of volume", .y_label = "collisions a step",
        .title = "Density: collisions",
        .shows = "Possible collisions grow as density to the power of {exponent|possible}, actual ones as "
                 "{exponent|actual}.",
        .paper = "Zych 2016, Fig. 4.24 – 4.27: the narrow phase grows with density; the octree's broad phase does "
                 "not.",
    },
    {
        .id = "zych-shape", .suite = "zych", .experiment = "shape",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "shape", .y = "total_ms*1000", .series = "name",
        .y_label = "time of a step, µs",
        .title = "Shape: time",
        .shows = "The grid takes {range|hierarchical-grid} µs whatever the shape; the narrow phase "
                 "{range|narrow-phase}, most for {high-at|narrow-phase}.",
        .paper = "Zych 2016, Fig. 4.29 – 4.33: broad phases see boxes only, the narrow phase is dearest for "
                 "compounds; where objects pass through each other, possible collisions are the same for all shapes.",
    },
    {
        .id = "zych-shape-collisions", .suite = "zych", .experiment = "shape",
        .kind = CHART_DOTS, .where = "method=narrow-phase", .largest = "n",
        .x = "shape", .y = "possible:tests,actual:pairs", .series = "",
        .y_label = "collisions a step",
        .title = "Shape: collisions",
        .shows = "{range|possible} possible collisions whatever the shape; actual ones {range|actual}, most for "
                 "{high-at|actual}.",
        .paper = "Zych 2016, Fig. 4.29 – 4.33: broad phases see boxes only, the narrow phase is dearest for "
                 "compounds; where objects pass through each other, possible collisions are the same for all shapes.",
    },
    {
        .id = "zych-phases", .suite = "zych", .experiment = "objects",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "method!=narrow-phase", .largest = "n",
        .x = "name", .y = "update:update_ms,broad phase:find_ms", .series = "",
        .y_label = "time of a step, ms",
        .title = "Update and broad phase, most objects",
        .shows = "The update takes {ratio|update|broad phase} times as long as the broad phase behind it.",
        .paper = "Zych 2016, §4.3: roughly half of the cost of BVH and of sweep and prune is keeping their structures "
                 "up to date.",
    },
    // ---- living
    {
        .id = "living-share", .suite = "living",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "scene=uniform;who=broadphase",
        .x = "tail", .y = "total_ms", .series = "",
        .y_label = "time of an update, ms",
        .title = "10⁶ boxes of which all, some or none move",
        .shows = "From all moving to none moving the time of an update goes from {high|} to {low|} ms.",
    },
    {
        .id = "living-bullet", .suite = "living",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "scene!=uniform",
        .x = "scene tail n", .y = "total_ms", .series = "head",
        .y_label = "time of an update, ms",
        .title = "Beside Bullet's worlds",
        .shows = "Bullet's default takes {ratio|bullet dbvt|hierarchical-grid} times as long as ours; where "
                 "everything has settled, both return at once.",
    },
    // ---- neighbors
    {
        .id = "neighbors-growth", .suite = "neighbors",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "who!=limit;threads=1",
        .x = "n", .y = "total_ms/n*1e6", .series = "name",
        .x_label = "points", .y_label = "time per point, ns",
        .title = "All neighbours within a radius",
        .shows = "The k-d tree, searched in the order of its leaves, takes {ratio|nanoflann "
                 "kd-tree|hierarchical-grid} times as long; asked in the order given {ratio|nanoflann "
                 "kd-tree/as-given|hierarchical-grid} times.",
    },
    // ---- queries
    {
        .id = "queries-kinds", .suite = "queries",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "tail", .y = "total_ms*1000", .series = "head",
        .y_label = "time of one query, µs",
        .title = "Queries of 10⁶ boxes",
        .shows = "Bullet's tree takes {ratio|bullet tree/top-down|hierarchical-grid} times as long, built from the "
                 "top; {ratio|bullet tree|hierarchical-grid} times, built leaf by leaf.",
    },
    // ---- auto
    {
        .id = "auto-choice", .suite = "auto", .experiment = "auto",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "method=auto",
        .x = "scene", .y = "total_ms", .beside = "method!=auto", .series = "n", .strip = "moving", .mark = 1.15,
        .y_label = "time beside the best method of the case",
        .title = "What the library chooses, beside the best",
        .shows = "Over {count} cases the choice takes {range|} times the time of the best method; the dashed line is "
                 "the promised mean.",
        .paper = "Zych 2016, §5, Koch 2020, §5: both wish for a choice that is made automatically, because nobody can "
                 "tell beforehand.",
    },
    // ---- worst
    {
        .id = "worst-time", .suite = "worst", .experiment = "worst",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "kind=auto",
        .x = "scene", .y = "total_ms/work", .beside = "method=uniform-boxes", .series = "n", .mark = 15,
        .y_label = "time for each object and pair, beside uniform boxes",
        .title = "Hostile scenes, alone and between two sets",
        .shows = "Over {count} cases a hostile scene takes {range|} times as long as uniform boxes; the dashed line is "
                 "what was promised. Calls that took too long were ended there.",
    },
    {
        .id = "worst-peers", .suite = "worst", .experiment = "peers",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "scene", .y = "total_ms/n*1e6", .series = "name",
        .y_label = "time per object, ns",
        .title = "Beside CGAL's segment trees",
        .shows = "CGAL takes {ratio|cgal segment-tree|auto} times as long as the default.",
    },
    {
        .id = "worst-found", .suite = "worst-search", .experiment = "search",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "kind=auto",
        .x = "scene", .y = "total_ms/work", .beside = "method=uniform-boxes", .series = "n", .mark = 40,
        .y_label = "time for each object and pair, beside uniform boxes",
        .title = "The worst that a random search found",
        .shows = "The worst of the scenes that were found take {range|} times as long as uniform boxes; the dashed line "
                 "is what was promised. Their parameters stand in the file.",
    },
    // ---- trace
    {
        .id = "trace-methods", .suite = "trace",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "who!=limit",
        .x = "name", .y = "total_ms/n*1e6", .series = "scene",
        .y_label = "time per object and step, ns",
        .title = "Recordings of your own",
        .shows = "Beside the best, the hierarchical grid takes {beside|hierarchical-grid} times as long.",
    },
    // ---- cuda
    {
        .id = "cuda-growth", .suite = "cuda",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene!=identical",
        .x = "n", .y = "kernels_ms/n*1e6", .series = "scene",
        .x_label = "objects", .y_label = "time per object, ns",
        .title = "Time per object on one card",
        .shows = "Equal cubes (uniform) take {range|uniform} ns each, sizes 1:12 (mixed) {range|mixed}, sizes 1:40 "
                 "(more-polydisperse) {range|more-polydisperse}.",
        .paper = "Schornbaum 2009, §5.2: 1.14·10⁹ bodies took 9,120 processor cores in 2009.",
    },
    {
        .id = "cuda-stages", .suite = "cuda",
        .kind = CHART_STACKS, .where = "scene=uniform",
        .x = "n",
        .y = "keys:keys_ms/n*1e6,sort:sort_ms/n*1e6,arrange:arrange_ms/n*1e6,sweep:sweep_ms/n*1e6,scan:scan_ms/n*1e6",
        .series = "",
        .x_label = "", .y_label = "time per object, ns",
        .title = "Where the card spends it (uniform)",
        .shows = "Of the largest scene's time per box, the sweep takes {last|sweep} ns, fetching boxes in order "
                 "{last|arrange}, the sort {last|sort}.",
    },
    // ---- mpi
    {
        .id = "mpi-weak", .suite = "mpi", .experiment = "weak",
        .kind = CHART_LINES, .flags = CHART_WHOLE_X,
        .x = "ranks", .y = "efficiency", .series = "scene", .mark = 0.8,
        .x_label = "ranks, as many objects each", .y_label = "efficiency",
        .title = "Weak scaling",
        .shows = "Efficiency lies between {low|} and {high|}; the dashed line is what was promised for two ranks.",
    },
    {
        .id = "mpi-phases", .suite = "mpi", .experiment = "weak",
        .kind = CHART_STACKS,
        .x = "ranks", .y = "balance:balance_ms,exchange:exchange_ms,find:find_ms,report:report_ms", .series = "",
        .x_label = "", .y_label = "time of a step, ms",
        .title = "Where a rank spends it (weak scaling)",
        .shows = "On the most ranks finding takes {last|find} ms, giving pairs their ids {last|report}, the exchange "
                 "{last|exchange}, balance {last|balance}.",
    },
    {
        .id = "mpi-model", .suite = "mpi", .experiment = "model",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "regions", .y = "counted:ghosts,model:model", .series = "",
        .x_label = "regions", .y_label = "ghosts per region",
        .title = "Ghosts: counted beside the model",
        .shows = "What real partitions need is {ratio|counted|model} of what the model says.",
    },
};
// clang-format on
const size_t REPORT_CHART_COUNT = sizeof REPORT_CHARTS / sizeof *REPORT_CHARTS;
