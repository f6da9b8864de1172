// What Zhyhallo 2024 found, and whether our rows say the same.
#include "report/report_claims.h"

#define MEMORY "bytes_per_object*n/1048576"

// clang-format off
static const report_claim CLAIMS[] = {
    {
        .figures = "Fig. 4a",
        .found = "The parallel table is made in a half to a quarter of the time of Pozzer's serial one, for all sizes of "
                 "the scene and numbers of objects.",
        .printed = "2 to 4 times, 16 threads",
        .machine = "xeon-16-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=uniform-2d*;method=pivot-grid dense;n=10000", .x = "cells",
                  .y = "update_ms", .series = "method threads"},
                 {.suite = "zhyhallo", .where = "scene=uniform-2d*;method=pivot-grid dense;n=100000", .x = "cells",
                  .y = "update_ms", .series = "method threads"}},
        .agrees = "{1:mean-ratio|pivot-grid dense threads = 1|pivot-grid dense threads = 16} >= 2; "
                  "{1:mean-ratio|pivot-grid dense threads = 1|pivot-grid dense threads = 16} <= 4",
        .direction = "{1:ratio|pivot-grid dense threads = 1|pivot-grid dense threads = 16} > 2; "
                     "{2:ratio|pivot-grid dense threads = 1|pivot-grid dense threads = 16} > 2",
        .ours = "On 16 threads the dense table is made {1:ratio|pivot-grid dense threads = 1|pivot-grid dense threads = 16} "
                "times as fast as on one with 10⁴ objects, {2:ratio|pivot-grid dense threads = 1|pivot-grid dense threads = "
                "16} times with 10⁵, at all sizes of the scene.",
        .reason = "It gains more than theirs, from {1:at|pivot-grid dense threads = 1|14336} to {1:at|pivot-grid dense threads "
                  "= 16|14336} ms in the largest scene: that machine has sixteen cores and the memory bandwidth for them, "
                  "not a notebook's.",
    },
    {
        .figures = "Fig. 4b",
        .found = "The time of the parallel table rises with the size of the scene, because memory is its limit.",
        .machine = "xeon-16-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=uniform-2d*;method=pivot-grid dense;threads=16;n=10000", .x = "cells",
                  .y = "update_ms", .series = "method"}},
        .agrees = "{rises|pivot-grid dense} >= 1; {growth|pivot-grid dense} > 10",
        .direction = "{growth|pivot-grid dense} > 2",
        .ours = "From 2,048² to 14,336² cells, 49 times as many, the time of the dense table on 16 threads grows "
                "{growth|pivot-grid dense} times, to {last|pivot-grid dense} ms.",
        .reason = "It grows {growth|pivot-grid dense} times, but not at each step.",
    },
    {
        .figures = "Fig. 5a",
        .found = "Objects spread evenly are the worst case of chunks: their memory grows with the scene.",
        .machine = "xeon-2-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=uniform-2d*;method=pivot-grid*;threads=1;n=10000", .x = "cells",
                  .y = MEMORY, .series = "method"}},
        .agrees = "{growth|pivot-grid chunk=32} > 1.5; {growth|pivot-grid chunk=32} < {growth|pivot-grid dense}",
        .direction = "{growth|pivot-grid chunk=32} > 1",
        .ours = "With 10⁴ objects chunks of 32² cells grow {growth|pivot-grid chunk=32} times, those of 8² {growth|pivot-grid "
                "chunk=8} times, a dense table {growth|pivot-grid dense} times.",
    },
    {
        .figures = "Fig. 5b",
        .found = "Where objects are crowded, the memory of chunks does not depend on the scene, but is linear in the number "
                 "of objects.",
        .machine = "xeon-2-cores",
        .rows = {{.suite = "zhyhallo", .where = "scene=clustered-2d*;method=pivot-grid chunk=8;threads=1;n=10000",
                  .x = "cells", .y = MEMORY, .series = "method"},
                 {.suite = "zhyhallo", .where = "scene=clustered-2d*;method=pivot-grid chunk=8;threads=1;cells=14336",
                  .x = "n", .y = MEMORY, .series = "method"}},
        .agrees = "{1:growth|pivot-grid chunk=8} < 1.1; {2:exponent|pivot-grid chunk=8} ~25% 1",
        .direction = "{1:growth|pivot-grid chunk=8} < 1.5",
        .ours = "From the smallest to the largest scene the memory of chunks grows {1:growth|pivot-grid chunk=8} times; it "
                "grows as the number of objects to the power of {2:exponent|pivot-grid chunk=8}.",
        .reason = "It grows as the number of objects to the power of {2:exponent|pivot-grid chunk=8}.",
    },
    {
        .figures = "Fig. 6a",
        .found = "With 10⁴ objects the time of Pozzer's table grows with the scene; that of chunks does not where objects "
                 "are crowded.",
        .chart = "zhyhallo-time",
        .machine = "xeon-2-cores",
        .agrees = "{growth|clustered-2d pozzer table} > 10; {growth|clustered-2d chunk=32} < 2; {growth|clustered-2d "
                  "chunk=8} < 2",
        .direction = "{growth|clustered-2d pozzer table} > {growth|clustered-2d chunk=32}",
        .ours = "From 2,048² to 14,336² cells the time of Pozzer's table grows {growth|clustered-2d pozzer table} times, that "
                "of chunks {growth|clustered-2d chunk=32} (32²) and {growth|clustered-2d chunk=8} times (8²) where objects "
                "are crowded, {growth|uniform-2d chunk=32} and {growth|uniform-2d chunk=8} times where they are spread.",
        .reason = "Of chunks of 32² cells there are more in a larger scene, because clusters are larger there: their time "
                  "grows {growth|clustered-2d chunk=32} times.",
    },
    {
        .figures = "Fig. 6b",
        .found = "With 10⁴ objects the memory of Pozzer's table grows with the scene; that of chunks does not where objects "
                 "are crowded.",
        .chart = "zhyhallo-memory",
        .machine = "xeon-2-cores",
        .agrees = "{growth|clustered-2d pozzer table} ~10% 49; {growth|clustered-2d chunk=32} < 1.1; {growth|clustered-2d "
                  "chunk=8} < 1.1; {growth|uniform-2d chunk=32} > 1.5",
        .direction = "{growth|clustered-2d pozzer table} > {growth|clustered-2d chunk=32}",
        .ours = "Pozzer's table grows {growth|clustered-2d pozzer table} times, to {last|clustered-2d pozzer table} MiB; "
                "chunks of 32² cells {growth|clustered-2d chunk=32} times where objects are crowded, to {last|clustered-2d "
                "chunk=32} MiB, and {growth|uniform-2d chunk=32} times where they are spread.",
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
