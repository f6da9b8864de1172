// The promises, one row each, and how each is measured from the rows of results.
#include "report/report_promises.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OURS "who=broadphase;method=hierarchical-grid;threads=1"
#define TWO "who=broadphase;method=hierarchical-grid;threads=2"

const report_promise REPORT_PROMISES[] = {
    {"quick", NULL, "uniform, 10⁴ boxes: the fastest packaged peer takes so many times our time", PROMISE_AT_LEAST, 12,
     MATCH_SCENE_AND_N, "total_ms", "who=peer;scene=uniform;n=10000", OURS ";scene=uniform;n=10000", NULL},
    {"quick", NULL, "uniform, 10⁵ boxes: the same", PROMISE_AT_LEAST, 15, MATCH_SCENE_AND_N, "total_ms",
     "who=peer;scene=uniform;n=100000", OURS ";scene=uniform;n=100000", NULL},
    {"quick", NULL, "uniform, 10⁶ boxes: the same", PROMISE_AT_LEAST, 18, MATCH_SCENE_AND_N, "total_ms",
     "who=peer;scene=uniform;n=1000000", OURS ";scene=uniform;n=1000000", NULL},
    {"quick", NULL, "mixed sizes and low motion: the same", PROMISE_AT_LEAST, 8, MATCH_SCENE_AND_N, "total_ms",
     "who=peer;scene=mixed|low-motion", OURS ";scene=mixed|low-motion", NULL},
    {"quick", NULL, "reference, very-inhomogeneous and very-polydisperse: the same", PROMISE_AT_LEAST, 8,
     MATCH_SCENE_AND_N, "total_ms", "who=peer;scene=reference|very-*", OURS ";scene=reference|very-*", NULL},
    {"quick", NULL, "sizes 1:12 beside equal sizes (mixed / uniform)", PROMISE_AT_MOST, 1.5, MATCH_N, "total_ms",
     OURS ";scene=mixed", OURS ";scene=uniform", NULL},
    {"quick", NULL, "long boxes beside cubes (long / uniform)", PROMISE_AT_MOST, 2.5, MATCH_N, "total_ms",
     OURS ";scene=long", OURS ";scene=uniform", NULL},
    {"quick", NULL, "a whole step beside a radix sort of as many keys, 10⁶ boxes", PROMISE_AT_MOST, 7, MATCH_N,
     "total_ms", OURS ";scene=uniform;n=1000000", "who=limit;method=radix-sort", NULL},
    {"quick", NULL, "one thread / two threads, 10⁶ boxes", PROMISE_AT_LEAST, 1.75, MATCH_N, "total_ms",
     OURS ";scene=uniform", TWO ";scene=uniform", NULL},
    {"quick", NULL, "scalar code beside vectors, 10⁵ boxes", PROMISE_AT_MOST, 3.5, MATCH_SCENE_AND_N, "total_ms",
     "who=broadphase;method=hierarchical-grid/scalar;scene=uniform", OURS ";scene=uniform", NULL},
    {"quick", NULL, "memory beside the boxes, 10⁶ boxes", PROMISE_AT_MOST, 72, MATCH_N, "bytes_per_object",
     OURS ";scene=uniform;n=1000000", NULL, "bytes each"},
    {"living", NULL, "1 % moving, always the same ones, beside all moving", PROMISE_AT_MOST, 0.125, MATCH_SCENE_AND_N,
     "total_ms", "method=hierarchical-grid/1%-same", "method=hierarchical-grid/all", NULL},
    {"living", NULL, "0.1 % moving beside all moving", PROMISE_AT_MOST, 0.04, MATCH_SCENE_AND_N, "total_ms",
     "method=hierarchical-grid/0.1%-anew", "method=hierarchical-grid/all", NULL},
    {"living", NULL, "all moving beside a single call", PROMISE_AT_MOST, 1.1, MATCH_SCENE_AND_N, "total_ms",
     "method=hierarchical-grid/all", "method=hierarchical-grid/find-pairs", NULL},
    {"living", NULL, "a game level: Bullet's faster way / ours", PROMISE_AT_LEAST, 10, MATCH_SCENE_AND_N, "total_ms",
     "who=bullet;tail=world", "who=broadphase;tail=world", NULL},
    {"neighbors", NULL, "neighbours of 10⁵ and 10⁶ points: nanoflann / ours", PROMISE_AT_LEAST, 8, MATCH_SCENE_AND_N,
     "total_ms", "who=nanoflann;n!=10000", "who=broadphase;n!=10000", NULL},
    {"schornbaum", "scaling", "10⁴ to 10⁶ boxes: time grows as n to the power of", PROMISE_EXPONENT, 1.1, MATCH_N,
     "total_ms", "method=hierarchical-grid;scene=uniform;n=10000|30000|100000|300000|1000000", NULL, NULL},
    {"schornbaum", "shape", "long boxes beside cubes, as many pairs", PROMISE_AT_MOST, 2.5, MATCH_N, "total_ms",
     "method=hierarchical-grid;scene=long", "method=hierarchical-grid;scene=uniform", NULL},
    {"schornbaum", "shape", "a domain of 1024:1 beside a cube", PROMISE_AT_MOST, 1.2, MATCH_N, "total_ms",
     "method=hierarchical-grid;scene=stretched", "method=hierarchical-grid;scene=uniform", NULL},
    {"koch", NULL, "candidate pairs of every structure beside those of Koch 2020 (without Table 5)", PROMISE_AT_MOST,
     1.05, MATCH_METHOD, "tests", "who=broadphase;experiment!=table-5", "who=paper;experiment!=table-5", NULL},
    {"koch", NULL, "inhomogeneous and polydisperse: linked cells / hierarchical grid", PROMISE_AT_LEAST, 1,
     MATCH_SCENE_AND_N, "total_ms", "who=broadphase;method=linked-cells cell*;scene=very-*|polydisperse|more-*",
     "who=broadphase;method=hierarchical-grid;scene=very-*|polydisperse|more-*", NULL},
    {"zhyhallo", NULL, "chunks, crowded: memory of 14,336² beside 2,048² cells", PROMISE_AT_MOST, 1.1, MATCH_N,
     "bytes_per_object", "scene=clustered-2d cells=14336;method=pivot-grid chunk=8;threads=1",
     "scene=clustered-2d cells=2048;method=pivot-grid chunk=8;threads=1", NULL},
    {"auto", "auto", "the method chosen beside the best: mean over all cases", PROMISE_MEAN, 1.15, MATCH_SCENE_AND_N,
     "total_ms", "method=auto", "who=broadphase;method!=auto", NULL},
    {"auto", "auto", "the method chosen beside the best: the worst case", PROMISE_AT_MOST, 1.5, MATCH_SCENE_AND_N,
     "total_ms", "method=auto", "who=broadphase;method!=auto", NULL},
    {"worst", "worst", "hostile scenes: time for each object and pair, beside uniform boxes", PROMISE_AT_MOST, 15,
     MATCH_SCENE_AND_N, "total_ms/work", "kind=auto", "method=uniform-boxes", NULL},
    {"worst", "worst", "hostile scenes: tests for each object and pair, the same", PROMISE_AT_MOST, 15,
     MATCH_SCENE_AND_N, "tests/work", "kind=auto", "method=uniform-boxes", NULL},
    {"worst-search", "search", "what a search found: time for each object and pair, the same", PROMISE_AT_MOST, 20,
     MATCH_SCENE_AND_N, "total_ms/work", "kind=auto", "method=uniform-boxes", NULL},
    {"cuda", NULL, "one H200: 10⁶ boxes, uniform", PROMISE_AT_MOST, 0.20, MATCH_N, "kernels_ms",
     "scene=uniform;n=1000000", NULL, "ms"},
    {"cuda", NULL, "one H200: 10⁸ boxes, uniform", PROMISE_AT_MOST, 11, MATCH_N, "kernels_ms",
     "scene=uniform;n=100000000", NULL, "ms"},
    {"cuda", NULL, "one H200: 1.14·10⁹ boxes, uniform", PROMISE_AT_MOST, 120, MATCH_N, "kernels_ms",
     "scene=uniform;n=1140000000", NULL, "ms"},
    {"cuda", NULL, "one H200: mixed / uniform, 10⁸ boxes", PROMISE_AT_MOST, 2.5, MATCH_N, "kernels_ms",
     "scene=mixed;n=100000000", "scene=uniform", NULL},
    {"cuda", NULL, "one H200: more-polydisperse / uniform, 10⁸ boxes", PROMISE_AT_MOST, 4, MATCH_NOTHING, "kernels_ms",
     "scene=more-polydisperse;n=100000006", "scene=uniform;n=100000000", NULL},
    {"mpi", "weak", "efficiency, 1 → 2 ranks, as many objects each", PROMISE_AT_LEAST, 0.8, MATCH_NOTHING, "efficiency",
     "ranks=2", NULL, NULL},
    {"mpi", "weak", "one rank beside a plain world", PROMISE_AT_MOST, 1.15, MATCH_N, "step_ms/plain_ms", "ranks=1",
     NULL, NULL},
    {"mpi", "model", "ghosts of real partitions beside the model", PROMISE_AT_MOST, 1.1, MATCH_ROW, "ratio", "", NULL,
     NULL},
};
const size_t REPORT_PROMISE_COUNT = sizeof REPORT_PROMISES / sizeof *REPORT_PROMISES;

// ---------------------------------------------------------------------------------------------------------------------

static bool is_of(const report_promise *promise, const report_row *row) {
    return strcmp(row->suite, promise->suite) == 0 &&
           (promise->experiment == NULL || strcmp(row->experiment, promise->experiment) == 0);
}

static bool is_same(const char *a, const char *b) {
    return (a == NULL && b == NULL) || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_on(const report_row *row, const char *folder) {
    return strcmp(row->file->folder, folder) == 0;
}

// Whether two rows may be compared: never those of different machines. A limit of the machine belongs to all scenes.
static bool is_match(const report_promise *promise, const report_row *a, const report_row *b) {
    if (!is_on(a, b->file->folder)) return false;
    if (promise->match == MATCH_NOTHING) return true;
    if (promise->match == MATCH_ROW) return a == b;
    if (!is_same(row_cell(a, "n"), row_cell(b, "n"))) return false;
    if (promise->match == MATCH_N) return true;
    if (strcmp(a->scene, b->scene) != 0) return false;
    return promise->match == MATCH_SCENE_AND_N || strcmp(a->method, b->method) == 0;
}

// The smallest y of the rows that fulfil the conditions and match; 0: none.
static double least_of(const report_promise *promise, const report_data *data, const char *conditions,
                       const report_row *match) {
    double least = 0.0;
    for (size_t i = 0; i < data->row_count; i++) {
        const report_row *row = &data->rows[i];
        double value;
        if (!is_of(promise, row) || !is_match(promise, row, match) || !row_fulfils(row, conditions)) continue;
        if (row_value(row, promise->y, &value) && value > 0.0 && (least == 0.0 || value < least)) least = value;
    }
    return least;
}

// Whether a row is the first one of its group, so that each group counts once.
static bool is_first(const report_promise *promise, const report_data *data, size_t index) {
    for (size_t i = 0; i < index; i++) {
        const report_row *row = &data->rows[i];
        if (is_of(promise, row) && row_fulfils(row, promise->top) && is_match(promise, row, &data->rows[index])) {
            return false;
        }
    }
    return true;
}

typedef struct group_sums {
    double log_sum; // of the values
    double x, xx, y, xy;
} group_sums;

static void add_group(promise_result *result, group_sums *sums, const report_row *row, double value) {
    double n = 1.0;
    (void)row_number(row, "n", &n);
    sums->log_sum += log(value);
    sums->x += log(n);
    sums->xx += log(n) * log(n);
    sums->y += log(value);
    sums->xy += log(n) * log(value);
    result->low = result->count == 0 ? value : fmin(result->low, value);
    result->high = result->count == 0 ? value : fmax(result->high, value);
    result->count++;
}

static void set_single(promise_result *result, double value) {
    result->low = result->high = value;
}

static void judge_promise(const report_promise *promise, promise_result *result, const group_sums *sums) {
    const double count = (double)result->count, width = count * sums->xx - sums->x * sums->x;
    if (result->count == 0) return;
    if (promise->kind == PROMISE_MEAN) set_single(result, exp(sums->log_sum / count));
    if (promise->kind == PROMISE_EXPONENT) {
        if (width <= 0.0) result->count = 0;
        set_single(result, width <= 0.0 ? 0.0 : (count * sums->xy - sums->x * sums->y) / width);
    }
    result->kept = promise->kind == PROMISE_AT_LEAST ? result->low >= promise->asked : result->high <= promise->asked;
}

static promise_result measure_on(const char *folder, const report_promise *promise, const report_data *data) {
    promise_result result = {.folder = folder};
    group_sums sums = {0};
    for (size_t i = 0; i < data->row_count; i++) {
        const report_row *row = &data->rows[i];
        if (!is_of(promise, row) || !is_on(row, folder) || !row_fulfils(row, promise->top)) continue;
        if (!is_first(promise, data, i)) continue;
        double top = least_of(promise, data, promise->top, row);
        double bottom = promise->bottom == NULL ? 1.0 : least_of(promise, data, promise->bottom, row);
        if (top > 0.0 && bottom > 0.0) add_group(&result, &sums, row, top / bottom);
    }
    judge_promise(promise, &result, &sums);
    return result;
}

promise_result promise_measure(const report_promise *promise, const report_data *data, char **folders,
                               size_t folder_count) {
    promise_result result = {0};
    for (size_t i = 0; i < folder_count && result.count == 0; i++) result = measure_on(folders[i], promise, data);
    return result;
}

const report_row *fastest_row(const report_data *data, const char *folder, const char *suite, const char *scene,
                              const char *n, const char *conditions) {
    const report_row *fastest = NULL;
    double least = 0.0;
    for (size_t i = 0; i < data->row_count; i++) {
        const report_row *row = &data->rows[i];
        double value;
        if (!is_on(row, folder) || strcmp(row->suite, suite) != 0 || strcmp(row->scene, scene) != 0) continue;
        if (!is_same(row_cell(row, "n"), n)) continue;
        if (!row_fulfils(row, conditions) || !row_number(row, "total_ms", &value)) continue;
        if (fastest == NULL || value < least) {
            least = value;
            fastest = row;
        }
    }
    return fastest;
}
