// What the library promises, beside what was measured.
#ifndef TOOL_REPORT_PROMISES_H
#define TOOL_REPORT_PROMISES_H

#include "report/report_data.h"

typedef enum promise_kind {
    PROMISE_AT_MOST,
    PROMISE_AT_LEAST,
    PROMISE_EXPONENT, // of y over n, at most
    PROMISE_MEAN      // the geometric mean over all cases, at most
} promise_kind;

// Which rows are compared with each other: each with itself, or those with the same method, scene and n, or fewer of
// these.
typedef enum promise_match { MATCH_ROW, MATCH_METHOD, MATCH_SCENE_AND_N, MATCH_N, MATCH_NOTHING } promise_match;

// The smallest y of the rows `top`, divided by the smallest y of the rows `bottom`, in each group of rows that match.
// All groups have to keep it. Conditions and values as in report_data.h.
typedef struct report_promise {
    const char *suite, *experiment; // experiment NULL: any
    const char *what;               // in words
    promise_kind kind;
    double asked;
    promise_match match;
    const char *y;
    const char *top;
    const char *bottom; // NULL: y itself
    const char *unit;   // NULL: a ratio
} report_promise;

extern const report_promise REPORT_PROMISES[];
extern const size_t REPORT_PROMISE_COUNT;

typedef struct promise_result {
    double low, high;
    size_t count; // of groups; 0: not measured
    bool kept;
    const char *folder; // whose rows were used
} promise_result;

// Measures a promise by the first folder that has its rows: times of different machines are never compared.
promise_result promise_measure(const report_promise *promise, const report_data *data, char **folders,
                               size_t folder_count);

// The row of a folder that took the least time of those that belong to one case and fulfil the conditions; NULL: there is
// none.
const report_row *fastest_row(const report_data *data, const char *folder, const char *suite, const char *scene,
                              const char *n, const char *conditions);

#endif
