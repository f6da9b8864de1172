// Charts of the experiments of Zych 2016.
#include "report/report_chart.h"

// clang-format off
static const report_chart ZYCH_CHARTS[] = {
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
};
// clang-format on

const report_section SECTION_ZYCH = {
    .id = "zych",
    .title = "Broad and narrow phase (Zych 2016)",
    .text = "The experiments of Zych 2016, section 4: a thousand objects of random shape, one factor at a time. Broad "
            "phases are ours and Bullet's on the same boxes; the narrow phase, libccd, is the same for all, because "
            "their pairs are.",
    .charts = ZYCH_CHARTS,
    .chart_count = sizeof ZYCH_CHARTS / sizeof *ZYCH_CHARTS,
};
