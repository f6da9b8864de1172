// One call, no state. The lists of results are kept, so that the next call finds their room.
#include "web.h"

#include <stdlib.h>

static bp_status give_pairs(bp_status status, const bp_pairs *pairs) {
    web_results[0] = web_address(pairs->data);
    web_results[1] = (uint32_t)pairs->count;
    return status;
}

static bp_pairs kept_pairs;

bp_status WEB_EXPORT(web_find_pairs)(web_call *call, void *boxes, size_t count, bool is_double) {
    web_forget_sentence();
    web_spread_boxes(call, boxes, count, is_double);
    const bp_status status = is_double ? bp_find_pairs_double(boxes, count, &call->config, &kept_pairs)
                                       : bp_find_pairs(boxes, count, &call->config, &kept_pairs);
    return give_pairs(status, &kept_pairs);
}

bp_status WEB_EXPORT(web_find_pairs_between)(web_call *call, void *a, size_t a_count, void *b, size_t b_count,
                                             bool is_double) {
    web_forget_sentence();
    web_spread_boxes(call, a, a_count, is_double);
    web_spread_boxes(call, b, b_count, is_double);
    const bp_status status = is_double
                                 ? bp_find_pairs_between_double(a, a_count, b, b_count, &call->config, &kept_pairs)
                                 : bp_find_pairs_between(a, a_count, b, b_count, &call->config, &kept_pairs);
    return give_pairs(status, &kept_pairs);
}

static bp_neighbors kept_neighbors;

static bp_status give_neighbors(bp_status status) {
    if (status != BP_OK) return status;
    web_results[0] = web_address(kept_neighbors.offsets);
    web_results[1] = (uint32_t)kept_neighbors.count + 1;
    web_results[2] = web_address(kept_neighbors.indices);
    web_results[3] = (uint32_t)kept_neighbors.offsets[kept_neighbors.count];
    return status;
}

bp_status WEB_EXPORT(web_find_neighbors)(web_call *call, void *points, size_t count, double radius, bool is_double) {
    web_forget_sentence();
    web_spread_points(call, points, count, is_double);
    return give_neighbors(is_double ? bp_find_neighbors_double(points, count, radius, &call->config, &kept_neighbors)
                                    : bp_find_neighbors(points, count, (float)radius, &call->config, &kept_neighbors));
}

bp_status WEB_EXPORT(web_find_neighbors_variable)(web_call *call, void *points, const void *radii, size_t count,
                                                  bool is_double) {
    web_forget_sentence();
    web_spread_points(call, points, count, is_double);
    return give_neighbors(is_double
                              ? bp_find_neighbors_variable_double(points, count, radii, &call->config, &kept_neighbors)
                              : bp_find_neighbors_variable(points, count, radii, &call->config, &kept_neighbors));
}

bp_status WEB_EXPORT(web_find_neighbors_between)(web_call *call, void *a, size_t a_count, void *b, size_t b_count,
                                                 double radius, bool is_double) {
    web_forget_sentence();
    web_spread_points(call, a, a_count, is_double);
    web_spread_points(call, b, b_count, is_double);
    return give_neighbors(
        is_double ? bp_find_neighbors_between_double(a, a_count, b, b_count, radius, &call->config, &kept_neighbors)
                  : bp_find_neighbors_between(a, a_count, b, b_count, (float)radius, &call->config, &kept_neighbors));
}

// ---------------------------------------------------------------------------------------------------------------------
// Figures and words

// The figures of a call or an update, as numbers: the order is that of package/stats.js.
const double *WEB_EXPORT(web_figures)(const bp_stats *s) {
    static double figures[13];
    const double values[] = {(double)s->method,   (double)s->update,
                             (double)s->objects,  (double)s->pairs,
                             (double)s->tests,    (double)s->bytes,
                             (double)s->levels,   (double)s->cells,
                             (double)s->occupied, (double)s->objects_per_cell_max,
                             s->objects_per_cell, s->build_seconds,
                             s->find_seconds};
    _Static_assert(sizeof values == sizeof figures, "as many as there is room for");
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) figures[i] = values[i];
    return figures;
}

const bp_stats *WEB_EXPORT(web_call_stats)(const web_call *call) {
    return &call->stats;
}

// A text, for the caller to release; NULL if there is no memory for it.
char *WEB_EXPORT(web_explain)(const bp_stats *stats) {
    const size_t length = bp_explain(stats, NULL, 0);
    char *text = malloc(length + 1);
    if (text != NULL) (void)bp_explain(stats, text, length + 1);
    return text;
}

const char *WEB_EXPORT(web_version)(void) {
    return bp_version();
}

size_t WEB_EXPORT(web_method_count)(void) {
    return bp_method_count();
}

const char *WEB_EXPORT(web_method_name)(size_t index) {
    return bp_method_name(index);
}

const char *WEB_EXPORT(web_method_summary)(size_t index) {
    return bp_method_summary(index);
}

uint32_t WEB_EXPORT(web_method_supports)(size_t index) {
    return bp_method_supports(index);
}
