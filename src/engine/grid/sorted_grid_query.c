// Queries to a sorted grid (sorted_grid_query.h).
//
// A query with a box searches a level like a box of another level (sorted_grid_find.c): in the rows of cells that the
// box touches if the largest extents of the level are added to it.
//
// A line: rows of cells run along x, so viewed along x they form a plane of squares. The line can only hit boxes of a row
// while it is above the row's square, extended by the largest extents (so it is above up to four squares at a time). A
// box that moves is the line of its min corner, and the squares are extended by its extents, too.
//
//      z ^   +----+----+----+----+                For each row that the line passes, one range of cells: those that it
//        |   |    |    | ####    |                passes along x while it is above the row. A row is visited once, so
//        |   +----+----+#---+----+                no box is found twice. Only where a grid is folded, several rows of
//        |   |   ######|    |    |                the scene share a row of the grid; then each box is checked for the
//        |   +-#--+----+----+----+                row it is really in.
//        |   ##   |    |    |    |
//        +---------------------------> y          The boxes of a range are then tested against the whole line, eight at
//                                                 a time, with floats and some tolerance.
//
// Memory access dominates: for some dozens of rows together, first their table entries are prefetched, then the boxes,
// and then the boxes are tested. Where a box or a line passes very many rows, testing all boxes of the level is
// cheaper.
#include "engine/grid/sorted_grid_query.h"

#include "base/boxes.h"
#include "engine/grid/sorted_grid_rows.h"

enum {
    PIECES = 48,   // pieces of rows that are tested together
    PROBES = 64,   // lines on levels that are tested together
    TESTS = 256,   // ranges that are tested together, of many lines
    STRETCH = 256, // boxes of a range that are tested at once
    ROW_COST = 32  // visiting a row takes as long as testing this many boxes
};

// Cells low .. high of a row.
typedef struct row_piece {
    const bp_level *level;
    const uint32_t *row;
    int32_t low, high;
    int32_t y, z;  // not folded
    uint32_t line; // of many
} row_piece;

// Boxes begin .. end-1 of a piece.
typedef struct box_range {
    uint32_t begin, end;
    uint32_t piece;
} box_range;

// Lines on levels that are tested together.
typedef struct many_lines {
    const bp_lines_receiver *receiver;
    uint32_t index;               // of the present line
    bp_probe_line probes[PROBES]; // of lines on levels,
    uint32_t indices[PROBES];     // and which lines these are
    uint32_t probe_count;
    bp_range_test tests[TESTS];
    size_t test_count;
} many_lines;

// A query of one level.
typedef struct level_query {
    const bp_sorted_grid *grid;
    const bp_level *level;
    const bp_hit_receiver *receiver;
    const bp_box *box;         // finds the boxes that overlap this one,
    const bp_probe_line *line; // or, if that is NULL, the boxes that this line may hit
    bool folded;               // several visited rows may be the same row of the grid
    row_piece *pieces;         // room for PIECES
    size_t piece_count;
    many_lines *many; // NULL: this one line only
} level_query;

// ---- ranges of boxes ------------------------------------------------------------------------------------------------

// Unlike bp_prefetch, into the first-level cache: the memory is needed very soon.
static inline void prefetch_to_l1(const void *memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory, 0, 3);
#else
    (void)memory;
#endif
}

static void prefetch_range(const bp_columns *columns, uint32_t begin, uint32_t end) {
    const size_t line = 16; // values of a cache line
    for (size_t at = begin / line * line; at < end; at += line) {
        for (int axis = 0; axis < 3; ++axis) {
            prefetch_to_l1(columns->min[axis] + at);
            prefetch_to_l1(columns->max[axis] + at);
        }
        prefetch_to_l1(columns->id + at);
    }
}

// Whether a box is really in a cell of an axis, and not in one that is folded to the same place. It may have left its
// cell by the slack.
static bool is_in_cell(const bp_level *level, int axis, float min, int32_t cell) {
    const int32_t low = bp_cell_of_double((double)min - level->slack[axis], level->inverse[axis]);
    const int32_t high = bp_cell_of_double((double)min + level->slack[axis], level->inverse[axis]);
    return level->bits[axis] == 0 || cell == low || cell == high;
}

// Drops boxes that a patched grid has blanked, and boxes of other rows than that of the piece, if there is one.
static size_t keep_true_hits(const level_query *q, const row_piece *p, bp_pair *hits, size_t count) {
    const bp_columns *columns = &q->grid->columns;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t position = hits[i].a;
        hits[kept] = hits[i];
        kept += !isnan(columns->min[0][position]) &&
                (p == NULL || (is_in_cell(p->level, 1, columns->min[1][position], p->y) &&
                               is_in_cell(p->level, 2, columns->min[2][position], p->z)));
    }
    return kept;
}

static size_t probe_with_line(const level_query *q, size_t begin, size_t end, bp_pair *hits) {
    const bp_range_test test = {.begin = (uint32_t)begin, .end = (uint32_t)end};
    const bp_lines_job job = {.columns = &q->grid->columns,
                              .lines = q->line,
                              .tests = &test,
                              .test_count = 1,
                              .out = hits,
                              .room = STRETCH + BP_COLUMN_PADDING};
    size_t done = 0;
    const size_t count = q->grid->setup->kernels->probe_lines(&job, &done);
    for (size_t i = 0; i < count; ++i) {
        hits[i] = (bp_pair){.a = hits[i].b, .b = q->grid->columns.id[hits[i].b]};
    }
    return count;
}

static size_t probe_boxes(const level_query *q, size_t begin, size_t end, bp_pair *hits) {
    return q->box != NULL ? q->grid->setup->kernels->probe_box(&q->grid->columns, begin, end, q->box, hits)
                          : probe_with_line(q, begin, end, hits);
}

// Tests the boxes at begin .. end-1. Hits must be in the row of the piece `p`, unless that is NULL.
static void test_boxes(const level_query *q, size_t begin, size_t end, const row_piece *p) {
    bp_pair hits[STRETCH + BP_COLUMN_PADDING];
    for (; begin < end; begin += STRETCH) {
        size_t count = probe_boxes(q, begin, end - begin < STRETCH ? end : begin + STRETCH, hits);
        if (q->box == NULL || p != NULL) {
            count = keep_true_hits(q, p, hits, count);
        }
        if (count > 0) {
            q->receiver->receive(q->receiver->context, &q->grid->columns, hits, count);
        }
    }
}

static size_t list_box_range(box_range *ranges, size_t count, uint32_t begin, uint32_t end, size_t piece_index) {
    ranges[count] = (box_range){.begin = begin, .end = end, .piece = (uint32_t)piece_index};
    return count + (begin < end);
}

// The boxes of a piece: one range, or two if it crosses the edge of the folded grid.
static size_t list_piece_ranges(const level_query *q, size_t index, box_range *ranges, size_t count) {
    const row_piece *p = &q->pieces[index];
    const uint32_t cells = 1u << p->level->bits[0];
    const uint32_t first = (uint32_t)p->low & (cells - 1), last = (uint32_t)p->high & (cells - 1);
    if ((uint32_t)p->high - (uint32_t)p->low >= cells - 1) {
        return list_box_range(ranges, count, p->row[0], p->row[cells], index);
    }
    if (first <= last) {
        return list_box_range(ranges, count, p->row[first], p->row[last + 1], index);
    }
    count = list_box_range(ranges, count, p->row[first], p->row[cells], index);
    return list_box_range(ranges, count, p->row[0], p->row[last + 1], index);
}

// Runs the tests that are listed, and empties the list.
static void run_line_tests(const level_query *q) {
    many_lines *m = q->many;
    bp_pair hits[TESTS + STRETCH + BP_COLUMN_PADDING];
    bp_lines_job job = {.columns = &q->grid->columns,
                        .lines = m->probes,
                        .tests = m->tests,
                        .test_count = m->test_count,
                        .out = hits,
                        .room = sizeof hits / sizeof *hits};
    while (job.test_count > 0) {
        size_t done = 0;
        const size_t count = q->grid->setup->kernels->probe_lines(&job, &done);
        for (size_t i = 0; i < count; ++i) {
            hits[i].a = m->indices[hits[i].a];
        }
        m->receiver->receive(m->receiver->context, &q->grid->columns, hits, count);
        job.tests += done;
        job.test_count -= done;
    }
    m->test_count = 0;
}

static void list_line_tests(const level_query *q, uint32_t line, uint32_t begin, uint32_t end) {
    many_lines *m = q->many;
    for (; begin < end; begin += end - begin < STRETCH ? end - begin : STRETCH) {
        const uint32_t stop = end - begin < STRETCH ? end : begin + STRETCH;
        m->tests[m->test_count++] = (bp_range_test){.object = line, .begin = begin, .end = stop};
        if (m->test_count == TESTS) {
            run_line_tests(q);
        }
    }
}

// Tests the boxes of all pieces that are listed, and empties the list.
static void test_pieces(level_query *q) {
    box_range ranges[2 * PIECES];
    size_t count = 0;
    for (size_t i = 0; i < q->piece_count; ++i) {
        const size_t before = count;
        count = list_piece_ranges(q, i, ranges, count);
        for (size_t r = before; r < count; ++r) {
            prefetch_range(&q->grid->columns, ranges[r].begin, ranges[r].end);
        }
    }
    for (size_t r = 0; r < count; ++r) {
        const row_piece *p = &q->pieces[ranges[r].piece];
        if (q->many != NULL) {
            list_line_tests(q, p->line, ranges[r].begin, ranges[r].end);
        } else {
            test_boxes(q, ranges[r].begin, ranges[r].end, q->folded ? p : NULL);
        }
    }
    q->piece_count = 0;
}

// Lists the cells low .. high of a row for testing.
static void visit_row(level_query *q, int32_t y, int32_t z, int32_t low, int32_t high) {
    const uint32_t *row = bp_sorted_grid_row(q->grid, q->level, y, z);
    const uint32_t mask = (1u << q->level->bits[0]) - 1;
    prefetch_to_l1(row + ((uint32_t)low & mask));
    prefetch_to_l1(row + ((uint32_t)high & mask) + 1);
    q->pieces[q->piece_count++] = (row_piece){.level = q->level,
                                              .row = row,
                                              .low = low,
                                              .high = high,
                                              .y = y,
                                              .z = z,
                                              .line = q->many != NULL ? q->many->probe_count - 1 : 0};
    if (q->piece_count == PIECES) {
        test_pieces(q);
    }
}

static void test_level(const level_query *q) {
    const uint32_t *table = bp_sorted_grid_table(q->grid) + q->level->first_cell;
    test_boxes(q, table[0], table[bp_level_cells(q->level)], NULL);
}

static bool is_cheaper_to_test_all(const bp_level *level, double rows) {
    return rows * ROW_COST > (double)level->count;
}

// ---- a box ----------------------------------------------------------------------------------------------------------

static void query_box_on_level(level_query *q) {
    const bp_level *level = q->level;
    const bp_box *box = q->box;
    const bp_span y = bp_span_of(level, 1, box->min[1], box->max[1]);
    const bp_span z = bp_span_of(level, 2, box->min[2], box->max[2]);
    if (is_cheaper_to_test_all(level, (double)y.count * (double)z.count)) {
        test_level(q);
        return;
    }
    const int32_t low = bp_lowest_cell(level, 0, (double)box->min[0]);
    const int32_t high = bp_highest_cell(level, 0, (double)box->max[0]);
    for (int32_t dz = 0; dz < z.count; ++dz) {
        for (int32_t dy = 0; dy < y.count; ++dy) {
            visit_row(q, y.low + dy, z.low + dz, low, high);
        }
    }
    test_pieces(q);
}

void bp_sorted_grid_query_box(const bp_sorted_grid *grid, const bp_box *box, const bp_hit_receiver *receiver) {
    row_piece pieces[PIECES];
    level_query q = {.grid = grid, .receiver = receiver, .box = box, .pieces = pieces};
    for (size_t i = 0; i < grid->levels.count; ++i) {
        q.level = bp_level_at(&grid->levels, i);
        if (q.level->count > 0) {
            query_box_on_level(&q);
        }
    }
}

static const bp_box EVERYTHING = {.min = {-INFINITY, -INFINITY, -INFINITY}, .max = {INFINITY, INFINITY, INFINITY}};

void bp_sorted_grid_query_scanned(const bp_sorted_grid *grid, const bp_box *box, const bp_hit_receiver *receiver) {
    const level_query q = {.grid = grid, .receiver = receiver, .box = box != NULL ? box : &EVERYTHING};
    test_boxes(&q, grid->grid_count, grid->total_count, NULL);
}

// ---- a line on a level ----------------------------------------------------------------------------------------------

typedef struct interval {
    double low, high;
} interval;

static interval level_bounds(const bp_level *level, int axis) {
    return (interval){.low = (double)level->low[axis] - level->slack[axis],
                      .high = (double)level->high[axis] + level->slack[axis] + (double)level->reach[axis]};
}

// The part of the line in the bounds of a level's boxes. False if there is none.
static bool enter_level(const bp_level *level, const bp_line *line, bp_line_part *part) {
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const interval bounds = level_bounds(level, axis);
        low[axis] = bounds.low;
        high[axis] = bounds.high;
    }
    return level->count > 0 && bp_line_part_between(line, low, high, part);
}

// The interval of an axis that the line passes from t = begin to end.
static interval interval_passed(const bp_line_part *part, int axis, double begin, double end) {
    const double a = bp_line_part_point(part, axis, begin), b = bp_line_part_point(part, axis, end);
    return (interval){.low = (a < b ? a : b) - part->rounding[axis],
                      .high = (a < b ? b : a) + part->extent[axis] + part->rounding[axis]};
}

// When the line may hit boxes of a cell of an axis: from `enters` + cell * `step` to `leaves` + cell * `step`. (Each is a
// sum where bp_line_part_between multiplies a difference; what that rounds is far less than the rounding of the part.)
typedef struct cell_times {
    double enters, leaves, step;
    bool always; // the line is in all cells that it passes, at all times
} cell_times;

static cell_times times_of_cells(const bp_line_part *part, const bp_level *level, int axis) {
    const double size = 1.0 / level->inverse[axis], inverse = part->inverse[axis];
    const double low = -level->slack[axis] - part->extent[axis] - part->rounding[axis];
    const double high = size + level->slack[axis] + (double)level->reach[axis] + part->rounding[axis];
    const double origin = part->line->origin[axis];
    const bool forwards = part->line->direction[axis] > 0.0;
    return (cell_times){.enters = ((forwards ? low : high) - origin) * inverse,
                        .leaves = ((forwards ? high : low) - origin) * inverse,
                        .step = size * inverse,
                        .always = level->bits[axis] == 0 || part->line->direction[axis] == 0.0};
}

// Shortens begin .. end to the time that the line may hit boxes of a cell. False if it never does.
static inline bool clip_to_cell(const cell_times *times, int32_t cell, double *begin, double *end) {
    if (!times->always) {
        const double passed = (double)cell * times->step;
        const double enters = times->enters + passed, leaves = times->leaves + passed;
        *begin = enters > *begin ? enters : *begin;
        *end = leaves < *end ? leaves : *end;
    }
    return *begin <= *end;
}

// The cells of an axis whose boxes the line may hit from t = begin to end.
static bp_span cells_between(const bp_line_part *part, const bp_level *level, int axis, double begin, double end) {
    const interval where = interval_passed(part, axis, begin, end);
    const double slack = level->slack[axis], inverse = level->inverse[axis];
    if (level->bits[axis] == 0) {
        return (bp_span){.low = 0, .count = 1};
    }
    const int32_t first = bp_cell_of_double((double)level->low[axis] - slack, inverse);
    const int32_t last = bp_cell_of_double((double)level->high[axis] + slack, inverse);
    const int32_t low = bp_lowest_cell(level, axis, where.low), high = bp_highest_cell(level, axis, where.high);
    const int32_t from = low > first ? low : first, to = high < last ? high : last;
    return (bp_span){.low = from, .count = from <= to ? to - from + 1 : 0};
}

// Visits the rows of one cell of the outer axis.
static void walk_inner_rows(level_query *q, const bp_line_part *part, const cell_times *times, int inner,
                            int32_t outer_cell, double begin, double end) {
    const bp_span cells = cells_between(part, q->level, inner, begin, end);
    for (int32_t i = 0; i < cells.count; ++i) {
        const int32_t cell = cells.low + i;
        double from = begin, to = end;
        if (clip_to_cell(times, cell, &from, &to)) {
            const interval x = interval_passed(part, 0, from, to);
            visit_row(q, inner == 1 ? cell : outer_cell, inner == 1 ? outer_cell : cell,
                      bp_lowest_cell(q->level, 0, x.low), bp_highest_cell(q->level, 0, x.high));
        }
    }
}

static void walk_rows(level_query *q, const bp_line_part *part);

// Receives the hits of one of many lines.
static void receive_alone(void *context, const bp_columns *columns, const bp_pair *hits, size_t count) {
    const many_lines *m = context;
    bp_pair named[STRETCH];
    for (size_t i = 0; i < count; ++i) {
        named[i] = (bp_pair){.a = m->index, .b = hits[i].a};
    }
    m->receiver->receive(m->receiver->context, columns, named, count);
}

// One of many lines, by itself: it passes rows that are the same in the grid, or too many.
static void walk_alone(const level_query *q, const bp_line_part *part) { // NOLINT(misc-no-recursion): two deep
    row_piece pieces[PIECES];
    const bp_hit_receiver receiver = {.receive = receive_alone, .context = q->many};
    level_query alone = {.grid = q->grid, .level = q->level, .receiver = &receiver, .box = q->box, .pieces = pieces};
    alone.line = &q->many->probes[q->many->probe_count - 1];
    walk_rows(&alone, part);
}

// Visits all rows that the line passes. The outer axis is the one along which it passes fewer cells.
static void walk_rows(level_query *q, const bp_line_part *part) { // NOLINT(misc-no-recursion): two deep
    const bp_level *level = q->level;
    const bp_span y = cells_between(part, level, 1, part->begin, part->end);
    const bp_span z = cells_between(part, level, 2, part->begin, part->end);
    const bool all = is_cheaper_to_test_all(level, 2.0 * ((double)y.count + (double)z.count));
    q->folded = ((y.count - 1) >> level->bits[1]) + ((z.count - 1) >> level->bits[2]) > 0;
    if (q->many != NULL && (all || q->folded)) {
        walk_alone(q, part);
        return;
    }
    if (all) {
        test_level(q);
        return;
    }
    const int outer = y.count < z.count ? 1 : 2;
    const bp_span cells = outer == 1 ? y : z;
    const cell_times outer_times = times_of_cells(part, level, outer),
                     inner_times = times_of_cells(part, level, 3 - outer);
    for (int32_t i = 0; i < cells.count; ++i) {
        double from = part->begin, to = part->end;
        if (clip_to_cell(&outer_times, cells.low + i, &from, &to)) {
            walk_inner_rows(q, part, &inner_times, 3 - outer, cells.low + i, from, to);
        }
    }
    if (q->many == NULL) {
        test_pieces(q);
    }
}

void bp_sorted_grid_query_line(const bp_sorted_grid *grid, const bp_line *line, const bp_hit_receiver *receiver) {
    bp_probe_line probe_line;
    row_piece pieces[PIECES];
    level_query q = {.grid = grid, .receiver = receiver, .line = &probe_line, .pieces = pieces};
    for (size_t i = 0; i < grid->levels.count; ++i) {
        bp_line_part part;
        q.level = bp_level_at(&grid->levels, i);
        if (enter_level(q.level, line, &part)) {
            q.box = bp_line_part_probe(&part, &probe_line) ? NULL : &EVERYTHING;
            walk_rows(&q, &part);
        }
    }
}

// Scanned boxes may be infinite, so the line's own bounds have to do.
static bool make_whole_part(const bp_line *line, bp_line_part *part) {
    double low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double first = line->begin * line->direction[axis], last = line->end * line->direction[axis];
        low[axis] = line->origin[axis] + (first < last ? first : last);
        high[axis] = line->opposite[axis] + (first < last ? last : first);
    }
    return line->end < 0x1p300 && bp_line_part_between(line, low, high, part);
}

void bp_sorted_grid_query_scanned_line(const bp_sorted_grid *grid, const bp_line *line,
                                       const bp_hit_receiver *receiver) {
    bp_line_part part;
    bp_probe_line probe;
    level_query q = {.grid = grid, .receiver = receiver, .box = &EVERYTHING, .line = &probe};
    if (grid->grid_count < grid->total_count && make_whole_part(line, &part) && bp_line_part_probe(&part, &probe)) {
        q.box = NULL;
    }
    test_boxes(&q, grid->grid_count, grid->total_count, NULL);
}

// ---- many lines -----------------------------------------------------------------------------------------------------

static void test_lines(level_query *q) {
    test_pieces(q);
    run_line_tests(q);
    q->many->probe_count = 0;
}

static void query_one_of_many(level_query *q, const bp_line *line) {
    many_lines *m = q->many;
    for (size_t i = 0; i < q->grid->levels.count; ++i) {
        bp_line_part part;
        q->level = bp_level_at(&q->grid->levels, i);
        if (!enter_level(q->level, line, &part)) {
            continue;
        }
        if (m->probe_count == PROBES) {
            test_lines(q);
        }
        m->indices[m->probe_count] = m->index;
        const bool small = bp_line_part_probe(&part, &m->probes[m->probe_count++]);
        q->box = small ? NULL : &EVERYTHING;
        if (small) {
            walk_rows(q, &part);
        } else {
            walk_alone(q, &part);
        }
    }
}

void bp_sorted_grid_query_lines(const bp_sorted_grid *grid, const bp_line *lines, size_t count,
                                const bp_lines_receiver *receiver) {
    row_piece pieces[PIECES];
    many_lines m = {.receiver = receiver};
    level_query q = {.grid = grid, .pieces = pieces, .many = &m};
    for (m.index = 0; m.index < count; ++m.index) {
        query_one_of_many(&q, &lines[m.index]);
    }
    test_lines(&q);
}

// ---- bounds and spacing ---------------------------------------------------------------------------------------------

bool bp_sorted_grid_clip(const bp_sorted_grid *grid, bp_line *line) {
    double begin = INFINITY, end = -INFINITY;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        bp_line_part part;
        if (enter_level(bp_level_at(&grid->levels, i), line, &part)) {
            begin = fmin(begin, part.begin);
            end = fmax(end, part.end);
        }
    }
    if (begin <= end) {
        line->begin = begin;
        line->end = end;
    }
    return begin <= end;
}

bool bp_sorted_grid_bounds(const bp_sorted_grid *grid, double low[3], double high[3]) {
    bool any = false;
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
    }
    for (size_t i = 0; i < grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&grid->levels, i);
        any |= level->count > 0;
        for (int axis = 0; axis < 3 && level->count > 0; ++axis) {
            const interval bounds = level_bounds(level, axis);
            low[axis] = fmin(low[axis], bounds.low);
            high[axis] = fmax(high[axis], bounds.high);
        }
    }
    return any;
}

double bp_sorted_grid_spacing(const bp_sorted_grid *grid) {
    const bp_level *fullest = NULL;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        const bp_level *level = bp_level_at(&grid->levels, i);
        if (level->count > (fullest != NULL ? fullest->count : 0)) {
            fullest = level;
        }
    }
    if (fullest == NULL) {
        return 0.0;
    }
    const double share = (double)grid->sort.occupied / (double)grid->grid_count; // of a cell, per box
    const double area = share / (fullest->inverse[0] * fullest->inverse[1]);
    return grid->setup->dimensions == 2 ? sqrt(area) : cbrt(area / fullest->inverse[2]);
}
