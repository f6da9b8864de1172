// What Schornbaum 2009 found, and whether our rows say the same. "Linked" is that work's structure.
#include "report/report_claims.h"

#define LINKED "hierarchical-grid form=linked factor=2"
#define UNIFORM LINKED " uniform"
#define MIXED LINKED " mixed"
#define SWEEP "sweep-and-prune axes=3"

// A selection of rows of an experiment, by objects.
#define BY_OBJECTS(part, condition, value, names)                                                                      \
    { .suite = "schornbaum", .experiment = (part), .where = (condition), .x = "n", .y = (value), .series = (names) }

// clang-format off
static const report_claim CLAIMS[] = {
    {
        .figures = "Fig. 20",
        .found = "The grid grows almost perfectly linearly, all pairs quadratically; sizes of 1:12, and with them "
                 "several grids, cost little more than one size; with few objects testing all pairs is faster.",
        .chart = "schornbaum-scaling",
        .rows = {BY_OBJECTS("scaling", "scene=uniform", "total_ms", "name")},
        .agrees = "{exponent|" UNIFORM "|1000|30000} <= 1.1; {exponent|" MIXED "|1000|30000} <= 1.1; "
                  "{exponent|brute-force uniform|1000} ~10% 2; {mean-ratio|" MIXED "|" UNIFORM "} <= 1.5; "
                  "{2:ratio|brute-force|" LINKED " below=1|30} < 1",
        .direction = "{exponent|" UNIFORM "} < {exponent|brute-force uniform}",
        .ours = "From 1,000 to 30,000 objects the linked grid's time grows as n to the power of {exponent|" UNIFORM "|1000|30000} "
                "(one size) and {exponent|" MIXED "|1000|30000} (1:12), that of all pairs as "
                "{exponent|brute-force uniform|1000}; sizes of 1:12 take {mean-ratio|" MIXED "|" UNIFORM "} times as "
                "long. With 30 objects testing all pairs takes {2:ratio|brute-force|" LINKED " below=1|30} of the "
                "grid's time, with 1,000 {2:ratio|brute-force|" LINKED " below=1|1000} times.",
        .reason = "Several grids cost {mean-ratio|" MIXED "|" UNIFORM "} times the time of one; with 30 objects "
                  "testing all pairs takes {2:ratio|brute-force|" LINKED " below=1|30} times the grid's time.",
    },
    {
        .figures = "Fig. 21",
        .found = "Setting up, one object after the other, is linear or slightly better, and several grids are hardly "
                 "noticeable.",
        .rows = {BY_OBJECTS("set-up", "method=" LINKED, "update_ms", "name scene")},
        .agrees = "{exponent|" UNIFORM "} <= 1.1; {exponent|" MIXED "} <= 1.1; {mean-ratio|" MIXED "|" UNIFORM "} <= 1.25",
        .direction = "{exponent|" UNIFORM "} <= 1.3; {exponent|" MIXED "} <= 1.3",
        .ours = "The linked grid is set up in a time that grows as n to the power of {exponent|" UNIFORM "} (one size) "
                "and {exponent|" MIXED "} (1:12); sizes of 1:12 take {mean-ratio|" MIXED "|" UNIFORM "} times as long.",
        .reason = "The exponents are {exponent|" UNIFORM "} and {exponent|" MIXED "}: {exponent|" UNIFORM "|1000|10000} up to "
                  "10⁴ objects, and then the cells outgrow the caches of the processor.",
    },
    {
        .figures = "Fig. 22",
        .found = "More pairs for each object and more grids take more time; the grid is linear for many objects, and "
                 "worse than that where its data outgrows the cache.",
        .printed = "10⁴ objects with 2·10⁴ pairs: 10 to 20 ms (2.13 GHz)",
        .rows = {BY_OBJECTS("density", "method=" LINKED, "total_ms", "scene pairs="),
                 BY_OBJECTS("scaling", "method=" LINKED, "total_ms", "scene")},
        .agrees = "{ratio|uniform pairs = 8|uniform pairs = 1} > 1; {ratio|mixed pairs = 8|mixed pairs = 1} > 1; "
                  "{ratio|mixed pairs = 2|uniform pairs = 2} > 1; {exponent|uniform pairs = 2|10000|100000} > 1.1; "
                  "{exponent|mixed pairs = 2|10000|100000} > 1.1; {exponent|uniform pairs = 2|100000} <= 1.1; "
                  "{exponent|mixed pairs = 2|100000} <= 1.1; {2:at|uniform|10000} <= 20; {2:at|mixed|10000} <= 20",
        .direction = "{mean-ratio|uniform pairs = 8|uniform pairs = 1} > 1; {mean-ratio|mixed pairs = 8|mixed pairs = 1} > 1; "
                     "{mean-ratio|mixed pairs = 2|uniform pairs = 2} > 1",
        .ours = "Eight pairs for each object take {ratio|uniform pairs = 8|uniform pairs = 1} times as long as one (one "
                "size), {ratio|mixed pairs = 8|mixed pairs = 1} (1:12); sizes of 1:12 {ratio|mixed pairs = 2|uniform "
                "pairs = 2} times as long as one size. From 10⁵ objects on time grows as n to the power of "
                "{exponent|uniform pairs = 2|100000} and {exponent|mixed pairs = 2|100000}. 10⁴ objects take "
                "{2:at|uniform|10000} and {2:at|mixed|10000} ms.",
        .reason = "It does not become linear again: the exponents are {exponent|uniform pairs = 2|10000|100000} and "
                  "{exponent|mixed pairs = 2|10000|100000} from 10⁴ to 10⁵ objects, {exponent|uniform pairs = 2|100000} "
                  "and {exponent|mixed pairs = 2|100000} from 10⁵ to 10⁶. Caches are larger now, and data outgrows them "
                  "later.",
    },
    {
        .figures = "Fig. 23",
        .found = "With equal cubes the smaller the hierarchy factor, the fewer objects a cell, the faster.",
        .chart = "schornbaum-factor-uniform",
        .agrees = "{ratio|form=linked factor=2|form=linked factor=1.5} > 1; "
                  "{ratio|form=linked factor=3|form=linked factor=2} > 1; "
                  "{ratio|form=linked factor=5|form=linked factor=3} > 1; "
                  "{ratio|form=linked factor=10|form=linked factor=5} > 1",
        .direction = "{ratio|form=linked factor=10|form=linked factor=1.5} > 1",
        .ours = "Every larger factor takes longer: 2 takes {ratio|form=linked factor=2|form=linked factor=1.5} times as "
                "long as 1.5, and 10 {ratio|form=linked factor=10|form=linked factor=1.5} times.",
        .reason = "A factor of 2 takes {ratio|form=linked factor=2|form=linked factor=1.5} times as long as 1.5, 3 "
                  "{ratio|form=linked factor=3|form=linked factor=2} times as long as 2.",
    },
    {
        .figures = "Fig. 24",
        .found = "With sizes of 1:12 small factors need more grids and large ones have fuller cells; a factor of 2 "
                 "seems best in general.",
        .chart = "schornbaum-factor-mixed",
        .agrees = "{mean-ratio|form=linked factor=2|form=linked factor=1.5} <= 1; "
                  "{mean-ratio|form=linked factor=2|form=linked factor=3} <= 1; "
                  "{ratio|form=linked factor=5|form=linked factor=2} > 1; "
                  "{ratio|form=linked factor=10|form=linked factor=2} > 1",
        .direction = "{mean-ratio|form=linked factor=1.5|form=linked factor=3} > 1; "
                     "{mean-ratio|form=linked factor=5|form=linked factor=3} > 1; "
                     "{mean-ratio|form=linked factor=10|form=linked factor=2} > 1",
        .ours = "Factors of 1.5, 2 and 3 are close: beside 2, 1.5 takes {ratio|form=linked factor=1.5|form=linked "
                "factor=2} times as long, 3 {ratio|form=linked factor=3|form=linked factor=2}; 5 takes {ratio|form=linked "
                "factor=5|form=linked factor=2} times, 10 {ratio|form=linked factor=10|form=linked factor=2}.",
        .reason = "The best factor lies between, but at 3, which takes {ratio|form=linked factor=3|form=linked factor=2} "
                  "of the time of 2: across grids we search the cells in reach, not all 27.",
    },
    {
        .figures = "Fig. 25",
        .found = "At normal motion updating each object by itself is 40 % faster on average than removing and "
                 "inserting all; where all change their cell it is slower. The update is at most 30 % of a step.",
        .printed = "1.4 times; update at most 30 % of a step",
        .rows = {BY_OBJECTS("update", "scene=uniform motion=0.2;method=" LINKED "*", "update_ms", "method"),
                 BY_OBJECTS("update", "scene=uniform motion=10;method=" LINKED "*", "update_ms", "method"),
                 BY_OBJECTS("update", "scene=uniform motion=0.2;method=" LINKED "*", "update_ms/total_ms", "method"),
                 BY_OBJECTS("update", "scene=uniform motion=0.2;method=" LINKED "*", "total_ms", "method")},
        .agrees = "{mean-ratio|" LINKED " update=rebuild|" LINKED "} ~20% 1.4; "
                  "{ratio|" LINKED " update=rebuild|" LINKED "} > 1; "
                  "{2:ratio|" LINKED " update=rebuild|" LINKED "} < 1; {3:high|" LINKED "} <= 0.3",
        .direction = "{mean-ratio|" LINKED " update=rebuild|" LINKED "} > 1; "
                     "{2:mean-ratio|" LINKED " update=rebuild|" LINKED "} < 1",
        .ours = "Removing and inserting all takes {ratio|" LINKED " update=rebuild|" LINKED "} times as long as one by "
                "one at 20 % motion, {mean-ratio|" LINKED " update=rebuild|" LINKED "} on average, and "
                "{2:ratio|" LINKED " update=rebuild|" LINKED "} where all change their cell. The update is "
                "{3:range|" LINKED "} of a step; whole steps take {4:ratio|" LINKED " update=rebuild|" LINKED "} times "
                "as long.",
        .reason = "On average it is {mean-ratio|" LINKED " update=rebuild|" LINKED "} times; our updates include taking "
                  "over the boxes, which both strategies pay for.",
    },
    {
        .figures = "Fig. 26",
        .found = "Long (10×1×1) and flat boxes take significantly longer than cubes, long ones up to five times; a domain "
                 "of 1024:1 takes 1.5 times as long; for many objects all are linear.",
        .printed = "long: up to 5; 1024:1: 1.5",
        .chart = "schornbaum-shape-linked",
        .rows = {BY_OBJECTS("shape", "method=" LINKED, "tests", "scene")},
        .agrees = "{ratio|long|uniform} > 1.1; {ratio|long|uniform} <= 6; {ratio|flat|uniform} > 1.1; "
                  "{mean-ratio|stretched|uniform} ~20% 1.5",
        .direction = "{ratio|long|uniform} > 1.1; {ratio|flat|uniform} > 1.1; {ratio|stretched|uniform} > 1.1; "
                     "{mean-ratio|stretched|uniform} < {mean-ratio|long|uniform}",
        .ours = "Beside cubes, long boxes take {ratio|long|uniform} times as long, flat ones {ratio|flat|uniform}, a "
                "domain of 1024:1 {ratio|stretched|uniform}.",
        .reason = "Long boxes have {2:ratio|long|uniform} times as many candidates as cubes. Cells are folded to as many "
                  "along each axis, so that a domain of 1024:1 has {2:ratio|stretched|uniform} times as many.",
    },
    {
        .figures = "Fig. 27",
        .found = "Adding objects one by one is linear with the grid and quadratic with sweep and prune: a minute for "
                 "10⁴ objects.",
        .printed = "sweep and prune, 10⁴ objects: a minute",
        .rows = {BY_OBJECTS("set-up", "scene=uniform", "total_ms", "name")},
        .agrees = "{exponent|" LINKED "} <= 1.1; {exponent|bullet sweep16} ~10% 2",
        .direction = "{exponent|bullet sweep16} > {exponent|" LINKED "}",
        .ours = "The linked grid grows as n to the power of {exponent|" LINKED "}, Bullet's sweep, which sorts each "
                "object in at once, as {exponent|bullet sweep16} ({at|bullet sweep16|3000} ms for 3,000 objects), ours, which "
                "sorts them together, as {exponent|" SWEEP "}.",
        .reason = "From 1,000 to 3,000 objects Bullet's sweep grows as n to the power of {exponent|bullet sweep16}, the "
                  "linked grid as {exponent|" LINKED "}.",
    },
    {
        .figures = "Fig. 28",
        .found = "At 20 % motion sweep and prune breaks down: it is slower than testing all pairs, and the grid stays "
                 "linear.",
        .chart = "schornbaum-motion-20",
        .agrees = "{ratio|" SWEEP "|brute-force} > 1; {ratio|" SWEEP "|" LINKED "} > 1; {exponent|" LINKED "|3000} <= 1.1",
        .direction = "{last-ratio|" SWEEP "|" LINKED "} > 1; {exponent|" SWEEP "} > {exponent|" LINKED "}",
        .ours = "Three-axis sweep and prune takes {ratio|" SWEEP "|" LINKED "} times as long as the linked grid and "
                "{ratio|" SWEEP "|brute-force} of the time of all pairs; it grows as n to the power of "
                "{exponent|" SWEEP "}, the linked grid as {exponent|" LINKED "}.",
        .reason = "Our sweep finds pairs that begin and end while it sorts, and sorts anew where that is cheaper: it "
                  "takes {ratio|" SWEEP "|brute-force} of the time of all pairs, FCL's {ratio|fcl ssap|brute-force}, "
                  "ODE's {ratio|ode sap|brute-force}.",
    },
    {
        .figures = "Fig. 29",
        .found = "At 1 % motion sweep and prune gains much, grows worse than linearly, and the grid, unchanged, is up "
                 "to five times as fast.",
        .printed = "up to 5 times",
        .chart = "schornbaum-motion-1",
        .rows = {BY_OBJECTS("coherence", "scene=uniform*;method=" SWEEP, "total_ms", "scene")},
        .agrees = "{last-ratio|" SWEEP "|" LINKED "} ~20% 5; {2:ratio|uniform motion=0.2|uniform motion=0.01} > 1.1; "
                  "{exponent|" SWEEP "} > {exponent|" LINKED "}",
        .direction = "{last-ratio|" SWEEP "|" LINKED "} > 1",
        .ours = "Sweep and prune takes {2:ratio|uniform motion=0.2|uniform motion=0.01} times as long at 20 % motion as "
                "at 1 %, and {ratio|" SWEEP "|" LINKED "} times as long as the linked grid; it grows as n to the power of "
                "{exponent|" SWEEP "}, the linked grid as {exponent|" LINKED "}.",
        .reason = "Our sweep takes {ratio|" SWEEP "|" LINKED "} times as long as the linked grid: it keeps its pairs, "
                  "and the linked grid finds all again. FCL's sweep takes {ratio|fcl ssap|" LINKED "} times as long, "
                  "ODE's {ratio|ode sap|" LINKED "}; the sorted grid {ratio|hierarchical-grid|" LINKED "}.",
    },
    {
        .figures = "Fig. 30",
        .found = "Where nothing overlaps and nothing changes its place in the order, sweep and prune is two to three "
                 "times as fast as the grid, and linear.",
        .printed = "2 to 3 times",
        .chart = "schornbaum-motion-sparse",
        .agrees = "{mean-ratio|" LINKED "|" SWEEP "} >= 1.6; {mean-ratio|" LINKED "|" SWEEP "} <= 3.6; "
                  "{exponent|" SWEEP "|1000|30000} <= 1.1",
        .direction = "{ratio|" LINKED "|" SWEEP "} > 1",
        .ours = "The linked grid takes {ratio|" LINKED "|" SWEEP "} times as long as sweep and prune, which grows as n to "
                "the power of {exponent|" SWEEP "}. Our sorted grid takes {ratio|hierarchical-grid|" SWEEP "} of its "
                "time.",
        .reason = "The linked grid takes {ratio|" LINKED "|" SWEEP "} times as long as sweep and prune: objects are "
                  "scattered over its cells, and each visits 13 empty ones.",
    },
    {
        .figures = "§5.2",
        .found = "The largest simulation had 1.14·10⁹ bodies, on 9,120 cores with 125,000 bodies each.",
        .printed = "1.14·10⁹ bodies",
        .rows = {{.suite = "cuda", .where = "scene=uniform", .x = "n", .y = "n", .series = ""},
                 {.suite = "cuda", .where = "scene=uniform", .x = "n", .y = "kernels_ms", .series = ""}},
        .machine = "h200",
        .agrees = "{last} >= 1.14e9",
        .ours = "{last} boxes on one GPU, {2:last} ms a step; bodies there, boxes here.",
        .reason = "The largest run has {last} boxes.",
    },
};
// clang-format on

const report_work WORK_SCHORNBAUM = {
    .id = "schornbaum-verdicts",
    .name = "Schornbaum 2009",
    .title = "F. Schornbaum, Hierarchical Hash Grids for Coarse Collision Detection, Erlangen 2009",
    .figures =
        "Fig. 20, Fig. 21, Fig. 22, Fig. 23, Fig. 24, Fig. 25, Fig. 26, Fig. 27, Fig. 28, Fig. 29, Fig. 30, §5.2",
    .claims = CLAIMS,
    .claim_count = sizeof CLAIMS / sizeof *CLAIMS,
};
