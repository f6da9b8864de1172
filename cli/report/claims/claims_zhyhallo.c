// What Zhyhallo 2024 found, and whether our rows say the same.
#include "report/report_claims.h"

#define MEMORY "bytes_per_object*n/1048576"

// Of the serial table of Pozzer et al. and the parallel one.
#define POZZER(n) "{ratio|pozzer table threads = 1 n = " n "|dense threads = 2 n = " n "}"
#define SERIAL(n) "{ratio|pozzer table threads = 1 n = " n "|dense threads = 1 n = " n "}"
#define GAIN(n) "{ratio|dense threads = 1 n = " n "|dense threads = 2 n = " n "}"

// clang-format off
static const report_claim CLAIMS[] = {
    {
        .figures = "Fig. 4a",
        .found = "The parallel table is made in a half to a quarter of the time of Pozzer's serial one, for all sizes of "
                 "the scene and numbers of objects.",
        .printed = "2 to 4 times, 16 threads",
        .chart = "zhyhallo-surface",
        .machine = "zen4-2-cores",
        .agrees = POZZER("10,000") " >= 2; " POZZER("10,000") " <= 4; " POZZER("100,000") " >= 2; " POZZER("100,000") " <= 4",
        .direction = POZZER("10,000") " > 1; " POZZER("100,000") " > 1",
        .ours = "On two threads: Pozzer's table takes " POZZER("10,000") " times as long as the parallel one with 10⁴ objects, "
                POZZER("100,000") " times with 10⁵.",
        .reason = "Two threads are not sixteen. The parallel table is made " GAIN("10,000") " and " GAIN("100,000") " times as "
                  "fast on two threads as on one, but on one Pozzer's takes " SERIAL("10,000") " and " SERIAL("100,000") " of "
                  "its time; on sixteen only the parallel one was measured (see Fig. 4b).",
    },
    {
        .figures = "Fig. 4b",
        .found = "The time of the parallel table rises with the size of the scene, because memory is its limit.",
        .machine = "xeon-16-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=uniform-2d*;method=pivot-grid dense;threads=16;n=10000", .x = "cells",
                  .y = "update_ms", .series = "method"}},
        .agrees = "{rises|pivot-grid dense} >= 1; {growth|pivot-grid dense} > 1.1",
        .direction = "{growth|pivot-grid dense} > 1.1",
        .ours = "From 2,048² to 14,336² cells, 49 times as many, the time of the dense table on 16 threads grows "
                "{growth|pivot-grid dense} times, to {last|pivot-grid dense} ms.",
        .reason = "It grows {growth|pivot-grid dense} times, but not at each step.",
    },
    {
        .figures = "Fig. 5a",
        .found = "Objects spread evenly are the worst case of chunks: their memory grows with the scene.",
        .machine = "zen4-2-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=uniform-2d*;method=pivot-grid*;threads=1;n=10000", .x = "cells",
                  .y = MEMORY, .series = "method"}},
        .agrees = "{growth|pivot-grid chunk=32} > 1.1; {growth|pivot-grid chunk=32} < {growth|pivot-grid dense}",
        .direction = "{growth|pivot-grid chunk=32} > 1",
        .ours = "With 10⁴ objects chunks of 32² cells grow {growth|pivot-grid chunk=32} times, those of 8² {growth|pivot-grid "
                "chunk=8} times, a dense table {growth|pivot-grid dense} times.",
    },
    {
        .figures = "Fig. 5b",
        .found = "Where objects are crowded, the memory of chunks does not depend on the scene, but is linear in the number "
                 "of objects.",
        .machine = "zen4-2-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=clustered-2d*;method=pivot-grid chunk=8;threads=1;n=10000",
                  .x = "cells", .y = MEMORY, .series = "method"},
                 {.suite = "zhyhallo", .where = "scene=clustered-2d*;method=pivot-grid chunk=8;threads=1;cells=14336",
                  .x = "n", .y = MEMORY, .series = "method"}},
        .agrees = "{1:growth|pivot-grid chunk=8} < 1.1; {2:exponent|pivot-grid chunk=8} ~10% 1",
        .direction = "{1:growth|pivot-grid chunk=8} < 1.5",
        .ours = "In the largest scene chunks take {1:growth|pivot-grid chunk=8} times the memory of the smallest; it "
                "grows as the number of objects to the power of {2:exponent|pivot-grid chunk=8}.",
        .reason = "It grows as the number of objects to the power of {2:exponent|pivot-grid chunk=8}.",
    },
    {
        .figures = "Fig. 6a",
        .found = "With 10⁴ objects the time of Pozzer's table grows with the scene; that of chunks does not where objects "
                 "are crowded.",
        .chart = "zhyhallo-time",
        .machine = "zen4-2-cores",
        .agrees = "{rises|pozzer table clustered-2d} >= 1; {growth|chunk=32 clustered-2d} < 1.25; {growth|chunk=8 "
                  "clustered-2d} < 1.25",
        .direction = "{growth|pozzer table clustered-2d} > {growth|chunk=32 clustered-2d}",
        .ours = "From 2,048² to 14,336² cells the time of Pozzer's table grows {growth|pozzer table clustered-2d} times, that "
                "of chunks {growth|chunk=32 clustered-2d} (32²) and {growth|chunk=8 clustered-2d} times (8²) where objects "
                "are crowded, {growth|chunk=32 uniform-2d} and {growth|chunk=8 uniform-2d} times where they are spread.",
        .reason = "With chunks of 32² cells time grows {growth|chunk=32 clustered-2d} times, though their memory does not (Fig. "
                  "6b); those of 8² agree.",
    },
    {
        .figures = "Fig. 6b",
        .found = "With 10⁴ objects the memory of Pozzer's table grows with the scene; that of chunks does not where objects "
                 "are crowded.",
        .chart = "zhyhallo-memory",
        .machine = "zen4-2-cores",
        .agrees = "{rises|pozzer table clustered-2d} >= 1; {growth|chunk=32 clustered-2d} < 1.1; {growth|chunk=8 "
                  "clustered-2d} < 1.1",
        .direction = "{growth|pozzer table clustered-2d} > {growth|chunk=32 clustered-2d}",
        .ours = "Pozzer's table grows {growth|pozzer table clustered-2d} times, to {last|pozzer table clustered-2d} MiB; "
                "chunks of 32² cells {growth|chunk=32 clustered-2d} times where objects are crowded, to {last|chunk=32 "
                "clustered-2d} MiB, and {growth|chunk=32 uniform-2d} times where they are spread.",
    },
};
// clang-format on

const report_work WORK_ZHYHALLO = {
    .id = "zhyhallo-verdicts",
    .name = "Zhyhallo 2024",
    .title = "M. Zhyhallo, B. Woźna-Szcześniak, Better Spacial Hashing with Linear Memory Usage and Parallelism, "
             "2024",
    .figures = "Fig. 4a, Fig. 4b, Fig. 5a, Fig. 5b, Fig. 6a, Fig. 6b",
    .claims = CLAIMS,
    .claim_count = sizeof CLAIMS / sizeof *CLAIMS,
};
