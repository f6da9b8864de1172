// What Zych 2016 found, and whether our rows say the same.
#include "report/report_claims.h"

const report_work WORK_ZYCH = {
    .id = "zych-verdicts",
    .name = "Zych 2016",
    .title = "M. Zych, Efficient algorithms for collision detection in three-dimensional space, Gdańsk 2016",
    .figures = "Fig. 2.26, Fig. 4.3, Fig. 4.4, Fig. 4.5, Fig. 4.6, Fig. 4.7, Fig. 4.8, Fig. 4.9, Fig. 4.11, Fig. "
               "4.12, Fig. 4.13, Fig. 4.14, Fig. 4.16, Fig. 4.17, Fig. 4.18, Fig. 4.19, Fig. 4.20, Fig. 4.21, Fig. "
               "4.22, Fig. 4.23, Fig. 4.24, Fig. 4.25, Fig. 4.26, Fig. 4.27, Fig. 4.29, Fig. 4.30, Fig. 4.31, Fig. "
               "4.32, Fig. 4.33",
};
