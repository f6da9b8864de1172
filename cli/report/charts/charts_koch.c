// Charts of the experiments of Koch 2020.
#include "report/report_chart.h"

#define LINKED(size) "hierarchical-grid form=linked grid=" #size " update=rebuild"

// Tables 1 to 7, and of their rows those of the structures that Koch compares.
#define COMPARED "experiment!=table-8-10|table-11;method!="
#define VARIANTS                                                                                                       \
    "hierarchical-grid grid=128|hierarchical-grid grid=256|hierarchical-grid form=linked grid=128 update=individual|"  \
    "hierarchical-grid form=linked grid=256 update=individual|octree depth=6 n*|octree depth=8 n*|octree depth=10 n*|" \
    "linked-cells cell=4 s*|linked-cells cell=40 s*|linked-cells cell=360 s*"

// clang-format off
static const report_chart KOCH_CHARTS[] = {
    {
        .id = "koch-candidates", .suite = "koch",
        .kind = CHART_DOTS, .flags = CHART_LOG_X,
        .where = COMPARED "hierarchical-grid|linked-cells|" VARIANTS,
        .x = "scene kind", .y = "tests", .series = "whose",
        .y_label = "candidate pairs in a step",
        .title = "Candidate pairs of every structure and scene",
        .shows = "With the parameters of Koch 2020 our structures examine {ratio|ours|published} times as many pairs "
                 "as there; counted by its rules, our scenes give {ratio|rules|published} times its numbers (that of the "
                 "hash grid at 8:1, which gives twice, must be the sum of half the steps).",
        .paper = "Koch 2020, Tables 1 – 7: the hash grid examines few pairs in every scene, the octree several times "
                 "as many; linked cells up to all there are, where one size is far from the others.",
    },
    {
        .id = "koch-times", .suite = "koch",
        .kind = CHART_DOTS, .flags = CHART_LOG_X,
        .where = COMPARED "hierarchical-grid|linked-cells*|" VARIANTS,
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
        .where = "who=broadphase;" COMPARED "linked-cells|" VARIANTS,
        .x = "scene", .y = "total_ms/n*1e6", .series = "method", .strip = "cell depth grid update",
        .y_label = "time per object and step, ns",
        .title = "Our grid with default settings, beside linked cells and octree with the parameters of Koch 2020",
        .shows = "Linked cells with the cells of Koch 2020 take {ratio|linked-cells|hierarchical-grid} times as long "
                 "as our hierarchical grid without any parameter, the octree {ratio|octree|hierarchical-grid} times, "
                 "Koch's hash grid of linked lists {ratio|hierarchical-grid form=linked|hierarchical-grid} times.",
        .paper = "Koch 2020, §5: the hash grid complements linked cells; together almost any scene can be simulated.",
    },
    {
        .id = "koch-scaling-candidates", .suite = "koch", .experiment = "table-8-10",
        .kind = CHART_LINES, .flags = CHART_LOG, 
        .where = "who=broadphase|paper;method!=hierarchical-grid|hierarchical-grid grid=128",
        .x = "n", .y = "tests", .series = "whose kind",
        .x_label = "objects in the same space", .y_label = "candidate pairs in a step",
        .title = "Growth of candidates with the number of objects",
        .shows = "Candidates of the octree grow as n to the power of {exponent|ours octree} (Koch 2020: "
                 "{exponent|published octree}), of a hash grid of fixed size as {exponent|ours hierarchical-grid} "
                 "({exponent|published hierarchical-grid}).",
        .paper = "Koch 2020, Tables 8, 10: the octree linear in steps of eight; the hash grid quadratic once it is "
                 "full.",
    },
    {
        .id = "koch-scaling-time", .suite = "koch", .experiment = "table-8-10",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "who=broadphase|paper",
        .x = "n", .y = "total_ms", .series = "whose method",
        .x_label = "objects in the same space", .y_label = "time of a step, ms",
        .title = "Growth of time with the number of objects",
        .shows = "The time of our grid with default settings grows as n to the power of {exponent|ours hierarchical-grid}; with the fixed "
                 "grid of Koch 2020 as {exponent|ours hierarchical-grid grid=128}, and as linked lists, as there, as "
                 "{exponent|ours " LINKED(128) "} ({exponent|published " LINKED(128) "}).",
        .paper = "Koch 2020, §4.2: octree as n to the power of 1.14; hash grid linear until it is full, then towards "
                 "n².",
    },
    {
        .id = "koch-memory", .suite = "koch", .experiment = "table-11",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "n", .y = "bytes_per_object", .series = "whose method",
        .x_label = "objects", .y_label = "bytes per object",
        .title = "Memory",
        .shows = "Our hash grid of 128³ cells needs {range|ours " LINKED(128) "} bytes per object, the "
                 "octree {range|ours octree*}.",
        .paper = "Koch 2020, Table 11 (rounded): 39 to 73 bytes per object for the hash grid of 128³, 105 to 236 for "
                 "the octree.",
    },
};
// clang-format on

const report_section SECTION_KOCH = {
    .id = "koch",
    .title = "Inhomogeneous and polydisperse scenes (Koch 2020)",
    .text =
        "The experiments of Koch 2020, section 4, with its parameters. Its hash grid is the structure of Schornbaum "
        "2009, cells as linked lists, cleared and filled again in each step. Candidates are pairs that a structure "
        "examines in a step. The times of Koch 2020 are those of whole simulations on another machine: only their "
        "ratios mean something here.",
    .charts = KOCH_CHARTS,
    .chart_count = sizeof KOCH_CHARTS / sizeof *KOCH_CHARTS,
};
