// What Zych 2016 found, and whether our rows say the same. It prints no numbers: its charts are pictures. Beside the figures
// stand the conclusions of section 4.3, a claim each.
#include "report/report_claims.h"

// clang-format off
// Update and broad phase apart: "bullet dbvt update", "bullet dbvt broad phase".
#define STAGES(of, by)                                                                                                 \
    {.suite = "zych", .experiment = (of), .where = "tail=", .x = (by), .y = "update:update_ms,broad phase:find_ms",        \
     .series = "name"}
// The narrow phase: "bullet dbvt time", "bullet dbvt possible", "bullet dbvt actual".
#define NARROW(of, by)                                                                                                 \
    {.suite = "zych", .experiment = (of), .where = "tail=narrow-phase", .x = (by),                                         \
     .y = "time:total_ms,possible:tests,actual:pairs", .series = "head"}
// The same where x is the shape.
#define STAGES_BY_SHAPE                                                                                                \
    {.suite = "zych", .experiment = "shape", .kind = CHART_DOTS, .where = "tail=", .x = "shape",                       \
     .y = "update:update_ms,broad phase:find_ms", .series = "name"}
#define NARROW_BY_SHAPE                                                                                                \
    {.suite = "zych", .experiment = "shape", .kind = CHART_DOTS, .where = "tail=narrow-phase", .x = "shape",           \
     .y = "time:total_ms,possible:tests,actual:pairs", .series = "head"}
// The whole of the collision detection.
#define DETECTION(of, by)                                                                                              \
    {.suite = "zych", .experiment = (of), .where = "tail=detection", .x = (by), .y = "total_ms", .series = "head"}
// Parts beside the whole: "bullet dbvt update", "bullet dbvt/detection all".
#define SHARES                                                                                                         \
    {.suite = "zych", .experiment = "objects", .where = "tail!=narrow-phase;kind=dbvt*|sweep16*|plain-octree-kept*|auto*", .x = "n",                   \
     .y = "update:update_ms,broad phase:find_ms,all:total_ms", .series = "name"}

#define FASTER_AND_FASTER "Faster objects collide more often and cost more, less and less so: "

static const report_claim CLAIMS[] = {
    {
        .figures = "Fig. 2.26",
        .found = "Things that settle on a terrain are clustered along y, where small motions then change the order of a "
                 "sweep a lot (§2.3.1).",
        .chart = "zych-terrain",
        .agrees = "{ratio|terrain = 1|terrain = 0|bullet sweep16} > 1.1; {ratio|terrain = 1|terrain = 0|bullet sweep16} > "
                  "{ratio|terrain = 1|terrain = 0|bullet dbvt}",
        .direction = "{ratio|terrain = 1|terrain = 0|bullet sweep16} > {ratio|terrain = 1|terrain = 0|bullet dbvt}",
        .ours = "Settled on hills instead of flying, 4,000 objects cost the sweep {ratio|terrain = 1|terrain = 0|bullet "
                "sweep16} times the time, the tree {ratio|terrain = 1|terrain = 0|bullet dbvt} times, ours "
                "{ratio|terrain = 1|terrain = 0|auto} times.",
        .reason = "The thesis argues this and does not measure it. Settled bodies hardly move, so that few of them pass each "
                  "other along y: the sweep takes {at|terrain = 1|bullet sweep16} ms on the hills and {at|terrain = 0|bullet "
                  "sweep16} in the air.",
    },
    {
        .figures = "Fig. 4.3",
        .found = "Brute force grows quadratically and bounds the whole collision detection, while the pairs that it "
                 "reports grow linearly.",
        .chart = "zych-objects",
        .rows = {NARROW("objects", "n")},
        .agrees = "{exponent|bullet brute-force} ~10% 2; {2:exponent|bullet brute-force possible} ~10% 1",
        .direction = "{exponent|bullet brute-force} > 1.5",
        .ours = "Time grows as n to the power of {exponent|bullet brute-force}, possible collisions as {2:exponent|bullet "
                "brute-force possible}.",
        .reason = "The exponents are {exponent|bullet brute-force} and {2:exponent|bullet brute-force possible}.",
    },
    {
        .figures = "Fig. 4.4",
        .found = "With the tree time grows between linear and quasi-linear; narrow phase and update bound it, not the "
                 "search for pairs.",
        .chart = "zych-objects",
        .rows = {STAGES("objects", "n"), NARROW("objects", "n")},
        .agrees = "{exponent|bullet dbvt} <= 1.2; {2:ratio|bullet dbvt broad phase|bullet dbvt update} < 0.5",
        .direction = "{exponent|bullet dbvt|500|4000} <= 1.2; {exponent|bullet dbvt} < 1.5; {2:ratio|bullet dbvt broad "
                     "phase|bullet dbvt update} < 0.5",
        .ours = "Time grows as n to the power of {exponent|bullet dbvt}; the search for pairs takes {2:ratio|bullet dbvt "
                "broad phase|bullet dbvt update} of the time of the update.",
        .reason = "Up to 4,000 objects the exponent is {exponent|bullet dbvt|500|4000}, beyond {exponent|bullet "
                  "dbvt|4000|16000}. The narrow phase, whose pairs grow as n to the power of {3:exponent|bullet dbvt "
                  "possible|4000}, grows as {3:exponent|bullet dbvt time|4000} there: it is the memory of larger worlds.",
    },
    {
        .figures = "Fig. 4.5",
        .found = "The octree is much slower than tree and sweep and much faster than brute force; its growth resembles a "
                 "quadratic one.",
        .chart = "zych-objects",
        .agrees = "{ratio|plain-octree-kept|bullet dbvt} > 1; {ratio|plain-octree-kept|bullet sweep16} > 1; "
                  "{ratio|plain-octree-kept|bullet brute-force} < 1; {exponent|plain-octree-kept} ~10% 2",
        .direction = "{ratio|plain-octree-kept|bullet dbvt} > 1; {ratio|plain-octree-kept|bullet brute-force} < 1; "
                     "{exponent|plain-octree-kept} > {exponent|bullet dbvt}",
        .ours = "The octree of the thesis takes {ratio|plain-octree-kept|bullet dbvt} times the time of the tree, "
                "{ratio|plain-octree-kept|bullet sweep16} times that of the sweep and {ratio|plain-octree-kept|bullet "
                "brute-force} of that of brute force, and grows as n to the power of {exponent|plain-octree-kept}; the same "
                "tree, built afresh in each step, takes {ratio|plain-octree|bullet dbvt} of the time of Bullet's tree.",
        .reason = "The sweep is slower here than there (see Fig. 4.6): it grows as n to the power of {exponent|bullet "
                  "sweep16}, the octree as {exponent|plain-octree-kept}.",
    },
    {
        .figures = "Fig. 4.6",
        .found = "With the sweep time grows between linear and quasi-linear; its broad phase takes no time, because pairs "
                 "are kept in the update.",
        .chart = "zych-objects",
        .rows = {STAGES("objects", "n"), {.suite = "zych", .experiment = "crossing", .where = "tail=detection", .x = "n",
                                          .y = "total_ms", .series = "head velocity"}},
        .agrees = "{exponent|bullet sweep16} <= 1.2; {2:ratio|bullet sweep16 broad phase|bullet sweep16 update} < 0.01",
        .direction = "{exponent|bullet sweep16} < {exponent|bullet brute-force}; {2:ratio|bullet sweep16 broad "
                     "phase|bullet sweep16 update} < 0.01",
        .ours = "Time grows as n to the power of {exponent|bullet sweep16}; the broad phase takes {2:high|bullet sweep16 "
                "broad phase} ms at most.",
        .reason = "At 0.64 units a step an end passes the more others the more there are. Slower objects agree: the "
                  "exponent is {3:exponent|bullet sweep16 velocity = 0.01} at 0.01 units a step, {3:exponent|bullet sweep16 "
                  "velocity = 0.16} at 0.16.",
    },
    {
        .figures = "Fig. 4.7",
        .found = "The sweep is faster than the tree up to 5,000 objects, and the tree beyond.",
        .chart = "zych-crossing",
        .rows = {DETECTION("objects", "n")},
        .agrees = "{2:cross|bullet sweep16|bullet dbvt} ~20% 5000",
        .ours = "At 0.16 units a step the tree is faster from {cross|bullet sweep16 velocity = 0.16|bullet dbvt velocity = "
                "0.16} objects on, and the sweep below ({ratio|bullet sweep16 velocity = 0.16|bullet dbvt velocity = 0.16} "
                "times its time); at 0.64 from {2:cross|bullet sweep16|bullet dbvt} on; at 0.04 the sweep takes "
                "{ratio|bullet sweep16 velocity = 0.04|bullet dbvt velocity = 0.04} of the tree's time.",
        .reason = "Where they cross depends on the velocity, whose unit the thesis leaves open: its 40 units are taken as "
                  "40 units a second, 0.64 a step, where the sweep takes {2:ratio|bullet sweep16|bullet dbvt} times the "
                  "tree's time; a quarter of that gives its crossing.",
    },
    {
        .figures = "Fig. 4.8",
        .found = "About 60 % of the time with the octree is spent in the test of all collisions.",
        .printed = "60 %",
        .rows = {SHARES},
        .agrees = "{ratio|plain-octree-kept broad phase|plain-octree-kept/detection all|1000} ~20% 0.6",
        .direction = "{ratio|plain-octree-kept broad phase|plain-octree-kept/detection all|1000} > 0.4",
        .ours = "The search for pairs takes {ratio|plain-octree-kept broad phase|plain-octree-kept/detection all|1000} of "
                "the collision detection of 1,000 objects, {ratio|plain-octree-kept broad "
                "phase|plain-octree-kept/detection all|16000} of that of 16,000.",
        .reason = "It is {ratio|plain-octree-kept broad phase|plain-octree-kept/detection all|1000} with 1,000 objects.",
    },
    {
        .figures = "Fig. 4.9",
        .found = "Lists are long near the root, and shorter from level to level: objects straddle the planes of the upper "
                 "nodes.",
        .chart = "zych-levels",
        .agrees = "{falls|n = 1,000} >= 1; {falls|n = 8,000} >= 1; {falls|n = 64,000} >= 1",
        .ours = "The root has {at|n = 1,000|0} of 1,000 objects, the nodes of level 1 {at|n = 1,000|1} each, those of level "
                "2 {at|n = 1,000|2}; of 64,000 objects {at|n = 64,000|0}, {at|n = 64,000|1} and {at|n = 64,000|2}.",
        .reason = "Lists fall in {falls|n = 1,000} of the steps from level to level.",
    },
    // ---- uniformity
    {
        .figures = "Fig. 4.11",
        .found = "Brute force does not care for the uniformity of sizes; there are more possible collisions where sizes are "
                 "extreme, and the narrow phase takes longer.",
        .chart = "zych-uniformity",
        .rows = {STAGES("uniformity", "alpha"), NARROW("uniformity", "alpha")},
        .agrees = "{2:spread|bullet brute-force broad phase} < 1.25; {3:growth|bullet brute-force possible} < 0.9; "
                  "{3:growth|bullet brute-force time} < 0.9",
        .direction = "{3:growth|bullet brute-force possible} < 1",
        .ours = "Its broad phase takes {2:range|bullet brute-force broad phase} ms; from extreme to equal sizes possible "
                "collisions fall to {3:growth|bullet brute-force possible}, the time of the narrow phase to "
                "{3:growth|bullet brute-force time}.",
        .reason = "The broad phase takes {2:range|bullet brute-force broad phase} ms.",
    },
    {
        .figures = "Fig. 4.12",
        .found = "The tree does not care for the uniformity of sizes; the narrow phase does.",
        .chart = "zych-uniformity",
        .rows = {STAGES("uniformity", "alpha"), NARROW("uniformity", "alpha")},
        .agrees = "{2:spread|bullet dbvt update} < 1.25; {3:growth|bullet dbvt time} < 0.9",
        .direction = "{2:spread|bullet dbvt update} < {3:spread|bullet dbvt time}",
        .ours = "Its update takes {2:range|bullet dbvt update} ms; from extreme to equal sizes the narrow phase falls to "
                "{3:growth|bullet dbvt time} of its time.",
        .reason = "The update takes {2:range|bullet dbvt update} ms.",
    },
    {
        .figures = "Fig. 4.13",
        .found = "The octree takes longer where sizes are extreme: the boxes of thin objects are loose, and straddle more.",
        .chart = "zych-uniformity",
        .rows = {STAGES("uniformity", "alpha")},
        .agrees = "{2:growth|plain-octree-kept broad phase} < 0.9",
        .direction = "{2:growth|plain-octree-kept broad phase} < 1",
        .ours = "From extreme to equal sizes its broad phase falls to {2:growth|plain-octree-kept broad phase} of its time "
                "({2:range|plain-octree-kept broad phase} ms).",
        .reason = "Its broad phase takes {2:range|plain-octree-kept broad phase} ms.",
    },
    {
        .figures = "Fig. 4.14",
        .found = "The sweep does not care for the uniformity of sizes; the narrow phase does.",
        .chart = "zych-uniformity",
        .rows = {STAGES("uniformity", "alpha"), NARROW("uniformity", "alpha")},
        .agrees = "{2:spread|bullet sweep16 update} < 1.25; {3:growth|bullet sweep16 time} < 0.9",
        .direction = "{2:spread|bullet sweep16 update} < {3:spread|bullet sweep16 time}",
        .ours = "Its update takes {2:range|bullet sweep16 update} ms; the narrow phase falls to {3:growth|bullet sweep16 "
                "time} of its time.",
        .reason = "The update takes {2:range|bullet sweep16 update} ms.",
    },
    // ---- static share
    {
        .figures = "Fig. 4.16",
        .found = "Possible and actual collisions, narrow phase and update fall in proportion to what rests; so does the "
                 "broad phase of brute force, which the thesis cannot explain.",
        .chart = "zych-static-share",
        .rows = {STAGES("static-share", "static-share"), NARROW("static-share", "static-share")},
        .agrees = "{3:growth|bullet brute-force possible} ~20% 0.1; {3:growth|bullet brute-force time} ~20% 0.1; "
                  "{2:falls|bullet brute-force broad phase} >= 1",
        .direction = "{3:growth|bullet brute-force possible} ~20% 0.1; {3:growth|bullet brute-force time} ~20% 0.1",
        .ours = "With nine in ten at rest possible collisions fall to {3:growth|bullet brute-force possible}, the narrow "
                "phase to {3:growth|bullet brute-force time}, the update to {2:growth|bullet brute-force update}, the "
                "broad phase to {2:growth|bullet brute-force broad phase}.",
        .reason = "Brute force tests all pairs whatever rests, as theory says: {2:range|bullet brute-force broad phase} ms "
                  "without a trend.",
    },
    {
        .figures = "Fig. 4.17",
        .found = "With the tree everything falls in proportion to what rests.",
        .chart = "zych-static-share",
        .rows = {STAGES("static-share", "static-share"), NARROW("static-share", "static-share")},
        .agrees = "{growth|bullet dbvt} < 0.4; {falls|bullet dbvt} >= 1; {3:falls|bullet dbvt possible} >= 1",
        .direction = "{growth|bullet dbvt} < 1",
        .ours = "With nine in ten at rest it takes {growth|bullet dbvt} of the time; possible collisions fall to "
                "{3:growth|bullet dbvt possible}, the update to {2:growth|bullet dbvt update}.",
        .reason = "It falls to {growth|bullet dbvt}.",
    },
    {
        .figures = "Fig. 4.18",
        .found = "With the octree everything falls in proportion to what rests.",
        .chart = "zych-static-share",
        .rows = {STAGES("static-share", "static-share")},
        .agrees = "{growth|plain-octree-kept} < 0.4; {falls|plain-octree-kept} >= 1",
        .direction = "{growth|plain-octree-kept} < 1",
        .ours = "With nine in ten at rest it takes {growth|plain-octree-kept} of the time: ours searches for the pairs of "
                "what moves where that is little, {2:growth|plain-octree-kept broad phase} of the time for all.",
        .reason = "It falls to {growth|plain-octree-kept}.",
    },
    {
        .figures = "Fig. 4.19",
        .found = "With the sweep everything falls in proportion to what rests.",
        .chart = "zych-static-share",
        .rows = {STAGES("static-share", "static-share")},
        .agrees = "{growth|bullet sweep16} < 0.4; {falls|bullet sweep16} >= 1",
        .direction = "{growth|bullet sweep16} < 1",
        .ours = "With nine in ten at rest it takes {growth|bullet sweep16} of the time, its update {2:growth|bullet sweep16 "
                "update}.",
        .reason = "It falls to {growth|bullet sweep16}.",
    },
    // ---- velocity
    {
        .figures = "Fig. 4.20",
        .found = FASTER_AND_FASTER "even the broad phase of brute force, which the thesis cannot explain.",
        .chart = "zych-velocity",
        .rows = {STAGES("velocity", "velocity"), NARROW("velocity", "velocity")},
        .agrees = "{3:growth|bullet brute-force time} > 1.1; {2:growth|bullet brute-force broad phase} > 1.1; "
                  "{2:rises|bullet brute-force broad phase} >= 1",
        .direction = "{3:growth|bullet brute-force time} > 1.1; {3:growth|bullet brute-force possible} > 1.1",
        .ours = "From rest to 2.56 units a step the narrow phase takes {3:growth|bullet brute-force time} times as long, "
                "the broad phase {2:growth|bullet brute-force broad phase} times. Possible collisions rise because "
                "Bullet's boxes reach as far as a body moves in the step: from {3:first|bullet brute-force possible} to "
                "{3:last|bullet brute-force possible}.",
        .reason = "Brute force tests as many pairs at any velocity; only what it finds grows, {3:growth|bullet brute-force "
                  "possible} times, and that costs little: {2:range|bullet brute-force broad phase} ms.",
    },
    {
        .figures = "Fig. 4.21",
        .found = FASTER_AND_FASTER "so with the tree.",
        .chart = "zych-velocity",
        .agrees = "{rises|bullet dbvt} >= 1; {exponent|bullet dbvt|0.04} < 1",
        .direction = "{growth|bullet dbvt} > 1",
        .ours = "Time goes from {first|bullet dbvt} ms at rest to {at|bullet dbvt|0.64} at 0.64 units a step and "
                "{last|bullet dbvt} at 2.56: as velocity to the power of {exponent|bullet dbvt|0.04}.",
        .reason = "The exponent is {exponent|bullet dbvt|0.04}.",
    },
    {
        .figures = "Fig. 4.22",
        .found = FASTER_AND_FASTER "so with the octree, whose broad phase should not depend on it.",
        .chart = "zych-velocity",
        .rows = {STAGES("velocity", "velocity")},
        .agrees = "{rises|plain-octree-kept} >= 1; {exponent|plain-octree-kept|0.04} < 1; {2:exponent|plain-octree-kept "
                  "broad phase|0.04} > 0",
        .direction = "{growth|plain-octree-kept} > 1",
        .ours = "Time goes from {first|plain-octree-kept} ms at rest to {last|plain-octree-kept} at 2.56 units a step, its "
                "broad phase from {2:at|plain-octree-kept broad phase|0.04} at 0.04 to {2:last|plain-octree-kept broad "
                "phase}: Bullet's boxes reach as far as a body moves in the step, so that more of them straddle. That is "
                "the dependency that the thesis looked for.",
        .reason = "The exponent is {exponent|plain-octree-kept|0.04}.",
    },
    {
        .figures = "Fig. 4.23",
        .found = FASTER_AND_FASTER "so with the sweep, which suffers more than the octree, for want of coherence.",
        .chart = "zych-velocity",
        .agrees = "{rises|bullet sweep16} >= 1; {exponent|bullet sweep16|0.04} < 1; {growth|bullet sweep16} > "
                  "{growth|plain-octree-kept}",
        .direction = "{growth|bullet sweep16} > {growth|plain-octree-kept}",
        .ours = "From rest to 2.56 units a step it takes {growth|bullet sweep16} times as long, the tree {growth|bullet "
                "dbvt} times, the octree {growth|plain-octree-kept} times; as velocity to the power of {exponent|bullet "
                "sweep16|0.04}.",
        .reason = "The exponent is {exponent|bullet sweep16|0.04}: it does not level off as much.",
    },
    // ---- density
    {
        .figures = "Fig. 4.24",
        .found = "In denser worlds possible collisions and the narrow phase grow, actual collisions much less, the update "
                 "not at all; so does the broad phase of brute force, which the thesis finds baffling.",
        .chart = "zych-density",
        .rows = {STAGES("density", "density"), NARROW("density", "density")},
        .agrees = "{3:growth|bullet brute-force possible} > {3:growth|bullet brute-force actual}; {3:growth|bullet "
                  "brute-force time} > 1.1; {2:spread|bullet brute-force update} < 1.25; {2:growth|bullet brute-force broad "
                  "phase} > 1.1",
        .direction = "{3:growth|bullet brute-force time} > 1.1; {2:spread|bullet brute-force update} < 1.25",
        .ours = "From 0.01 to 0.5 objects a unit of volume possible collisions grow {3:growth|bullet brute-force possible} "
                "times, actual ones {3:growth|bullet brute-force actual} times, the narrow phase {3:growth|bullet "
                "brute-force time} times, the broad phase {2:growth|bullet brute-force broad phase} times.",
        .reason = "At half an object in a unit of volume bodies are not yet crowded: actual collisions grow {3:growth|bullet "
                  "brute-force actual} times, possible ones {3:growth|bullet brute-force possible} times; the broad phase, "
                  "which adds and removes more pairs, takes {2:range|bullet brute-force broad phase} ms.",
    },
    {
        .figures = "Fig. 4.25",
        .found = "The tree's broad phase and its update grow moderately with density.",
        .chart = "zych-density",
        .rows = {STAGES("density", "density"), NARROW("density", "density")},
        .agrees = "{2:growth|bullet dbvt update} > 1.1; {2:growth|bullet dbvt update} < 3; {2:growth|bullet dbvt broad "
                  "phase} > 1.1; {2:growth|bullet dbvt broad phase} < 3",
        .direction = "{2:growth|bullet dbvt update} > 1.1; {2:growth|bullet dbvt broad phase} > 1.1",
        .ours = "From 0.01 to 0.5 the update takes {2:growth|bullet dbvt update} times as long, the broad phase "
                "{2:growth|bullet dbvt broad phase} times, the narrow phase {3:growth|bullet dbvt time} times.",
        .reason = "The search grows with the pairs that it finds, {3:growth|bullet dbvt possible} times as many; beside the "
                  "update it is small: {2:last|bullet dbvt broad phase} ms of {2:last|bullet dbvt update} at most.",
    },
    {
        .figures = "Fig. 4.26",
        .found = "The octree's broad phase and its update do not depend on density, because the tree divides space in "
                 "proportion.",
        .chart = "zych-density",
        .rows = {STAGES("density", "density"), NARROW("density", "density")},
        .agrees = "{2:spread|plain-octree-kept broad phase} < 1.25; {2:spread|plain-octree-kept update} < 1.25",
        .ours = "From 0.01 to 0.5 its broad phase takes {2:growth|plain-octree-kept broad phase} times as long, its update "
                "{2:growth|plain-octree-kept update} times, the narrow phase {3:growth|plain-octree-kept time} times.",
        .reason = "The update does not depend on it, the search does: {2:range|plain-octree-kept broad phase} ms. Objects do "
                  "not shrink with the world, so that in a dense one they are larger beside its cells, and there are "
                  "{3:growth|plain-octree-kept possible} times as many possible collisions to find.",
    },
    {
        .figures = "Fig. 4.27",
        .found = "The sweep's update grows with density: small motions change the order more often.",
        .chart = "zych-density",
        .rows = {STAGES("density", "density")},
        .agrees = "{2:rises|bullet sweep16 update} >= 1; {2:growth|bullet sweep16 update} > 1.1",
        .direction = "{2:growth|bullet sweep16 update} > 1",
        .ours = "From 0.01 to 0.5 its update takes {2:growth|bullet sweep16 update} times as long.",
        .reason = "It takes {2:growth|bullet sweep16 update} times as long.",
    },
    // ---- shapes
    {
        .figures = "Fig. 4.29",
        .found = "Actual collisions, most first: box, cylinder, cone, sphere, compound, capsule; the broad phase does not "
                 "depend on the shape.",
        .chart = "zych-shape-collisions",
        .rows = {STAGES_BY_SHAPE, NARROW_BY_SHAPE},
        .agrees = "{3:at|bullet brute-force actual|box} > {3:at|bullet brute-force actual|cylinder}; {3:at|bullet brute-force "
                  "actual|cylinder} > {3:at|bullet brute-force actual|cone}; {3:at|bullet brute-force actual|cone} > "
                  "{3:at|bullet brute-force actual|sphere}; {3:at|bullet brute-force actual|sphere} > {3:at|bullet "
                  "brute-force actual|compound}; {3:at|bullet brute-force actual|compound} > {3:at|bullet brute-force "
                  "actual|capsule}; {2:spread|bullet brute-force broad phase} < 1.25",
        .direction = "{3:at|bullet brute-force actual|box} > {3:at|bullet brute-force actual|cylinder}; {3:at|bullet "
                     "brute-force actual|cylinder} > {3:at|bullet brute-force actual|cone}; {3:at|bullet brute-force "
                     "actual|cone} > {3:at|bullet brute-force actual|sphere}; {3:at|bullet brute-force actual|sphere} > "
                     "{3:at|bullet brute-force actual|capsule}; {2:spread|bullet brute-force broad phase} < 1.25",
        .ours = "Box {3:at|bullet brute-force actual|box}, cylinder {3:at|bullet brute-force actual|cylinder}, cone "
                "{3:at|bullet brute-force actual|cone}, sphere {3:at|bullet brute-force actual|sphere}, compound "
                "{3:at|bullet brute-force actual|compound}, capsule {3:at|bullet brute-force actual|capsule}; the broad "
                "phase takes {2:range|bullet brute-force broad phase} ms.",
        .reason = "The order is the same but for compounds, with {3:at|bullet brute-force actual|compound} actual collisions: "
                  "Bullet counts each pair of their parts, and how far apart the thesis puts these is not printed.",
    },
    {
        .figures = "Fig. 4.30",
        .found = "With the tree the update takes as long for all shapes but cones, whose boxes Bullet computes by its general "
                 "way; the narrow phase takes longest for compounds and shortest for spheres.",
        .chart = "zych-shape",
        .rows = {STAGES_BY_SHAPE, NARROW_BY_SHAPE},
        .agrees = "{2:at|bullet dbvt update|cone} > {2:at|bullet dbvt update|box}; {2:at|bullet dbvt update|cone} > "
                  "{2:at|bullet dbvt update|sphere}; {3:at|bullet dbvt time|compound} >= {3:high|bullet dbvt time}; "
                  "{3:at|bullet dbvt time|sphere} <= {3:low|bullet dbvt time}",
        .direction = "{2:at|bullet dbvt update|cone} > {2:at|bullet dbvt update|box}; {3:at|bullet dbvt time|compound} >= "
                     "{3:high|bullet dbvt time}; {3:at|bullet dbvt time|sphere} < {3:at|bullet dbvt time|cone}",
        .ours = "The update takes {2:at|bullet dbvt update|cone} ms for cones, {2:at|bullet dbvt update|box} for boxes and "
                "{2:at|bullet dbvt update|sphere} for spheres; the narrow phase {3:at|bullet dbvt time|compound} for "
                "compounds, {3:at|bullet dbvt time|sphere} for spheres, {3:at|bullet dbvt time|capsule} for capsules.",
        .reason = "Capsules, which are narrower and have fewer possible collisions ({3:at|bullet dbvt possible|capsule}, "
                  "spheres {3:at|bullet dbvt possible|sphere}), take {3:at|bullet dbvt time|capsule} ms, spheres "
                  "{3:at|bullet dbvt time|sphere}.",
    },
    {
        .figures = "Fig. 4.31",
        .found = "The octree's broad phase does not depend on the shape; the narrow phase takes longest for compounds and "
                 "shortest for spheres.",
        .chart = "zych-shape",
        .rows = {STAGES_BY_SHAPE, NARROW_BY_SHAPE},
        .agrees = "{2:spread|plain-octree-kept broad phase} < 1.25; {3:at|plain-octree-kept time|compound} >= "
                  "{3:high|plain-octree-kept time}; {3:at|plain-octree-kept time|sphere} <= {3:low|plain-octree-kept time}",
        .direction = "{2:spread|plain-octree-kept broad phase} < {3:spread|plain-octree-kept time}; "
                     "{3:at|plain-octree-kept time|compound} >= {3:high|plain-octree-kept time}",
        .ours = "The broad phase takes {2:range|plain-octree-kept broad phase} ms, the narrow phase {3:range|plain-octree-kept "
                "time}: {3:at|plain-octree-kept time|compound} for compounds, {3:at|plain-octree-kept time|sphere} for "
                "spheres.",
        .reason = "Broad phases see boxes only, but boxes of turned shapes differ: it takes {2:at|plain-octree-kept broad "
                  "phase|sphere} ms for spheres, {2:at|plain-octree-kept broad phase|box} for boxes, "
                  "{2:at|plain-octree-kept broad phase|compound} for compounds.",
    },
    {
        .figures = "Fig. 4.32",
        .found = "The sweep's time does not depend on the shape, apart from cones; the narrow phase takes longest for "
                 "compounds and shortest for spheres.",
        .chart = "zych-shape",
        .rows = {STAGES_BY_SHAPE, NARROW_BY_SHAPE},
        .agrees = "{2:spread|bullet sweep16 update} < 1.25; {3:at|bullet sweep16 time|compound} >= {3:high|bullet sweep16 "
                  "time}; {3:at|bullet sweep16 time|sphere} <= {3:low|bullet sweep16 time}",
        .direction = "{2:spread|bullet sweep16 update} < {3:spread|bullet sweep16 time}; {3:at|bullet sweep16 "
                     "time|compound} >= {3:high|bullet sweep16 time}",
        .ours = "The update takes {2:range|bullet sweep16 update} ms, the narrow phase {3:range|bullet sweep16 time}.",
        .reason = "Boxes of turned shapes differ, and so do the updates: {2:at|bullet sweep16 update|cone} ms for cones, "
                  "{2:at|bullet sweep16 update|box} for boxes, {2:at|bullet sweep16 update|compound} for compounds, "
                  "{2:at|bullet sweep16 update|sphere} for spheres, {2:at|bullet sweep16 update|capsule} for capsules.",
    },
    {
        .figures = "Fig. 4.33",
        .found = "Where nobody is pushed away, possible collisions are the same for all shapes, but fewer for capsules.",
        .chart = "zych-penetrable",
        .agrees = "{at|possible|box} ~10% {at|possible|sphere}; {at|possible|cylinder} ~10% {at|possible|sphere}; "
                  "{at|possible|capsule} < {at|possible|sphere}; {at|possible|cone} ~10% {at|possible|sphere}; "
                  "{at|possible|compound} ~10% {at|possible|sphere}",
        .direction = "{at|possible|box} ~10% {at|possible|sphere}; {at|possible|cylinder} ~10% {at|possible|sphere}; "
                     "{at|possible|capsule} < {at|possible|sphere}",
        .ours = "Box {at|possible|box}, sphere {at|possible|sphere}, cylinder {at|possible|cylinder}, capsule "
                "{at|possible|capsule}, cone {at|possible|cone}, compound {at|possible|compound}.",
        .reason = "Bullet's box of a cone has a margin more ({at|possible|cone} possible collisions), and compounds reach "
                  "further ({at|possible|compound}): how far the thesis moves their parts is not printed.",
    },
    // ---- conclusions
    {
        .figures = "§4.3 sweep",
        .found = "The sweep is the most efficient broad phase in most cases, and the tree little less.",
        .chart = "zych-objects",
        .rows = {{.suite = "zych", .experiment = "crossing", .where = "tail=detection", .x = "n", .y = "total_ms",
                  .series = "head velocity"}},
        .agrees = "{mean-ratio|bullet sweep16|bullet dbvt} < 1",
        .ours = "Of Bullet's broad phases the sweep takes {2:mean-ratio|bullet sweep16 velocity = 0.04|bullet dbvt velocity = "
                "0.04} of the tree's time where objects move 0.04 units a step, and {mean-ratio|bullet sweep16|bullet dbvt} "
                "times at 0.64; with ours the whole takes {mean-ratio|auto|bullet dbvt} of the time with the tree.",
        .reason = "At the standard velocity, as we read it, coherence is too low for the sweep: {ratio|bullet sweep16|bullet "
                  "dbvt} times the tree's time. Where objects move a sixteenth of that, we find what the thesis found.",
    },
    {
        .figures = "§4.3 coherence",
        .found = "In scenes of very low coherence the sweep is comparable to the naive approach, and the tree is the choice.",
        .chart = "zych-velocity",
        .agrees = "{last-ratio|bullet sweep16|bullet brute-force} >= 0.5; {last-ratio|bullet sweep16|bullet dbvt} > 1.1",
        .direction = "{last-ratio|bullet sweep16|bullet dbvt} > 1.1",
        .ours = "At 2.56 units a step it takes {last-ratio|bullet sweep16|bullet brute-force} of the time of brute force and "
                "{last-ratio|bullet sweep16|bullet dbvt} times that of the tree.",
        .reason = "It comes near the naive approach, but with 1,000 objects still takes {last-ratio|bullet sweep16|bullet "
                  "brute-force} of its time.",
    },
    {
        .figures = "§4.3 maintenance",
        .found = "Roughly half of the cost with sweep or tree is keeping their structures; the search for pairs is a very "
                 "small part.",
        .printed = "roughly half",
        .rows = {SHARES},
        .agrees = "{ratio|bullet dbvt update|bullet dbvt/detection all|1000} ~20% 0.5; {ratio|bullet sweep16 "
                  "update|bullet sweep16/detection all|1000} ~20% 0.5; {ratio|bullet dbvt broad phase|bullet "
                  "dbvt/detection all|1000} < 0.1",
        .direction = "{ratio|bullet dbvt update|bullet dbvt/detection all|1000} >= 0.4; {ratio|bullet sweep16 "
                     "update|bullet sweep16/detection all|1000} >= 0.4; {ratio|bullet dbvt broad phase|bullet "
                     "dbvt/detection all|1000} < 0.1",
        .ours = "The update takes {ratio|bullet dbvt update|bullet dbvt/detection all|1000} of the time with the tree, "
                "{ratio|bullet sweep16 update|bullet sweep16/detection all|1000} with the sweep; the tree's search "
                "{ratio|bullet dbvt broad phase|bullet dbvt/detection all|1000}. With ours the update takes "
                "{ratio|auto update|auto/detection all|1000}.",
        .reason = "With the sweep it is more than half, {ratio|bullet sweep16 update|bullet sweep16/detection all|1000}: at the "
                  "standard velocity, as we read it, many ends pass each other (see Fig. 4.7).",
    },
    {
        .figures = "§4.3 octree",
        .found = "An octree costs much less to maintain than sweep or tree, but the search then costs so much more that it "
                 "does not pay.",
        .chart = "zych-objects",
        .rows = {STAGES("objects", "n")},
        .agrees = "{2:ratio|plain-octree-kept update|bullet dbvt update} < 0.5; {2:ratio|plain-octree-kept update|bullet "
                  "sweep16 update} < 0.5; {2:ratio|plain-octree-kept broad phase|bullet dbvt broad phase} > 3; "
                  "{ratio|plain-octree-kept|bullet dbvt} > 1",
        .direction = "{2:mean-ratio|plain-octree-kept update|bullet dbvt update} < 1; {mean-ratio|plain-octree-kept|bullet "
                     "dbvt} > 1",
        .ours = "The update of the octree of the thesis takes {2:ratio|plain-octree-kept update|bullet dbvt update} of the tree's and "
                "{2:ratio|plain-octree-kept update|bullet sweep16 update} of the sweep's, its search "
                "{2:ratio|plain-octree-kept broad phase|bullet dbvt broad phase} times the tree's. Sorted and tested eight "
                "at a time, the same tree does pay: {ratio|plain-octree|bullet dbvt} of the time with Bullet's tree.",
        .reason = "Its update takes {2:ratio|plain-octree-kept update|bullet dbvt update} of the tree's.",
    },
    {
        .figures = "§4.3 wishes",
        .found = "An octree that divides objects into pieces, and hash strategies, would be interesting: perhaps there is a "
                 "broad phase with low maintenance and a search as fast as those of sweep and tree.",
        .chart = "zych-wishes",
        .agrees = "{at||textbook leaf-octree} < {at||bullet dbvt}; {at||hierarchical-grid} < {at||bullet dbvt}; "
                  "{at||hierarchical-grid linked} < {at||bullet dbvt}",
        .direction = "{at||hierarchical-grid} < {at||bullet dbvt}",
        .ours = "There is. With 16,000 objects Bullet's tree takes {at||bullet dbvt} ms, an octree with objects in every leaf "
                "{at||textbook leaf-octree}, a loose one {at||loose-octree}, a cuckoo hash {at||cuckoo-grid}, chained and "
                "open hash tables {at||spatial-hash chained} and {at||spatial-hash open}, the hierarchical grid linked "
                "{at||hierarchical-grid linked} and sorted {at||hierarchical-grid}.",
        .reason = "The hierarchical grid takes {at||hierarchical-grid} ms, Bullet's tree {at||bullet dbvt}.",
    },
    {
        .figures = "§4.3 factors",
        .found = "The number of objects matters most, then density, then velocity and what rests; uniformity does not.",
        .chart = "zych-objects",
        .rows = {DETECTION("density", "density"), DETECTION("velocity", "velocity"), DETECTION("uniformity", "alpha")},
        .agrees = "{exponent|bullet dbvt} > {2:exponent|bullet dbvt}; {2:exponent|bullet dbvt} > {3:exponent|bullet "
                  "dbvt|0.04}; {4:spread|bullet dbvt} < 1.25; {4:spread|bullet sweep16} < 1.25",
        .direction = "{exponent|bullet dbvt} > {2:exponent|bullet dbvt}; {exponent|bullet dbvt} > {3:exponent|bullet "
                     "dbvt|0.04}; {4:spread|bullet dbvt} < {2:spread|bullet dbvt}",
        .ours = "With the tree time grows as objects to the power of {exponent|bullet dbvt}, density {2:exponent|bullet "
                "dbvt}, velocity {3:exponent|bullet dbvt|0.04}; extreme sizes take {4:spread|bullet dbvt} times the time of "
                "equal ones.",
        .reason = "Uniformity matters a little, {4:spread|bullet dbvt} times, through the narrow phase; density has the "
                  "exponent {2:exponent|bullet dbvt}, velocity {3:exponent|bullet dbvt|0.04}.",
    },
    {
        .figures = "§4.3 geometry",
        .found = "Complex shapes make the narrow phase the bottleneck of the whole.",
        .chart = "zych-shape",
        .rows = {NARROW_BY_SHAPE, STAGES_BY_SHAPE},
        .agrees = "{2:at|bullet dbvt time|compound} > {3:at|bullet dbvt update|compound}; {2:at|bullet dbvt time|compound} > "
                  "{3:at|bullet dbvt broad phase|compound}; {2:at|bullet dbvt time|compound} > {2:at|bullet dbvt time|box}",
        .ours = "The narrow phase takes {2:at|bullet dbvt time|compound} of {at|bullet dbvt|compound} ms for compounds, "
                "{2:at|bullet dbvt time|sphere} of {at|bullet dbvt|sphere} for spheres.",
        .reason = "It takes {2:range|bullet dbvt time} ms.",
    },
};
// clang-format on

const report_work WORK_ZYCH = {
    .id = "zych-verdicts",
    .name = "Zych 2016",
    .title = "M. Zych, Efficient algorithms for collision detection in three-dimensional space, Gdańsk 2016",
    .figures = "Fig. 2.26, Fig. 4.3, Fig. 4.4, Fig. 4.5, Fig. 4.6, Fig. 4.7, Fig. 4.8, Fig. 4.9, Fig. 4.11, Fig. "
               "4.12, Fig. 4.13, Fig. 4.14, Fig. 4.16, Fig. 4.17, Fig. 4.18, Fig. 4.19, Fig. 4.20, Fig. 4.21, Fig. "
               "4.22, Fig. 4.23, Fig. 4.24, Fig. 4.25, Fig. 4.26, Fig. 4.27, Fig. 4.29, Fig. 4.30, Fig. 4.31, Fig. "
               "4.32, Fig. 4.33, §4.3 sweep, §4.3 coherence, §4.3 maintenance, §4.3 octree, §4.3 wishes, §4.3 factors, "
               "§4.3 geometry",
    .claims = CLAIMS,
    .claim_count = sizeof CLAIMS / sizeof *CLAIMS,
};
