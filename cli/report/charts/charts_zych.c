// Charts of the experiments of Zych 2016.
#include "report/report_chart.h"

// clang-format off
#define DETECTION                                                                                                      \
    .where = "tail=detection", .y = "total_ms", .series = "head", .y_label = "collision detection of a step, ms"
#define COLLISIONS                                                                                                     \
    .where = "method=dbvt/narrow-phase", .y = "possible:tests,actual:pairs", .series = "", .y_label = "collisions a step"

static const report_chart ZYCH_CHARTS[] = {
    {
        .id = "zych-objects", .suite = "zych", .experiment = "objects",
        .kind = CHART_LINES, .flags = CHART_LOG, DETECTION,
        .x = "n", .x_label = "objects",
        .title = "Number of objects: time",
        .shows = "Time grows as n to the power of {exponent|bullet brute-force} (brute force), {exponent|bullet dbvt} "
                 "(Bullet's tree), {exponent|bullet sweep16} (its sweep), {exponent|plain-octree-kept} (the octree of "
                 "the thesis), {exponent|plain-octree} (the same tree in our sorted form) and {exponent|auto} (what the "
                 "library chooses).",
        .paper = "Zych 2016, Fig. 4.3 – 4.7: brute force quadratic; sweep and prune (up to 5,000 objects) and BVH "
                 "(beyond) best, octree between.",
    },
    {
        .id = "zych-objects-collisions", .suite = "zych", .experiment = "objects",
        .kind = CHART_LINES, .flags = CHART_LOG, COLLISIONS,
        .x = "n", .x_label = "objects",
        .title = "Number of objects: collisions",
        .shows = "Possible collisions grow as n to the power of {exponent|possible}, actual ones as "
                 "{exponent|actual}.",
        .paper = "Zych 2016, Fig. 4.3 – 4.6: both linear.",
    },
    {
        .id = "zych-phases", .suite = "zych", .experiment = "objects",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "tail=;n=1000",
        .x = "name", .y = "update:update_ms,broad phase:find_ms", .series = "",
        .y_label = "time of a step, ms",
        .title = "Update and broad phase, 1,000 objects",
        .shows = "The update of all boxes without any structure takes {at|update|bullet brute-force} ms, with the octree "
                 "of the thesis {at|update|plain-octree-kept}, with Bullet's tree {at|update|bullet dbvt}, with its sweep "
                 "{at|update|bullet sweep16}; but the octree then takes {at|broad phase|plain-octree-kept} ms to find "
                 "pairs, the tree {at|broad phase|bullet dbvt}.",
        .paper = "Zych 2016, §4.3: roughly half of the cost of BVH and of sweep and prune is keeping their structures "
                 "up to date; the octree is cheaper to keep, but not to search.",
    },
    {
        .id = "zych-crossing", .suite = "zych", .experiment = "crossing",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "tail=detection",
        .x = "n", .y = "total_ms", .series = "head velocity",
        .x_label = "objects", .y_label = "collision detection of a step, ms",
        .title = "Where sweep and tree cross",
        .shows = "Bullet's sweep takes {ratio|bullet sweep16 velocity = 0.01|bullet dbvt velocity = 0.01} times the time "
                 "of its tree where objects move 0.01 units a step, {ratio|bullet sweep16 velocity = 0.04|bullet dbvt "
                 "velocity = 0.04} times at 0.04 and {ratio|bullet sweep16 velocity = 0.16|bullet dbvt velocity = 0.16} "
                 "times at 0.16.",
        .paper = "Zych 2016, Fig. 4.7: the sweep is faster up to 5,000 objects, the tree beyond.",
    },
    {
        .id = "zych-levels", .suite = "zych", .experiment = "levels",
        .kind = CHART_LINES, .flags = CHART_LOG_Y | CHART_WHOLE_X,
        .x = "level", .y = "pairs/tests", .series = "n",
        .x_label = "level of the octree, 0 is the root", .y_label = "objects in the list of a node, mean",
        .title = "Length of lists by level",
        .shows = "The root alone holds {at|n = 1,000|0} of 1,000 objects, {at|n = 8,000|0} of 8,000 and "
                 "{at|n = 64,000|0} of 64,000: all that straddle one of its three planes.",
        .paper = "Zych 2016, Fig. 4.9: lists are long near the root.",
    },
    {
        .id = "zych-uniformity", .suite = "zych", .experiment = "uniformity",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n", DETECTION,
        .x = "alpha", .x_label = "both parameters of the beta distribution of sizes",
        .title = "Uniformity of sizes: time",
        .shows = "From extreme to equal sizes Bullet's tree takes {growth|bullet dbvt} times as long, its sweep "
                 "{growth|bullet sweep16} times, the octree of the thesis {growth|plain-octree-kept} times, ours "
                 "{growth|auto} times.",
        .paper = "Zych 2016, Fig. 4.11 – 4.14: BVH and sweep and prune do not care; the octree suffers where sizes "
                 "are extreme, because boxes straddle.",
    },
    {
        .id = "zych-uniformity-collisions", .suite = "zych", .experiment = "uniformity",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n", COLLISIONS,
        .x = "alpha", .x_label = "both parameters of the beta distribution of sizes",
        .title = "Uniformity of sizes: collisions",
        .shows = "Extreme sizes: {first|possible} possible collisions, {first|actual} actual; equal ones: "
                 "{last|possible} and {last|actual}.",
        .paper = "Zych 2016, Fig. 4.11 – 4.15: more possible collisions where sizes are extreme, because boxes fit thin "
                 "objects badly.",
    },
    {
        .id = "zych-static-share", .suite = "zych", .experiment = "static-share",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .largest = "n", DETECTION,
        .x = "static-share", .x_label = "share of objects that never move",
        .title = "Static share: time",
        .shows = "With nine in ten at rest Bullet's tree takes {growth|bullet dbvt} of the time with none at rest, its "
                 "sweep {growth|bullet sweep16}, the octree of the thesis {growth|plain-octree-kept}, ours "
                 "{growth|auto}.",
        .paper = "Zych 2016, Fig. 4.16 – 4.19: everything falls in proportion to the share that rests.",
    },
    {
        .id = "zych-static-share-collisions", .suite = "zych", .experiment = "static-share",
        .kind = CHART_LINES, .largest = "n", COLLISIONS,
        .x = "static-share", .x_label = "share of objects that never move",
        .title = "Static share: collisions",
        .shows = "Possible collisions go from {first|possible} to {last|possible}, actual ones from {first|actual} to "
                 "{last|actual}.",
        .paper = "Zych 2016, Fig. 4.16 – 4.19: both fall in proportion.",
    },
    {
        .id = "zych-velocity", .suite = "zych", .experiment = "velocity",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .largest = "n", DETECTION,
        .x = "velocity", .x_label = "mean velocity, units a step",
        .title = "Velocity: time",
        .shows = "From rest to the fastest Bullet's sweep takes {growth|bullet sweep16} times as long, its tree "
                 "{growth|bullet dbvt} times, the octree of the thesis {growth|plain-octree-kept} times, ours "
                 "{growth|auto} times.",
        .paper = "Zych 2016, Fig. 4.20 – 4.23: faster objects cost more, less and less so; sweep and prune suffers "
                 "most, for want of coherence.",
    },
    {
        .id = "zych-velocity-collisions", .suite = "zych", .experiment = "velocity",
        .kind = CHART_LINES, .largest = "n", COLLISIONS,
        .x = "velocity", .x_label = "mean velocity, units a step",
        .title = "Velocity: collisions",
        .shows = "Possible collisions go from {first|possible} at rest to {last|possible}: Bullet's boxes reach as far as "
                 "a body moves in the step. Actual ones go from {first|actual} to {last|actual}.",
        .paper = "Zych 2016, Fig. 4.20 – 4.23: more of both, the faster they move.",
    },
    {
        .id = "zych-density", .suite = "zych", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n", DETECTION,
        .x = "density", .x_label = "objects per unit of volume",
        .title = "Density: time",
        .shows = "From the thinnest to the densest world Bullet's tree takes {growth|bullet dbvt} times as long, its sweep "
                 "{growth|bullet sweep16} times, the octree of the thesis {growth|plain-octree-kept} times, ours "
                 "{growth|auto} times.",
        .paper = "Zych 2016, Fig. 4.24 – 4.27: the narrow phase grows with density; the octree's broad phase does "
                 "not.",
    },
    {
        .id = "zych-density-collisions", .suite = "zych", .experiment = "density",
        .kind = CHART_LINES, .flags = CHART_LOG, .largest = "n", COLLISIONS,
        .x = "density", .x_label = "objects per unit of volume",
        .title = "Density: collisions",
        .shows = "Possible collisions grow as density to the power of {exponent|possible}, actual ones as "
                 "{exponent|actual}.",
        .paper = "Zych 2016, Fig. 4.24 – 4.27: actual collisions grow much less than possible ones, because solid "
                 "bodies have few neighbors.",
    },
    {
        .id = "zych-shape", .suite = "zych", .experiment = "shape",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n", DETECTION,
        .x = "shape",
        .title = "Shape: time",
        .shows = "With Bullet's tree a step takes {range|bullet dbvt} ms, with ours {range|auto}; most for "
                 "{high-at|auto}, least for {low-at|auto}.",
        .paper = "Zych 2016, Fig. 4.29 – 4.32: broad phases see boxes only; the narrow phase is dearest for compounds "
                 "and cheapest for spheres.",
    },
    {
        .id = "zych-shape-stages", .suite = "zych", .experiment = "shape",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n", .where = "method=auto|auto/narrow-phase",
        .x = "shape", .y = "total_ms", .series = "method",
        .y_label = "time of a step, ms",
        .title = "Shape: our broad phase, and Bullet's narrow phase",
        .shows = "The broad phase, update included, takes {range|auto} ms, the narrow phase {range|auto/narrow-phase}: "
                 "most for {high-at|auto/narrow-phase}, least for {low-at|auto/narrow-phase}.",
        .paper = "Zych 2016, Fig. 4.29 – 4.32, as above.",
    },
    {
        .id = "zych-shape-collisions", .suite = "zych", .experiment = "shape",
        .kind = CHART_DOTS, .largest = "n", COLLISIONS,
        .x = "shape",
        .title = "Shape: collisions",
        .shows = "{range|possible} possible collisions, most for {high-at|possible}; actual ones {range|actual}, most for "
                 "{high-at|actual}.",
        .paper = "Zych 2016, Fig. 4.29 – 4.32: most actual collisions: box, cylinder, cone, sphere, compound, capsule.",
    },
    {
        .id = "zych-penetrable", .suite = "zych", .experiment = "penetrable",
        .kind = CHART_DOTS, .largest = "n", .where = "method=auto/narrow-phase",
        .x = "shape", .y = "possible:tests,actual:pairs", .series = "",
        .y_label = "collisions a step",
        .title = "Shape: collisions where nobody is pushed away",
        .shows = "Boxes, spheres and cylinders have {at|possible|box}, {at|possible|sphere} and {at|possible|cylinder} "
                 "possible collisions, capsules {at|possible|capsule}, cones {at|possible|cone}.",
        .paper = "Zych 2016, Fig. 4.33: possible collisions are the same for all shapes, but fewer for capsules, which "
                 "are narrower.",
    },
    {
        .id = "zych-terrain", .suite = "zych", .experiment = "terrain",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n", .where = "tail=",
        .x = "name", .y = "total_ms", .series = "terrain",
        .y_label = "update and broad phase of a step, ms",
        .title = "In the air (terrain = 0) and settled on hills (terrain = 1)",
        .shows = "On the hills Bullet's sweep takes {at|terrain = 1|bullet sweep16} ms instead of "
                 "{at|terrain = 0|bullet sweep16}, its tree {at|terrain = 1|bullet dbvt} instead of "
                 "{at|terrain = 0|bullet dbvt}, ours {at|terrain = 1|auto} instead of {at|terrain = 0|auto}.",
        .paper = "Zych 2016, §2.3.1, Fig. 2.26: things that settle on a terrain are clustered along y, where small "
                 "motions then change the order a lot.",
    },
    {
        .id = "zych-wishes", .suite = "zych", .experiment = "wishes",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .largest = "n",
        .x = "name", .y = "total_ms", .series = "",
        .y_label = "update and broad phase of a step, ms",
        .title = "Wishes: an octree that cuts objects into pieces, hash tables",
        .shows = "An octree with objects in every leaf takes {at||textbook leaf-octree} ms, a plain one "
                 "{at||plain-octree}, a loose one {at||loose-octree}; hashed cells {at||spatial-hash open} (open), "
                 "{at||spatial-hash chained} (chained), {at||cuckoo-grid} (cuckoo); the hierarchical grid "
                 "{at||hierarchical-grid linked} linked and {at||hierarchical-grid} sorted.",
        .paper = "Zych 2016, §4.3: it would be interesting to experiment with these.",
    },
};
// clang-format on

const report_section SECTION_ZYCH = {
    .id = "zych",
    .title = "Broad and narrow phase in an engine (Zych 2016)",
    .text =
        "The experiments of Zych 2016, section 4, as there inside Bullet: a thousand solid bodies of random shape, one "
        "factor at a time. plain-octree-kept is the octree of the thesis, which moves objects one by one; "
        "plain-octree the same tree rebuilt in our sorted form; auto what the library chooses.",
    .charts = ZYCH_CHARTS,
    .chart_count = sizeof ZYCH_CHARTS / sizeof *ZYCH_CHARTS,
};
