// Charts of the experiments of Schornbaum 2009.
#include "report/report_chart.h"

#define LINKED "hierarchical-grid form=linked factor=2"

#define LINKED_FACTORS                                                                                                 \
    "form=linked factor=1.5|form=linked factor=2|form=linked factor=3|form=linked factor=5|form=linked factor=10"

// clang-format off
static const report_chart SCHORNBAUM_CHARTS[] = {
    {
        .id = "schornbaum-scaling", .suite = "schornbaum", .experiment = "scaling",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .where = "who=broadphase;scene=uniform|mixed;method!=" LINKED " below=1",
        .x = "n", .y = "total_ms", .series = "name scene",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "General scaling, beside all pairs",
        .shows = "From 10⁴ objects on the time of our grid grows as n to the power of {exponent|hierarchical-grid "
                 "uniform|10000} (equal sizes) and {exponent|hierarchical-grid mixed|10000} (1:12), that of the linked "
                 "one as {exponent|" LINKED " uniform|10000} and {exponent|" LINKED " mixed|10000}, of testing all pairs "
                 "as {exponent|brute-force uniform|1000}. The linked grid takes {ratio|" LINKED " "
                 "uniform|hierarchical-grid uniform} times as long as ours.",
        .paper = "Schornbaum 2009, Fig. 20: the grid almost perfectly linear, all pairs quadratic; several grids cost "
                 "little more than one.",
    },
    {
        .id = "schornbaum-set-up", .suite = "schornbaum", .experiment = "set-up",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time until the first pairs, ms",
        .title = "Setting up: from nothing to the first pairs",
        .shows = "Setting up our grid grows as n to the power of {exponent|hierarchical-grid}, one object after the "
                 "other into the linked one as {exponent|" LINKED "}, Bullet's sweep as "
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
        .shows = "From one pair per object to eight the time of our grid grows {growth|hierarchical-grid uniform} times "
                 "(equal sizes) and {growth|hierarchical-grid mixed} times (1:12), that of the linked one "
                 "{growth|" LINKED " uniform} and {growth|" LINKED " mixed} times.",
        .paper = "Schornbaum 2009, Fig. 22: more collisions and more grids take noticeably more time.",
    },
    {
        .id = "schornbaum-density-growth", .suite = "schornbaum", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=" LINKED,
        .x = "n", .y = "total_ms/n*1e6", .series = "scene pairs=",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Density: more objects in the linked grid",
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
        .shown = LINKED_FACTORS "|hierarchical-grid",
        .shows = "In the linked grid a factor of 10 takes {ratio|form=linked factor=10|form=linked factor=1.5} times as "
                 "long as one of 1.5, in the sorted grid {ratio|factor=10|factor=1.5} times; levels chosen by the "
                 "library take {ratio|hierarchical-grid|factor=2} of the time of the sorted grid with factor 2.",
        .paper = "Schornbaum 2009, Fig. 23: the smaller the factor, the fewer objects a cell, the faster.",
    },
    {
        .id = "schornbaum-factor-mixed", .suite = "schornbaum", .experiment = "hierarchy-factor",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=mixed",
        .x = "n", .y = "total_ms/n*1e6", .series = "name", .drop = "hierarchical-grid ",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "Hierarchy factor, sizes 1:12",
        .shown = LINKED_FACTORS "|hierarchical-grid",
        .shows = "In the linked grid factor 1.5 takes {ratio|form=linked factor=1.5|form=linked factor=2} times the time "
                 "of factor 2, factor 10 {ratio|form=linked factor=10|form=linked factor=2} times; in the sorted one "
                 "{ratio|factor=1.5|factor=2} and {ratio|factor=10|factor=2}, and levels chosen by the library "
                 "{ratio|hierarchical-grid|factor=2}.",
        .paper = "Schornbaum 2009, Fig. 24: fewer objects a cell against fewer grids; a factor of 2 is best in "
                 "general.",
    },
    {
        .id = "schornbaum-update", .suite = "schornbaum", .experiment = "update",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "method", .y = "update_ms/n*1e6", .series = "motion", .drop = "hierarchical-grid ",
        .y_label = "update per object and step, ns",
        .title = "Update strategies at normal and abnormal motion, without the search",
        .shows = "Moving by up to ten times the size instead of a fifth of it costs {ratio|motion = 10|motion = 0.2} times as "
                 "much, depending on the strategy; update=rebuild of the linked grid removes and inserts all.",
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
        .id = "schornbaum-shape-linked", .suite = "schornbaum", .experiment = "shape",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "method=" LINKED,
        .x = "n", .y = "total_ms/n*1e6", .series = "scene",
        .x_label = "objects", .y_label = "time per object and step, ns",
        .title = "The same in the structure of Schornbaum 2009",
        .shows = "Here long boxes take {ratio|long|uniform} times as long as cubes, flat ones {ratio|flat|uniform}, a "
                 "domain of 1024:1 {ratio|stretched|uniform}.",
        .paper = "Schornbaum 2009, Fig. 26: see above.",
    },
    {
        .id = "schornbaum-motion-20", .suite = "schornbaum", .experiment = "coherence",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform motion=0.2",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Beside sweep and prune: 20 % motion",
        .shows = "Three-axis sweep and prune takes {ratio|sweep-and-prune axes=3|hierarchical-grid} times as long as "
                 "our grid, {ratio|sweep-and-prune axes=3|" LINKED "} times as long as the linked one.",
        .paper = "Schornbaum 2009, Fig. 28: with little coherence sweep and prune is slower than testing all pairs.",
    },
    {
        .id = "schornbaum-motion-1", .suite = "schornbaum", .experiment = "coherence",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=uniform motion=0.01",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Beside sweep and prune: 1 % motion",
        .shows = "Three-axis sweep and prune takes {ratio|sweep-and-prune axes=3|hierarchical-grid} times as long as "
                 "our grid, {ratio|sweep-and-prune axes=3|" LINKED "} times as long as the linked one.",
        .paper = "Schornbaum 2009, Fig. 29: sweep and prune gains much from coherence, and the grid is still up to "
                 "five times as fast.",
    },
    {
        .id = "schornbaum-motion-sparse", .suite = "schornbaum", .experiment = "coherence",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene=sparse*",
        .x = "n", .y = "total_ms", .series = "name",
        .x_label = "objects", .y_label = "time of a step, ms",
        .title = "Beside sweep and prune: sizes ÷ 10⁵, no pairs",
        .shows = "Three-axis sweep and prune takes {ratio|sweep-and-prune axes=3|" LINKED "} of the linked grid's time, "
                 "{ratio|sweep-and-prune axes=3|hierarchical-grid} times that of ours.",
        .paper = "Schornbaum 2009, Fig. 30: sweep and prune at its best is two to three times faster than the grid.",
    },
};
// clang-format on

const report_section SECTION_SCHORNBAUM = {
    .id = "schornbaum",
    .title = "The hierarchical grid (Schornbaum 2009)",
    .text = "The experiments of Schornbaum 2009, section 4: cuboids, everything moves, density solved for the pairs "
            "wanted. form=linked is the structure as Schornbaum 2009 describes it: cells are lists, factor is the "
            "hierarchy factor, and objects are updated one by one unless update=rebuild says that all are removed and "
            "inserted again. Without form=linked it is our sorted grid, whose levels the library chooses unless a "
            "factor is given.",
    .charts = SCHORNBAUM_CHARTS,
    .chart_count = sizeof SCHORNBAUM_CHARTS / sizeof *SCHORNBAUM_CHARTS,
};
