// Charts of this library beside others, and beside the limits of the machine.
#include "report/report_chart.h"

// clang-format off
static const report_chart PEERS_CHARTS[] = {
    {
        .id = "quick-libraries", .suite = "quick",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT,
        .where = "who!=limit;threads=1;n=100000;method!=hierarchical-grid/scalar",
        .x = "library", .y = "total_ms/n*1e6", .series = "scene",
        .y_label = "time per object and step, ns",
        .title = "Time per object with 10⁵ boxes",
        .shows = "broadphase is {margin|broadphase|broadphase one call|broadphase sweep-and-prune*} times as fast as the "
                 "fastest other library, depending on the scene. \"One call\" chooses its method and keeps nothing from step "
                 "to step; \"sweep-and-prune/1\" is our sweep along one axis.",
    },
    {
        .id = "quick-growth", .suite = "quick",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .where = "who!=limit;threads=1;scene=uniform;method!=hierarchical-grid/scalar",
        .x = "n", .y = "total_ms", .series = "library",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Growth with the number of objects (scene uniform)",
        .shown = "broadphase|embree collide|cgal segment-tree|boost rtree|fcl tree|bullet dbvt|ode sap",
        .shows = "The time of broadphase grows as n to the power of {exponent|broadphase}; that of Embree as {exponent|embree "
                 "collide}, that of ODE's sweep as {exponent|ode sap}.",
    },
    {
        .id = "methods-growth", .suite = "methods",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .where = "who=broadphase;threads=1;scene=uniform;method!=hierarchical-grid/scalar",
        .x = "n", .y = "total_ms/n*1e6", .series = "name",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Every method: time per object",
        .shown = "hierarchical-grid|linked-cells|compact-grid|octree|bvh|sweep-and-prune|brute-force",
        .shows = "Per object, 10⁶ boxes take {growth|hierarchical-grid} times the time of 10⁴ in the hierarchical grid, "
                 "{growth|bvh} times in the tree (bvh), {growth|sweep-and-prune} times in sweep and prune.",
    },
    {
        .id = "methods-memory", .suite = "methods",
        .kind = CHART_DOTS,
        .where = "who=broadphase;threads=1;scene=uniform;method!=hierarchical-grid/scalar|brute-force", .largest = "n",
        .x = "name", .y = "bytes_per_object", .series = "",
        .y_label = "bytes per object, beside the boxes",
        .title = "Memory of every method",
        .shows = "Structures take {low|} ({low-at|}) to {high|} bytes ({high-at|}) for each of a million boxes.",
        .paper = "Koch 2020, Table 11 (rounded): 39 to 73 bytes for a hash grid of 128³ cells, 105 to 236 for the "
                 "octree.",
    },
};
// clang-format on

const report_section SECTION_PEERS = {
    .id = "quick",
    .title = "Beside other libraries",
    .text = "All boxes move in each step, and the whole step is timed on one thread: new boxes in, all pairs out. Each "
            "library is used in the fastest fair way; all find the same pairs.",
    .charts = PEERS_CHARTS,
    .chart_count = sizeof PEERS_CHARTS / sizeof *PEERS_CHARTS,
};

// clang-format off
static const report_chart SCALING_CHARTS[] = {
    {
        .id = "scaling-time", .suite = "scaling",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "who=broadphase|limit|embree;method!=copy",
        .x = "n", .y = "total_ms/n*1e6,=boxes read and pairs written:copying_ms/n*1e6", .series = "name threads",
        .x_label = "objects", .y_label = "ms per million objects",
        .title = "Time per million objects, and what the machine allows",
        .shows = "One thread takes {range|hierarchical-grid threads = 1} ms per million objects, which is the time of "
                 "{ratio|hierarchical-grid threads = 1|limit radix-sort threads = 1} radix sorts of as many keys; "
                 "reading the boxes and writing the pairs at the speed of a copy would take {ratio|boxes read and pairs "
                 "written|hierarchical-grid threads = 1} of it.",
    },
    {
        .id = "scaling-memory", .suite = "scaling",
        .kind = CHART_LINES, .flags = CHART_LOG_X, .where = "who=broadphase",
        .x = "n", .y = "bytes_per_object", .series = "threads",
        .x_label = "objects", .y_label = "bytes per object",
        .title = "Memory beside the boxes",
        .shows = "One thread needs {last|threads = 1} bytes per object at the largest scene.",
    },
};
// clang-format on

const report_section SECTION_SCALING = {
    .id = "scaling",
    .title = "Beside the limits of the machine",
    .text = "Unit cubes, two pairs each. A copy and a radix sort are measured in the same run: no method can do with "
            "less than reading all boxes and writing all pairs.",
    .charts = SCALING_CHARTS,
    .chart_count = sizeof SCALING_CHARTS / sizeof *SCALING_CHARTS,
};
