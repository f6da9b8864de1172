// What Koch 2020 found, and whether our rows say the same. Koch's hash grid is the structure of Schornbaum 2009, cleared
// and filled again in each step. "By rules" are candidates of our scenes counted as Koch's structures would find them.
#include "report/report_claims.h"

#define LINKED(size) "hierarchical-grid form=linked grid=" #size " update=rebuild"
#define HASH LINKED(128)
#define KEPT "hierarchical-grid form=linked grid=128 update=individual"
#define SORTED "hierarchical-grid grid=128"

#define ROWS(table, value)                                                                                             \
    { .suite = "koch", .experiment = (table), .x = "n", .y = (value), .series = "whose method" }
#define TABLE(table)                                                                                                   \
    { ROWS(table, "tests"), ROWS(table, "total_ms"), ROWS(table, "find_ms/tests*1e6") }

// "Agrees" means: the candidates that it prints, within 10 %, and the order of all times; "in direction": the candidates of
// the hash grid and, by its rules, of linked cells, and on which side of linked cells the times are.
#define SAME_CANDIDATES(hash, cells)                                                                                   \
    "{ratio|ours " hash "|published " hash "} ~10% 1; {ratio|rules " cells "|published " cells "} ~10% 1"
#define TELL_CANDIDATES(hash, cells)                                                                                   \
    "Candidates, ours / Koch's: hash grid {ratio|ours " hash "|published " hash "}, linked cells {ratio|rules " cells  \
    "|published " cells "} by Koch's rules, {ratio|ours " cells "|published " cells "} as ours search"
#define SAME_OCTREE(octree) "; {ratio|ours " octree "|published " octree "} ~10% 1"
#define FEWER(octree)                                                                                                  \
    "In our octree the bounds of a leaf filter the boxes of its neighbours first, and {ratio|ours " octree             \
    "|published " octree "} of Koch's candidates are left"
#define TELL_OCTREE(octree) ", octree {ratio|ours " octree "|published " octree "}"
#define TIMES(a, b) "{2:ratio|ours " a "|ours " b "}"

// clang-format off
static const report_claim CLAIMS[] = {
    {
        .figures = "Table 1",
        .found = "On an even scene linked cells are the fastest; the octree takes 4 times as long, the hash grid more "
                 "than 3 times, with about as many candidates as linked cells.",
        .printed = "candidates in a step: 8.75·10⁵, 4.52·10⁶, 9.60·10⁵; time: 1 : 4.0 : 3.3",
        .rows = TABLE("table-1"),
        .agrees = SAME_CANDIDATES(HASH, "linked-cells cell=1.3") SAME_OCTREE("octree depth=6") "; "
                  TIMES(HASH, "linked-cells cell=1.3") " > 1; " TIMES("octree depth=6", HASH) " > 1",
        .direction = SAME_CANDIDATES(HASH, "linked-cells cell=1.3") "; " TIMES(HASH, "linked-cells cell=1.3") " > 1; "
                     TIMES("octree depth=6", "linked-cells cell=1.3") " > 1",
        .ours = TELL_CANDIDATES(HASH, "linked-cells cell=1.3") TELL_OCTREE("octree depth=6") ". Beside linked cells the "
                "octree takes " TIMES("octree depth=6", "linked-cells cell=1.3") " times as long, the hash grid "
                TIMES(HASH, "linked-cells cell=1.3") ", our sorted grid " TIMES("hierarchical-grid", "linked-cells cell=1.3") ".",
        .reason = FEWER("octree depth=6") ", so that it takes " TIMES("octree depth=6", HASH) " of the hash grid's time.",
    },
    {
        .figures = "Table 2",
        .found = "Where objects are in some places only, the hash grid is the fastest, and the octree slower than linked "
                 "cells.",
        .printed = "candidates in a step: 3.55·10⁶, 4.20·10⁶, 7.95·10⁵; time: 1 : 1.3 : 0.59",
        .rows = TABLE("table-2"),
        .agrees = SAME_CANDIDATES(HASH, "linked-cells cell=3.75") SAME_OCTREE("octree depth=8") "; "
                  TIMES(HASH, "linked-cells cell=3.75") " < 1; " TIMES("octree depth=8", "linked-cells cell=3.75") " > 1",
        .direction = SAME_CANDIDATES(HASH, "linked-cells cell=3.75") "; " TIMES(HASH, "linked-cells cell=3.75") " < 1; "
                     TIMES("octree depth=8", "linked-cells cell=3.75") " > 1",
        .ours = TELL_CANDIDATES(HASH, "linked-cells cell=3.75") TELL_OCTREE("octree depth=8") ". Beside linked cells the "
                "octree takes " TIMES("octree depth=8", "linked-cells cell=3.75") " times as long, the hash grid "
                TIMES(HASH, "linked-cells cell=3.75") ", our sorted grid " TIMES("hierarchical-grid", "linked-cells cell=3.75") ".",
        .reason = "Our linked cells sort the boxes of a row and test only those that reach, eight at once: "
                  "{3:at|ours linked-cells cell=3.75|100000} ns a candidate, and {ratio|ours linked-cells "
                  "cell=3.75|published linked-cells cell=3.75} of Koch's candidates; the lists of the hash grid take "
                  "{3:at|ours " HASH "|100000} ns a candidate. Sorted, the hash grid wins as there.",
    },
    {
        .figures = "Table 3",
        .found = "In a space that is nearly empty the hash grid is 12 times as fast as linked cells, the octree 4.7 times.",
        .printed = "candidates in a step: 2.53·10⁷, 4.86·10⁶, 7.10·10⁵; time: 1 : 0.21 : 0.081",
        .rows = TABLE("table-3"),
        .agrees = SAME_CANDIDATES(HASH, "linked-cells cell=7") SAME_OCTREE("octree depth=10") "; "
                  TIMES("octree depth=10", "linked-cells cell=7") " < 1; " TIMES(HASH, "octree depth=10") " < 1",
        .direction = SAME_CANDIDATES(HASH, "linked-cells cell=7") "; " TIMES(HASH, "linked-cells cell=7") " < 1; "
                     TIMES("octree depth=10", "linked-cells cell=7") " < 1",
        .ours = TELL_CANDIDATES(HASH, "linked-cells cell=7") TELL_OCTREE("octree depth=10") ". Beside linked cells the "
                "octree takes " TIMES("octree depth=10", "linked-cells cell=7") " of the time, the hash grid "
                TIMES(HASH, "linked-cells cell=7") ", our sorted grid " TIMES("hierarchical-grid", "linked-cells cell=7") ".",
        .reason = FEWER("octree depth=10") ", at {3:at|ours octree depth=10|80000} ns each; the lists of the hash grid take "
                  "{3:at|ours " HASH "|80000} ns a candidate, so that here the octree is ahead of it.",
    },
    {
        .figures = "Table 4",
        .found = "On a checkerboard linked cells are the fastest; the hash grid takes 1.5 times as long, the octree 3.7 "
                 "times.",
        .printed = "candidates in a step: 9.74·10⁶, 8.24·10⁷, 7.42·10⁶; time: 1 : 3.7 : 1.5",
        .rows = TABLE("table-4"),
        .agrees = SAME_CANDIDATES(LINKED(256), "linked-cells cell=2.1") SAME_OCTREE("octree depth=8") "; "
                  TIMES(LINKED(256), "linked-cells cell=2.1") " > 1; " TIMES("octree depth=8", LINKED(256)) " > 1",
        .direction = SAME_CANDIDATES(LINKED(256), "linked-cells cell=2.1") "; "
                     TIMES(LINKED(256), "linked-cells cell=2.1") " > 1; "
                     TIMES("octree depth=8", "linked-cells cell=2.1") " > 1",
        .ours = TELL_CANDIDATES(LINKED(256), "linked-cells cell=2.1") TELL_OCTREE("octree depth=8") ". Beside linked cells "
                "the octree takes " TIMES("octree depth=8", "linked-cells cell=2.1") " times as long, the hash grid "
                TIMES(LINKED(256), "linked-cells cell=2.1") ".",
        .reason = FEWER("octree depth=8") ", so that it takes " TIMES("octree depth=8", LINKED(256)) " of the hash grid's "
                  "time.",
    },
    {
        .figures = "Table 5",
        .found = "At sizes up to 8:1 linked cells are 4.4 times as fast as the hash grid, which has fewer candidates.",
        .printed = "candidates in a step: 5.60·10⁵, 3.27·10⁵ (by its rules 6.5·10⁵: the sum must be that of 100 steps, not "
                   "of 200); time: 1 : 4.4",
        .rows = TABLE("table-5"),
        .agrees = "{ratio|rules linked-cells cell=4|published linked-cells cell=4} ~10% 1; "
                  "{ratio|rules " HASH "|published " HASH "} ~10% 1; " TIMES(HASH, "linked-cells cell=4") " > 1",
        .direction = TIMES(HASH, "linked-cells cell=4") " > 1; "
                     "{ratio|rules linked-cells cell=4|published linked-cells cell=4} ~10% 1",
        .ours = "By rules there are {ratio|rules linked-cells cell=4|published linked-cells cell=4} times as many "
                "candidates in linked cells and {ratio|rules " HASH "|published " HASH "} times in the hash grid, of "
                "which ours examines {ratio|ours " HASH "|rules " HASH "}. The hash grid takes "
                TIMES(HASH, "linked-cells cell=4") " times as long as linked cells.",
        .reason = "By the work's own rules our scene has {ratio|rules " HASH "|published " HASH "} times the candidates "
                  "that it prints for the hash grid, and {ratio|rules linked-cells cell=4|published linked-cells cell=4} "
                  "times those for linked cells: the former must be the sum of 100 steps.",
    },
    {
        .figures = "Table 6",
        .found = "At sizes up to 40:1 the hash grid is 7 times as fast as linked cells, with a thirtieth of the candidates.",
        .printed = "candidates in a step: 6.50·10⁷, 2.09·10⁶; time: 1 : 0.14",
        .rows = TABLE("table-6"),
        .agrees = "{ratio|rules linked-cells cell=40|published linked-cells cell=40} ~10% 1; "
                  "{ratio|rules " HASH "|published " HASH "} ~10% 1; " TIMES(HASH, "linked-cells cell=40") " < 1",
        .ours = "By rules there are {ratio|rules linked-cells cell=40|published linked-cells cell=40} and {ratio|rules "
                HASH "|published " HASH "} times as many candidates as printed. The hash grid takes "
                TIMES(HASH, "linked-cells cell=40") " times as long as linked cells, " TIMES(HASH, "linked-cells cell=40 "
                "simd=scalar") " times as long without vectors; our grid as it comes "
                TIMES("hierarchical-grid", "linked-cells cell=40") ".",
        .reason = "Our linked cells sort each row along x and examine {ratio|ours linked-cells cell=40|published "
                  "linked-cells cell=40} of Koch's candidates, at {3:at|ours linked-cells cell=40|80000} ns each (without "
                  "vectors {3:at|ours linked-cells cell=40 simd=scalar|80000} ns). The hash grid has {ratio|ours " HASH
                  "|ours linked-cells cell=40} times their number, but {3:at|ours " HASH "|80000} ns for each: its time "
                  "goes into visiting cells of four or five grids that are mostly empty.",
    },
    {
        .figures = "Table 7",
        .found = "With one sphere that nearly fills the space, linked cells test all pairs, and the hash grid is 680 "
                 "times as fast.",
        .printed = "candidates in a step: 8.00·10⁸, 3.01·10⁵; time: 1 : 0.0015",
        .rows = TABLE("table-7"),
        .agrees = SAME_CANDIDATES(HASH, "linked-cells cell=360") "; " TIMES(HASH, "linked-cells cell=360") " < 1",
        .direction = TIMES(HASH, "linked-cells cell=360") " < 1",
        .ours = TELL_CANDIDATES(HASH, "linked-cells cell=360") ". The hash grid takes "
                TIMES(HASH, "linked-cells cell=360") " of the time of linked cells, " TIMES(HASH, "linked-cells cell=360 "
                "simd=scalar") " of what they take without vectors.",
        .reason = "The hash grid takes " TIMES(HASH, "linked-cells cell=360") " of the time of linked cells.",
    },
    {
        .figures = "Table 8",
        .found = "The octree's candidates grow by 8.1 to 8.5 for eight times the objects, unevenly by 1.2 to 3.8 for "
                 "twice (a leaf splits into eight); its search as n to the power of 1.079, a step as 1.143.",
        .printed = "candidates in a step: 2.95·10⁵ to 1.69·10⁸; ×8: candidates 8.1 to 8.5, search 8.8 to 10.1; exponents "
                   "1.079 and 1.143",
        .chart = "koch-scaling-candidates",
        .rows = {ROWS("table-8-10", "find_ms"), ROWS("table-8-10", "total_ms")},
        .agrees = "{ratio|ours octree|published octree} ~10% 1; {times|ours octree|8} ~10% {times|published octree|8}; "
                  "{times|ours octree|2} ~10% {times|published octree|2}; {2:exponent|ours octree*} ~10% 1.079; "
                  "{3:exponent|ours octree*} ~10% 1.143",
        .direction = "{times|ours octree|8} ~10% {times|published octree|8}; {2:exponent|ours octree*} ~10% 1.079; "
                     "{3:exponent|ours octree*} ~10% 1.143",
        .ours = "Eight times the objects have {times|ours octree|8} times the candidates (there {times|published "
                "octree|8}), twice as many {times|ours octree|2} ({times|published octree|2}). The search grows as n to the "
                "power of {2:exponent|ours octree*} ({2:exponent|published octree*}), a step as {3:exponent|ours "
                "octree*} ({3:exponent|published octree*}).",
        .reason = "They grow alike, but in our octree the bounds of a leaf filter the boxes of its neighbours first: it examines "
                  "{ratio|ours octree|published octree} of Koch's candidates.",
    },
    {
        .figures = "Table 9",
        .found = "Relations between neighbouring cells grow by 9.14 from 8³ to 16³ cells and by less and less, to 8.13 from "
                 "64³ to 128³: that is why candidates of eight times the objects grow by a little more than eight.",
        .printed = "9.14, 8.53, 8.26, 8.13",
        .chart = "koch-scaling-candidates",
        .agrees = "{times|ours octree|8} >= 7.3; {times|ours octree|8} <= 10.1",
        .ours = "Eight times the objects have {times|ours octree|8} times the candidates.",
        .reason = "They grow by {times|ours octree|8}.",
    },
    {
        .figures = "Table 10",
        .found = "In a hash grid of 128³ cells that never grows, twice the objects have four times the candidates, and "
                 "take 1.8 to 2.9 times as long.",
        .printed = "×2: candidates 3.98 to 4.14, time 1.80 to 2.90; exponent 1.34",
        .chart = "koch-scaling-candidates",
        .rows = {ROWS("table-8-10", "tests"), ROWS("table-8-10", "total_ms")},
        .agrees = "{2:ratio|ours " HASH "|published " HASH "} ~10% 1; {2:times|ours " HASH "|2} ~10% 4; "
                  "{3:exponent|ours " HASH "} ~10% {3:exponent|published " HASH "}",
        .direction = "{2:mean-ratio|ours " HASH "|published " HASH "} ~10% 1; {3:exponent|ours " HASH "} > 1",
        .ours = "It examines {2:ratio|ours " HASH "|published " HASH "} times as many candidates as there, and twice the "
                "objects have {2:times|ours " HASH "|2} times as many; a step takes {3:times|ours " HASH "|2} times as "
                "long, and grows as n to the power of {3:exponent|ours " HASH "} ({3:exponent|published " HASH "}).",
        .reason = "Time grows as n to the power of {3:exponent|ours " HASH "}; candidates are {2:ratio|ours " HASH
                  "|published " HASH "} times those there.",
    },
    {
        .figures = "Table 11",
        .found = "Memory grows about linearly; a hash grid of 256³ cells takes 3 to 4 times what one of 128³ takes, and "
                 "the octree jumps where its leaves split.",
        .printed = "bytes an object: 128³ 39 to 73, 256³ 131 to 302, octree 105 to 236",
        .chart = "koch-memory",
        .agrees = "{mean-ratio|ours " LINKED(256) "|ours " HASH "} >= 3; {mean-ratio|ours " LINKED(256) "|ours " HASH "} <= "
                  "4; {mean-ratio|ours " HASH "|published " HASH "} ~20% 1; {mean-ratio|ours octree*|published octree*} "
                  "~20% 1",
        .direction = "{ratio|ours " LINKED(256) "|ours " HASH "} > 1",
        .ours = "Bytes an object: 128³ {range|ours " HASH "}, 256³ {range|ours " LINKED(256) "}, octree {range|ours "
                "octree*}; beside Koch's {mean-ratio|ours " HASH "|published " HASH "}, {mean-ratio|ours " LINKED(256)
                "|published " LINKED(256) "} and {mean-ratio|ours octree*|published octree*} times on average.",
        .reason = "256³ cells take {ratio|ours " LINKED(256) "|ours " HASH "} times what 128³ take: a cell is 4 bytes "
                  "here, and only occupied ones have more; the octree takes {mean-ratio|ours octree*|published octree*} "
                  "times Koch's bytes.",
    },
    {
        .figures = "§5",
        .found = "A better update than clearing and inserting all could improve the hash grid slightly.",
        .rows = {{.suite = "koch", .where = "who=broadphase;method=hierarchical-grid form=linked*;experiment!=table-8-10|table-11",
                  .kind = CHART_DOTS, .x = "scene", .y = "total_ms", .series = "method", .strip = "grid"},
                 {.suite = "koch", .where = "who=broadphase;method=hierarchical-grid form=linked*;experiment!=table-8-10|table-11",
                  .kind = CHART_DOTS, .x = "scene", .y = "update_ms", .series = "method", .strip = "grid"}},
        .agrees = "{mean-ratio|hierarchical-grid form=linked update=rebuild|hierarchical-grid form=linked "
                  "update=individual} > 1",
        .ours = "Clearing and inserting takes {2:ratio|hierarchical-grid form=linked update=rebuild|hierarchical-grid "
                "form=linked update=individual} times as long as moving what changed cell; a step takes "
                "{ratio|hierarchical-grid form=linked update=rebuild|hierarchical-grid form=linked update=individual} "
                "times as long.",
        .reason = "A step takes {ratio|hierarchical-grid form=linked update=rebuild|hierarchical-grid form=linked "
                  "update=individual} times as long.",
    },
};
// clang-format on

const report_work WORK_KOCH = {
    .id = "koch-verdicts",
    .name = "Koch 2020",
    .title = "C. Koch, Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse "
             "Particle Dynamics, Erlangen 2020",
    .figures = "Table 1, Table 2, Table 3, Table 4, Table 5, Table 6, Table 7, Table 8, Table 9, Table 10, Table "
               "11, §5",
    .claims = CLAIMS,
    .claim_count = sizeof CLAIMS / sizeof *CLAIMS,
};
