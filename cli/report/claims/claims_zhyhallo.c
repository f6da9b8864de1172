// What Zhyhallo 2024 found, and whether our rows say the same.
#include "report/report_claims.h"

const report_work WORK_ZHYHALLO = {
    .id = "zhyhallo-verdicts",
    .name = "Zhyhallo 2024",
    .title = "M. Zhyhallo, B. Woźna-Szcześniak, Better Spacial Hashing with Linear Memory Usage and Parallelism, "
             "2024",
    .figures = "Fig. 4a, Fig. 4b, Fig. 5a, Fig. 5b, Fig. 6a, Fig. 6b",
};
