// Charts of the experiments of Zhyhallo 2024.
#include "report/report_chart.h"

// Those of Fig. 6, and a standard hash map.
#define TABLES                                                                                                         \
    "pozzer table uniform-2d|chunk=32 uniform-2d|chunk=8 uniform-2d|std unordered-map uniform-2d|pozzer table "        \
    "clustered-2d|chunk=32 clustered-2d|chunk=8 clustered-2d"

// clang-format off
static const report_chart ZHYHALLO_CHARTS[] = {
    {
        .id = "zhyhallo-memory", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "n=10000;threads=1",
        .x = "cells", .y = "bytes_per_object*n/1048576", .series = "name scene", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "memory, MiB",
        .title = "Memory, 10⁴ objects in larger and larger scenes",
        .shown = TABLES,
        .shows = "From the smallest to the largest scene a dense table grows {growth|dense uniform-2d} times; chunks "
                 "of 8² cells {growth|chunk=8 clustered-2d} times where objects are crowded, {growth|chunk=8 "
                 "uniform-2d} times where they are spread. Pozzer's table takes {last|pozzer table uniform-2d} MiB, a "
                 "standard hash map {last|std unordered-map uniform-2d}.",
        .paper = "Zhyhallo 2024, Fig. 6b: Pozzer's table grows with the scene; chunks do not where "
                 "objects are crowded.",
    },
    {
        .id = "zhyhallo-time", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "n=10000;threads=1",
        .x = "cells", .y = "update_ms", .series = "name scene", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "time to make the table, ms",
        .title = "Time, 10⁴ objects in larger and larger scenes",
        .shown = TABLES,
        .shows = "In the largest scene the dense table takes {last|dense uniform-2d} ms, chunks of 8² cells "
                 "{last|chunk=8 clustered-2d} (crowded) and {last|chunk=8 uniform-2d} (spread), Pozzer's table "
                 "{last|pozzer table uniform-2d}, a standard hash map {last|std unordered-map uniform-2d}.",
        .paper = "Zhyhallo 2024, Fig. 6a: the time of chunks does not depend on the scene's size "
                 "either where objects are crowded.",
    },
    {
        .id = "zhyhallo-memory-many", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "n=100000;threads=1",
        .x = "cells", .y = "bytes_per_object*n/1048576", .series = "name scene", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "memory, MiB",
        .title = "Memory, 10⁵ objects",
        .shows = "With ten times as many objects the largest scene takes {last|chunk=8 clustered-2d} MiB in chunks "
                 "where they are crowded, {last|chunk=8 uniform-2d} where they are spread, {last|dense uniform-2d} in "
                 "a dense table.",
        .paper = "Zhyhallo 2024, Fig. 5: crowded, memory follows the number of objects; spread "
                 "evenly, it grows with the scene.",
    },
    {
        .id = "zhyhallo-surface", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y,
        .where = "scene=uniform-2d*;method=table|pivot-grid dense;n=10000|100000",
        .x = "cells", .y = "update_ms", .series = "name threads n", .drop = "pivot-grid ",
        .x_label = "edge of the scene, cells", .y_label = "time to make the table, ms",
        .title = "Pozzer's serial table and the parallel one, few and many objects",
        .shows = "Pozzer's table takes {ratio|pozzer table threads = 1 n = 10,000|dense threads = 2 n = 10,000} times as "
                 "long as ours on two threads with 10⁴ objects, {ratio|pozzer table threads = 1 n = 100,000|dense threads "
                 "= 2 n = 100,000} times with 10⁵.",
        .paper = "Zhyhallo 2024, Fig. 4a: 2 to 4 times, on 16 threads, for all sizes and numbers.",
    },
    {
        .id = "zhyhallo-threads", .suite = "zhyhallo",
        .kind = CHART_LINES, .flags = CHART_LOG_Y, .where = "scene=uniform-2d*", .largest = "n",
        .x = "cells", .y = "update_ms", .series = "method threads", .drop = "pivot-grid ",
        .machine = "xeon-16-cores",
        .x_label = "edge of the scene, cells", .y_label = "time to make the table, ms",
        .title = "One thread and all, objects spread evenly",
        .shows = "On one thread the dense table takes {range|dense threads = 1} ms, chunks of 32² cells "
                 "{range|chunk=32 threads = 1}; the lower lines are those of all threads.",
        .paper = "Zhyhallo 2024, Fig. 4: 2 to 4 times faster on 16 threads; memory, not the "
                 "processor, is the limit.",
    },
};
// clang-format on

const report_section SECTION_ZHYHALLO = {
    .id = "zhyhallo",
    .title = "Pivots, dense and in chunks (Zhyhallo 2024)",
    .text = "The experiments of Zhyhallo 2024, section 3: flat scenes of up to 14,336² cells, objects "
            "spread evenly or crowded. Only building the table is measured. Beside ours: the serial table of Pozzer et "
            "al., from which they start, and a standard hash map.",
    .charts = ZHYHALLO_CHARTS,
    .chart_count = sizeof ZHYHALLO_CHARTS / sizeof *ZHYHALLO_CHARTS,
};
