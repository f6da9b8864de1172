// Following many lines at once.
//
//     lines, near each other ---> rows of cells of all of them ---> boxes that they may hit ---> hits (line, t, id)
//                                                                                                     |
//                                                           rows, each sorted  <--- sorted by line ---+
//
// A line by itself visits a dozen rows and tests a few boxes in each; most of its time goes into beginning and ending
// that. Here the rows of dozens of lines are listed, fetched and tested together.
#include "world/query/query_lines.h"

typedef struct line_hit {
    bp_ray_hit hit;
    uint32_t line;
} line_hit;

typedef struct lines_search {
    const bp_query *query;
    const bp_query_source *source; // the present one
    const bp_line *lines;
    uint32_t line; // the present one, outside the levels of a grid
    bp_item_list *items;
    size_t hit_count; // in the scratch memory of the items
    size_t *counts;   // of these, by line
    const bp_allocator *allocator;
} lines_search;

// ---- hits -----------------------------------------------------------------------------------------------------------

static void add_hit(lines_search *s, size_t line, bp_id id, const bp_box_double *box) {
    double t = 0.0;
    if (!bp_line_hits_box(&s->lines[line], box, &t)) {
        return;
    }
    const size_t held = s->hit_count * sizeof(line_hit);
    if (!bp_buffer_reserve_slack(&s->items->scratch, s->allocator, held, s->hit_count + 1, sizeof(line_hit))) {
        s->items->failed = true;
        return;
    }
    line_hit *hits = s->items->scratch.data;
    hits[s->hit_count++] = (line_hit){.hit = {.id = id, .t = (float)t}, .line = (uint32_t)line};
    ++s->counts[line];
}

// Boxes in the levels of a grid.
static void receive_lines(void *context, const bp_columns *columns, const bp_pair *hits, size_t count) {
    lines_search *s = context;
    const bp_query_source *source = s->source;
    for (size_t i = 0; i < count; ++i) {
        const size_t position = hits[i].b;
        const bp_box box = bp_columns_box(columns, position);
        if (bp_box_is_hole(&box)) { // blanked
            continue;
        }
        const bp_id id = source->ids != NULL ? source->ids[columns->id[position]] : columns->id[position];
        const bool stale = source->stale != NULL && source->stale[id] != 0;
        if (!stale && bp_query_sees(s->query, id)) {
            const bp_box_double exact =
                source->exact ? bp_box_to_double(&box) : bp_query_input_box(s->query, &(bp_found){.id = id});
            add_hit(s, hits[i].a, id, &exact);
        }
    }
}

static void receive_outside(void *context, const bp_found *found) {
    lines_search *s = context;
    const bp_box_double box = bp_query_input_box(s->query, found);
    add_hit(s, s->line, found->id, &box);
}

static void find_hits(lines_search *s, size_t count) {
    const bp_found_receiver outside = {.receive = receive_outside, .context = s};
    const bp_lines_receiver inside = {.receive = receive_lines, .context = s};
    for (size_t i = 0; i < count; ++i) {
        s->line = (uint32_t)i;
        bp_query_find_outside_levels(s->query, &s->lines[i], &outside);
    }
    for (size_t i = 0; i < s->query->source_count; ++i) {
        s->source = &s->query->sources[i];
        bp_sorted_grid_query_lines(s->source->grid, s->lines, count, &inside);
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void make_line_rows(lines_search *s, size_t count) {
    bp_ray_hit *rows = bp_item_list_reserve(s->items, s->allocator, s->hit_count);
    const line_hit *hits = s->items->scratch.data;
    size_t places[BP_BATCH_GROUP], sum = 0;
    if (rows == NULL) {
        return;
    }
    for (size_t line = 0; line < count; ++line) {
        places[line] = sum;
        sum += s->counts[line];
    }
    for (size_t i = 0; i < s->hit_count; ++i) {
        rows[places[hits[i].line]++] = hits[i].hit;
    }
    for (size_t line = 0; line < count; ++line) {
        const size_t begin = s->items->count;
        s->items->count += s->counts[line];
        bp_item_list_sort(s->items, begin);
    }
}

void bp_query_follow_lines(const bp_query *query, const bp_line *lines, size_t count, bp_item_list *items,
                           size_t *counts) { // NOLINT(readability-non-const-parameter): hits are counted there
    lines_search s = {.query = query, .lines = lines, .items = items, .counts = counts};
    s.allocator = bp_world_allocator(query->world);
    find_hits(&s, count);
    if (!items->failed) {
        make_line_rows(&s, count);
    }
}
