// What Gissler 2011 found, and whether our rows say the same.
#include "report/report_claims.h"

#define SORT_ALONE(kind) "compact-grid sort=" kind " alone"

// clang-format off
static const report_claim CLAIMS[] = {
    {
        .figures = "Table 1",
        .found = "Three scenes of tetrahedra that touch: stacked membranes, an eye, a skull.",
        .printed = "points and tetrahedra: 14,840, 12,986, 31,518; edges and triangles: 29,220, 22,720, 51,944",
        .machine = "xeon-2-cores",
        .rows = {{.suite = "gissler", .experiment = "tetrahedra-points", .kind = CHART_DOTS,
                  .where = "method=compact-grid cell=edge;threads=1", .x = "scene", .y = "n", .series = "method"},
                 {.suite = "gissler", .experiment = "edges-triangles", .kind = CHART_DOTS,
                  .where = "method=compact-grid cell=edge;threads=1", .x = "scene", .y = "n", .series = "method"}},
        .agrees = "{1:at|compact-grid cell=edge|stacking stacked=1} ~0% 14840; {1:at|compact-grid cell=edge|eye} ~5% 12986; "
                  "{1:at|compact-grid cell=edge|skull} ~5% 31518; {2:at|compact-grid cell=edge|stacking stacked=1} ~0% "
                  "29220; {2:at|compact-grid cell=edge|eye} ~5% 22720; {2:at|compact-grid cell=edge|skull} ~5% 51944",
        .ours = "Points and tetrahedra: {1:at|compact-grid cell=edge|stacking stacked=1}, {1:at|compact-grid cell=edge|eye}, "
                "{1:at|compact-grid cell=edge|skull}; edges and triangles: {2:at|compact-grid cell=edge|stacking stacked=1}, "
                "{2:at|compact-grid cell=edge|eye}, {2:at|compact-grid cell=edge|skull}. Membranes are exactly theirs; the "
                "organs, which are not published, are built in code.",
    },
    {
        .figures = "Fig. 2",
        .found = "On one core index sort updates points faster than serial hashing and queries more slowly; the first frame "
                 "is a peak, because everything is sorted for the first time; the frame rate stays interactive.",
        .machine = "xeon-2-cores",
        .rows = {{.suite = "gissler", .experiment = "frames", .where = "threads=1", .x = "frame", .y = "total_ms",
                  .series = "method", .drop = " cell=edge"},
                 {.suite = "gissler", .experiment = "contact", .kind = CHART_DOTS,
                  .where = "scene=stacking*;test=points;threads=1", .x = "scene", .y = "update_ms", .series = "method",
                  .strip = "test", .drop = " cell=edge"},
                 {.suite = "gissler", .experiment = "contact", .kind = CHART_DOTS,
                  .where = "scene=stacking*;test=points;threads=1", .x = "scene", .y = "find_ms", .series = "method",
                  .strip = "test", .drop = " cell=edge"},
                 {.suite = "gissler", .experiment = "frames", .where = "threads=1;frame=1|2|3|4|5|6|7|8", .x = "frame",
                  .y = "total_ms", .series = "method", .drop = " cell=edge"}},
        .agrees = "{2:ratio|spatial-hash|compact-grid} > 1; {3:ratio|compact-grid|spatial-hash} > 1; {1:first|compact-grid "
                  "entries=footprint world} > {4:high|compact-grid entries=footprint world}; {1:last|compact-grid "
                  "entries=footprint} < 33",
        .direction = "{2:ratio|spatial-hash|compact-grid} > 1; {1:first|compact-grid entries=footprint world} > "
                     "{4:mean|compact-grid entries=footprint world}; {1:last|compact-grid entries=footprint} < 33",
        .ours = "Serial hashing takes {2:ratio|spatial-hash|compact-grid} times as long to insert points, and "
                "{3:ratio|spatial-hash|compact-grid} times as long to query them. The first frame of a world that is kept "
                "takes {1:first|compact-grid entries=footprint world} ms, the next eight {4:range|compact-grid "
                "entries=footprint world}; with all membranes stacked a frame takes {1:last|compact-grid "
                "entries=footprint} ms in one call.",
        .reason = "Our index sort needs no second pass to write its results, because each block of a search has a list of its "
                  "own: its query takes {3:ratio|compact-grid|spatial-hash} of the time of serial hashing.",
    },
    {
        .figures = "Fig. 3",
        .found = "Index sort inserts points faster than cuckoo hashing, and the footprints of many edges more slowly.",
        .machine = "xeon-2-cores",
        .rows = {{.suite = "gissler", .experiment = "contact", .kind = CHART_DOTS, .where = "test=points;threads=1",
                  .x = "scene", .y = "update_ms", .series = "method", .strip = "test", .drop = " cell=edge"},
                 {.suite = "gissler", .experiment = "contact", .kind = CHART_DOTS, .where = "test=edges;threads=1",
                  .x = "scene", .y = "update_ms", .series = "method", .strip = "test", .drop = " cell=edge"},
                 {.suite = "gissler", .experiment = "contact", .kind = CHART_DOTS, .where = "test=edges;threads=1",
                  .x = "scene", .y = "total_ms", .series = "method", .strip = "test", .drop = " cell=edge"},
                 {.suite = "gissler", .experiment = "sort",
                  .where = "method=" SORT_ALONE("radix") "|radix-sort;changed=0.02;threads=1|4", .x = "changed",
                  .y = "update_ms", .series = "name"}},
        .agrees = "{1:ratio|cuckoo-grid|compact-grid} > 1; {2:ratio|cuckoo-grid entries=footprint|compact-grid "
                  "entries=footprint} < 1",
        .direction = "{1:mean-ratio|cuckoo-grid|compact-grid} > 1; {2:mean-ratio|cuckoo-grid entries=footprint|compact-grid "
                     "entries=footprint} < {1:mean-ratio|cuckoo-grid|compact-grid}; {3:ratio|cuckoo-grid|cuckoo-grid "
                     "entries=footprint} > 1",
        .ours = "Cuckoo hashing takes {1:ratio|cuckoo-grid|compact-grid} times as long as index sort to insert points, "
                "{2:ratio|cuckoo-grid entries=footprint|compact-grid entries=footprint} times for the footprints of edges: "
                "it catches up, and no more. With footprints its collision handling of edges takes "
                "{3:ratio|cuckoo-grid entries=footprint|cuckoo-grid} of the time with one cell for each edge.",
        .reason = "Sorting is what edges make dear in index sort, and our radix sort takes {4:at|" SORT_ALONE("radix")
                  "|0.02} ms for as many keys as theirs sorted in {4:at|paper radix-sort|0.02} ms.",
    },
    {
        .figures = "§5 sorting",
        .found = "With 128,000 keys, few of them changed, a sort that continues from the last order beats radix sort; with "
                 "random keys both take as long.",
        .printed = "radix 14 ms; the other 3 ms (2 % changed), 6 ms (10 %): ratios of 4.7 and 2.3",
        .machine = "xeon-2-cores",
        .chart = "gissler-sort-alone",
        .agrees = "{ratio|sort=radix alone threads = 1|sort=adaptive alone threads = 1|0.02} ~20% 4.7; {ratio|sort=radix "
                  "alone threads = 1|sort=adaptive alone threads = 1|0.1} ~20% 2.3; {ratio|sort=radix alone threads = "
                  "1|sort=adaptive alone threads = 1|1} ~20% 1",
        .direction = "{ratio|sort=radix alone threads = 1|sort=adaptive alone threads = 1|0.02} > 1; {ratio|sort=radix alone "
                     "threads = 1|sort=adaptive alone threads = 1|0.1} > 1",
        .ours = "The sort alone, radix over adaptive: {ratio|sort=radix alone threads = 1|sort=adaptive alone threads = "
                "1|0.02} with 2 % changed, {ratio|sort=radix alone threads = 1|sort=adaptive alone threads = 1|0.1} with 10 "
                "%, {ratio|sort=radix alone threads = 1|sort=adaptive alone threads = 1|1} with all; std::sort of the last "
                "order, their way, takes {at|std sort threads = 1|0.02}, {at|std sort threads = 1|0.1} and {at|std sort "
                "threads = 1|1} ms.",
        .reason = "Our radix sort takes {at|sort=radix alone threads = 1|0.02} ms where theirs took {at|paper radix-sort "
                  "threads = 4|0.02}, so that there is less to gain; with all keys changed the adaptive one pays for taking "
                  "them out and merging.",
    },
    {
        .figures = "§5 Z-curve",
        .found = "Along a Z-curve the query of edges and triangles is faster, because what is near in space is near in memory; "
                 "sorting hardly gains.",
        .printed = "8 % on average",
        .machine = "zen4-2-cores",
        .rows = {{.suite = "gissler", .experiment = "locality", .kind = CHART_DOTS,
                  .where = "method=compact-grid*;cache-lines=d1", .x = "order", .y = "tests", .series = "method",
                  .strip = "cache-lines cell"},
                 {.suite = "gissler", .experiment = "locality", .kind = CHART_DOTS, .where = "method=compact-grid*;pairs!=0",
                  .x = "order", .y = "find_ms", .series = "method", .strip = "cell"},
                 {.suite = "gissler", .experiment = "locality", .kind = CHART_DOTS,
                  .where = "method=compact-grid cell=edge instructions|compact-grid keys=z-curve cell=edge instructions",
                  .x = "order", .y = "tests", .series = "method", .strip = "cell", .drop = " instructions"}},
        .agrees = "{2:ratio|compact-grid keys=z-curve|compact-grid|z-curve} ~10% 0.92",
        .direction = "{2:at|compact-grid keys=z-curve|z-curve} < {2:at|compact-grid|mesh}",
        .ours = "With objects and cells along the Z-curve a query reads {1:at|compact-grid keys=z-curve|z-curve} cache lines, "
                "with objects as they were meshed and cells in rows {1:at|compact-grid|mesh}. It takes {2:at|compact-grid "
                "keys=z-curve|z-curve} ms, and {2:at|compact-grid|mesh} ms.",
        .reason = "Fewer lines, but more work: a row of cells is one range of memory in row-major order only, and in pieces "
                  "along the curve a query takes {3:mean-ratio|compact-grid keys=z-curve|compact-grid} times the instructions.",
    },
    {
        .figures = "§5 speed-up",
        .found = "On eight cores index sort is faster than on one by more than cuckoo hashing is; its query gains much, its "
                 "update little.",
        .printed = "index sort 3.2 (update 1.5, query 5), cuckoo hashing 2.6",
        .machine = "xeon-16-cores",
        .rows = {{.suite = "gissler", .experiment = "edges-triangles", .kind = CHART_DOTS,
                  .where = "scene=eye;threads=1|8;method=compact-grid cell=edge|cuckoo-grid cell=edge", .x = "method",
                  .y = "total_ms", .series = "threads"},
                 {.suite = "gissler", .experiment = "edges-triangles", .kind = CHART_DOTS,
                  .where = "scene=eye;threads=1|8;method=compact-grid cell=edge|cuckoo-grid cell=edge", .x = "method",
                  .y = "update_ms", .series = "threads"},
                 {.suite = "gissler", .experiment = "edges-triangles", .kind = CHART_DOTS,
                  .where = "scene=eye;threads=1|8;method=compact-grid cell=edge|cuckoo-grid cell=edge", .x = "method",
                  .y = "find_ms", .series = "threads"}},
        .agrees = "{1:ratio|threads = 1|threads = 8|compact-grid cell=edge} ~20% 3.2; {1:ratio|threads = 1|threads = "
                  "8|cuckoo-grid cell=edge} ~20% 2.6",
        .direction = "{1:ratio|threads = 1|threads = 8|compact-grid cell=edge} > {1:ratio|threads = 1|threads = "
                     "8|cuckoo-grid cell=edge}; {3:ratio|threads = 1|threads = 8|compact-grid cell=edge} > "
                     "{2:ratio|threads = 1|threads = 8|compact-grid cell=edge}",
        .ours = "With eight threads index sort is {1:ratio|threads = 1|threads = 8|compact-grid cell=edge} times as fast "
                "(update {2:ratio|threads = 1|threads = 8|compact-grid cell=edge}, query {3:ratio|threads = 1|threads = "
                "8|compact-grid cell=edge}), cuckoo hashing {1:ratio|threads = 1|threads = 8|cuckoo-grid cell=edge} times.",
        .reason = "Our buckets of the cuckoo hash are cut by their objects and their tables by their cells, so that the work is "
                  "shared evenly; and nearly all of it is the query, which is {3:ratio|threads = 1|threads = 8|cuckoo-grid "
                  "cell=edge} times as fast.",
    },
};
// clang-format on

const report_work WORK_GISSLER = {
    .id = "gissler-verdicts",
    .name = "Gissler 2011",
    .title = "M. Gissler, M. Ihmsen, M. Teschner, Efficient Uniform Grids for Collision Handling in Medical "
             "Simulators, Freiburg 2011",
    .figures = "Fig. 2, Fig. 3, Table 1, §5 sorting, §5 Z-curve, §5 speed-up",
    .claims = CLAIMS,
    .claim_count = sizeof CLAIMS / sizeof *CLAIMS,
};
