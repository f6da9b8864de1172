// What Gissler 2011 found, and whether our rows say the same.
#include "report/report_claims.h"

const report_work WORK_GISSLER = {
    .id = "gissler-verdicts",
    .name = "Gissler 2011",
    .title = "M. Gissler, M. Ihmsen, M. Teschner, Efficient Uniform Grids for Collision Handling in Medical "
             "Simulators, Freiburg 2011",
    .figures = "Fig. 2, Fig. 3, Table 1, §5 sorting, §5 Z-curve, §5 speed-up",
};
