// What Schornbaum 2009 found, and whether our rows say the same.
#include "report/report_claims.h"

// clang-format off
static const report_claim CLAIMS[] = {
    {
        .figures = "Fig. 20",
        .found = "The grid grows almost perfectly linearly, all pairs quadratically; sizes of 1:12, and with them "
                 "several grids, cost little more than one size; with few objects testing all pairs is faster.",
        .chart = "schornbaum-scaling",
        .agrees = "{exponent|hierarchical-grid factor=2 uniform|10000} <= 1.1; "
                  "{exponent|hierarchical-grid factor=2 mixed|10000} <= 1.1; {exponent|brute-force uniform} ~10% 2; "
                  "{mean-ratio|hierarchical-grid factor=2 mixed|hierarchical-grid factor=2 uniform} <= 2",
        .direction = "{exponent|hierarchical-grid factor=2 uniform} < {exponent|brute-force uniform}",
        .ours = "From 10⁴ objects on time grows as n to the power of {exponent|hierarchical-grid factor=2 uniform|10000} "
                "(one size) and {exponent|hierarchical-grid factor=2 mixed|10000} (1:12), that of all pairs as "
                "{exponent|brute-force uniform}; sizes of 1:12 take {mean-ratio|hierarchical-grid factor=2 "
                "mixed|hierarchical-grid factor=2 uniform} times as long.",
        .reason = "Several grids cost {mean-ratio|hierarchical-grid factor=2 mixed|hierarchical-grid factor=2 uniform} "
                  "times the time of one.",
    },
};
// clang-format on

const report_work WORK_SCHORNBAUM = {
    .id = "schornbaum-verdicts",
    .name = "Schornbaum 2009",
    .title = "F. Schornbaum, Hierarchical Hash Grids for Coarse Collision Detection, Erlangen 2009",
    .figures = "Fig. 20, Fig. 21, Fig. 22, Fig. 23, Fig. 24, Fig. 25, Fig. 26, Fig. 27, Fig. 28, Fig. 29, Fig. 30",
    .claims = CLAIMS,
    .claim_count = sizeof CLAIMS / sizeof *CLAIMS,
};
