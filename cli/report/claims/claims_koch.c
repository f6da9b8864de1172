// What Koch 2020 found, and whether our rows say the same.
#include "report/report_claims.h"

const report_work WORK_KOCH = {
    .id = "koch-verdicts",
    .name = "Koch 2020",
    .title = "C. Koch, Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse "
             "Particle Dynamics, Erlangen 2020",
    .figures = "Table 1, Table 2, Table 3, Table 4, Table 5, Table 6, Table 7, Table 8, Table 9, Table 10, Table "
               "11, Fig. 8",
};
