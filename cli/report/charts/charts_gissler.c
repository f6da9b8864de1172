// Charts of the experiments of Gissler 2011
#include "report/report_chart.h"

// clang-format off
static const report_chart GISSLER_CHARTS[] = {
    {
        .id = "gissler-points", .suite = "gissler", .experiment = "tetrahedra-points",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "threads=1",
        .x = "name", .y = "total_ms", .series = "scene",
        .y_label = "time of a search, ms",
        .title = "Points against tetrahedra",
        .shows = "Beside the best method of each scene, index sort (compact-grid cell=edge) takes "
                 "{beside|compact-grid cell=edge} times as long, serial hashing {beside|spatial-hash cell=edge}, "
                 "cuckoo hashing {beside|cuckoo-grid cell=edge}, the hierarchical grid {beside|hierarchical-grid}.",
        .paper = "Gissler 2011, Fig. 2, 3: index sort updates points faster than serial hashing, even on one core; "
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
        .paper = "Gissler 2011, Fig. 3: index sort falls back where the footprints of many edges are entered.",
    },
    {
        .id = "gissler-frames", .suite = "gissler", .experiment = "frames",
        .kind = CHART_LINES, .where = "threads=1",
        .x = "frame", .y = "total_ms", .series = "method", .drop = " cell=edge",
        .x_label = "frame", .y_label = "collision handling, ms",
        .title = "While membranes pile up, with the exact test",
        .shows = "In worlds that are kept, the first frame of index sort takes {first|compact-grid entries=footprint world} "
                 "ms, the last {last|compact-grid entries=footprint world}; in one call a frame {first|compact-grid "
                 "entries=footprint} and {last|compact-grid entries=footprint}, serial hashing {first|spatial-hash} and "
                 "{last|spatial-hash}.",
        .paper = "Gissler 2011, Fig. 2: a peak in the first frame, when everything is sorted for the first time; then "
                 "more time the more membranes lie on each other.",
    },
    {
        .id = "gissler-insertion", .suite = "gissler", .experiment = "contact",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "threads=1;method!=hierarchical-grid|exact-test",
        .x = "scene test", .y = "update_ms", .series = "method", .drop = " cell=edge",
        .y_label = "time to insert, ms",
        .title = "Inserting points and edges",
        .shows = "Beside index sort, cuckoo hashing takes {ratio|cuckoo-grid|compact-grid} times as long with each "
                 "primitive in one cell, and {ratio|cuckoo-grid entries=footprint|compact-grid entries=footprint} times "
                 "with primitives in every cell that they overlap.",
        .paper = "Gissler 2011, Fig. 3: index sort inserts points faster, and falls back with the footprints of edges.",
    },
    {
        .id = "gissler-handling", .suite = "gissler", .experiment = "contact",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "threads=1",
        .x = "scene test", .y = "total_ms", .series = "method", .drop = " cell=edge",
        .y_label = "collision handling, ms",
        .title = "Collision handling, with the exact test",
        .shows = "Footprints make cuckoo hashing {ratio|cuckoo-grid|cuckoo-grid entries=footprint} times as fast; the exact "
                 "test alone is {ratio|exact-test|compact-grid} of index sort's time.",
        .paper = "Gissler 2011, Fig. 3.",
    },
    {
        .id = "gissler-threads", .suite = "gissler", .experiment = "edges-triangles",
        .kind = CHART_LINES, .flags = CHART_LOG_X | CHART_LOG_Y,
        .where = "scene=skull;"
                 "method=compact-grid cell=edge|spatial-hash cell=edge|cuckoo-grid cell=edge|hierarchical-grid",
        .x = "threads", .y = "total_ms", .series = "method", .drop = " cell=edge",
        .machine = "xeon-16-cores",
        .x_label = "threads", .y_label = "time of a search, ms",
        .title = "Growth with the number of threads (skull, edges against triangles)",
        .shows = "From one thread to the most: index sort {first|compact-grid} to {last|compact-grid} ms, cuckoo hashing "
                 "{first|cuckoo-grid} to {last|cuckoo-grid}, the hierarchical grid {first|hierarchical-grid} to "
                 "{last|hierarchical-grid}.",
        .paper = "Gissler 2011, §5: on eight cores 3.2 times faster (index sort) and 2.6 times (cuckoo hashing).",
    },
    {
        .id = "gissler-sort", .suite = "gissler", .experiment = "sort",
        .kind = CHART_LINES,
        .where = "method=compact-grid sort=radix|compact-grid sort=adaptive|compact-grid sort=automatic;threads=1",
        .x = "changed", .y = "update_ms", .series = "method", .drop = "compact-grid ",
        .x_label = "share of keys that change in a step", .y_label = "time of an update, ms",
        .title = "What a sort gains from the previous order",
        .shows = "With 2 % changed or none the adaptive sort takes {low|sort=adaptive} ms, with all changed "
                 "{high|sort=adaptive}; radix {range|sort=radix}; the automatic sort switches between them.",
        .paper = "Gissler 2011, §5: 128,000 keys on four cores: radix 14 ms whatever changes, the other sort 3 ms "
                 "at 2 %, 6 at 10 %, and as long as radix when all change.",
    },
    {
        .id = "gissler-sort-alone", .suite = "gissler", .experiment = "sort",
        .kind = CHART_LINES, .flags = CHART_LOG_X | CHART_LOG_Y,
        .where = "method=compact-grid sort=radix alone|compact-grid sort=adaptive alone|sort|radix-sort|stl-sort;"
                 "threads=1|4;changed=0.02|0.05|0.1|0.2|0.5|1",
        .x = "changed", .y = "update_ms", .series = "name threads", .drop = "compact-grid ",
        .x_label = "share of keys that change in a step", .y_label = "time of the sort, ms",
        .title = "The sort alone, beside the standard library's and the paper's",
        .shows = "With 2 % changed the adaptive sort takes {at|sort=adaptive alone threads = 1|0.02} ms, radix "
                 "{at|sort=radix alone threads = 1|0.02}, std::sort of the last order {at|std sort threads = 1|0.02}.",
        .paper = "Gissler 2011, §5, 128,000 keys on four cores: 14 ms (radix), 3 ms (2 % changed) and 6 ms (10 %).",
    },
    {
        .id = "gissler-curve", .suite = "gissler", .experiment = "locality",
        .kind = CHART_DOTS,
        .where = "method=compact-grid entries=footprint cell=edge*|compact-grid entries=footprint keys=z-curve "
                 "cell=edge*;cache-lines=d1",
        .x = "order", .y = "tests", .beside = "method=compact-grid entries=footprint cell=edge cache-lines=d1",
        .series = "method", .strip = "cache-lines cell",
        .y_label = "cache lines, over those of row-major keys",
        .title = "Z-curve keys where a query stays inside cells (callgrind)",
        .shows = "Keys along the Z-curve read {ratio|compact-grid entries=footprint keys=z-curve|compact-grid "
                 "entries=footprint} times the lines of row-major keys.",
        .paper = "Gissler 2011, §5: the query of edges and triangles gains 8 % on average.",
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
        .paper = "Gissler 2011, §5: the query of edges and triangles gains 8 % from Z-curves, because what is near "
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
        .paper = "Gissler 2011, §5: 8 % on average.",
    },
};
// clang-format on

const report_section SECTION_GISSLER = {
    .id = "gissler",
    .title = "Deforming tissue (Gissler 2011)",
    .text = "The experiments of Gissler 2011, section 5, on tissue built in code, of the sizes of its Table 1. "
            "cell=edge: cells as long as the mean edge, as there.",
    .charts = GISSLER_CHARTS,
    .chart_count = sizeof GISSLER_CHARTS / sizeof *GISSLER_CHARTS,
};
