// See sorted_query.h.
//
// A box is looked for as a box of another level is (sorted_sweep.c): in the rows of cells that it, grown by the largest
// extents of a level, touches.
//
// A line: rows of cells run along x, so seen along x they are a plane of squares, and a box is met only while the line
// is above the square of its row, grown by the largest extents (the line is then, in turn, above up to four squares).
//
//      z ^   +----+----+----+----+                For each row that the line passes, one range of cells: those that it
//        |   |    |    | ####    |                passes meanwhile along x. A row is not visited again, and so no box
//        |   +----+----+#---+----+                comes twice; only where a grid is folded, and rows come again as
//        |   |   ######|    |    |                others of themselves, a box has to say which one it is in.
//        |   +-#--+----+----+----+
//        |   ##   |    |    |    |                The boxes of a range are then tested against the whole line, eight at
//        +---------------------------> y          a time, with floats and some tolerance.
//
// Memory is what costs: for some dozens of rows at a time, first their table entries are asked for, then the boxes, and
// then they are looked at. A box or a line that passes more rows than looking at all boxes is worth does that instead.
#include "methods/hierarchical_grid/sorted_grid_query.h"

#include "base/boxes.h"
#include "methods/hierarchical_grid/sorted_grid_rows.h"

enum {
    PIECES = 48,   // ranges of rows that are looked at together
    STRETCH = 256, // boxes of a range that are tested at once
    ROW_COST = 32  // looking into a row takes as long as testing so many boxes
};

// Cells low .. high of a row.
typedef struct piece {
    const uint32_t *row;
    int32_t low, high;
    int32_t y, z; // not folded
} piece;

typedef struct range {
    uint32_t begin, end;
    uint32_t piece;
} range;

typedef struct search {
    const bp_sorted_grid *grid;
    const bp_level *level;
    const bp_taker *taker;
    const bp_box *box;         // what is looked for: this,
    const bp_probe_line *line; // or this
    bool folded;               // rows may come again
    piece *pieces;             // room for PIECES
    size_t piece_count;
} search;

// ---- ranges of boxes ------------------------------------------------------------------------------------------------

static inline void prefetch(const void *memory) {
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
            prefetch(columns->min[axis] + at);
            prefetch(columns->max[axis] + at);
        }
        prefetch(columns->id + at);
    }
}

// Whether the cell of an axis is the one that a box is in, and not the same one of a folded grid. It may have left it by
// the slack.
static bool is_in_cell(const bp_level *level, int axis, float min, int32_t cell) {
    const int32_t low = bp_cell_of_double((double)min - level->slack[axis], level->inverse[axis]);
    const int32_t high = bp_cell_of_double((double)min + level->slack[axis], level->inverse[axis]);
    return level->bits[axis] == 0 || cell == low || cell == high;
}

// Leaves out boxes that a patched grid has blanked, and those that are not of this row, if that matters.
static size_t keep_true_hits(const search *s, const piece *p, bp_pair *hits, size_t count) {
    const bp_columns *columns = &s->grid->columns;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t position = hits[i].a;
        hits[kept] = hits[i];
        kept += !isnan(columns->min[0][position]) &&
                (p == NULL || (is_in_cell(s->level, 1, columns->min[1][position], p->y) &&
                               is_in_cell(s->level, 2, columns->min[2][position], p->z)));
    }
    return kept;
}

static size_t probe(const search *s, size_t begin, size_t end, bp_pair *hits) {
    const bp_kernels *kernels = s->grid->kernels;
    return s->box != NULL ? kernels->probe_box(&s->grid->columns, begin, end, s->box, hits)
                          : kernels->probe_line(&s->grid->columns, begin, end, s->line, hits);
}

// Tests the boxes at begin .. end-1; `p` is the piece they are of, if that matters.
static void look_at(const search *s, size_t begin, size_t end, const piece *p) {
    bp_pair hits[STRETCH + BP_COLUMN_PADDING];
    for (; begin < end; begin += STRETCH) {
        size_t count = probe(s, begin, end - begin < STRETCH ? end : begin + STRETCH, hits);
        if (s->box == NULL || p != NULL) {
            count = keep_true_hits(s, p, hits, count);
        }
        if (count > 0) {
            s->taker->take(s->taker->context, &s->grid->columns, hits, count);
        }
    }
}

static size_t list_range(range *ranges, size_t count, uint32_t begin, uint32_t end, size_t piece_index) {
    ranges[count] = (range){.begin = begin, .end = end, .piece = (uint32_t)piece_index};
    return count + (begin < end);
}

// The boxes of a piece: one range, or two where it goes over the edge of the folded grid.
static size_t list_ranges(const search *s, size_t index, range *ranges, size_t count) {
    const piece *p = &s->pieces[index];
    const uint32_t cells = 1u << s->level->bits[0];
    const uint32_t first = (uint32_t)p->low & (cells - 1), last = (uint32_t)p->high & (cells - 1);
    if ((uint32_t)p->high - (uint32_t)p->low >= cells - 1) {
        return list_range(ranges, count, p->row[0], p->row[cells], index);
    }
    if (first <= last) {
        return list_range(ranges, count, p->row[first], p->row[last + 1], index);
    }
    count = list_range(ranges, count, p->row[first], p->row[cells], index);
    return list_range(ranges, count, p->row[0], p->row[last + 1], index);
}

static void flush(search *s) {
    range ranges[2 * PIECES];
    size_t count = 0;
    for (size_t i = 0; i < s->piece_count; ++i) {
        const size_t before = count;
        count = list_ranges(s, i, ranges, count);
        for (size_t r = before; r < count; ++r) {
            prefetch_range(&s->grid->columns, ranges[r].begin, ranges[r].end);
        }
    }
    for (size_t r = 0; r < count; ++r) {
        look_at(s, ranges[r].begin, ranges[r].end, s->folded ? &s->pieces[ranges[r].piece] : NULL);
    }
    s->piece_count = 0;
}

static void look_into_row(search *s, int32_t y, int32_t z, int32_t low, int32_t high) {
    const uint32_t *row = bp_row_of(s->grid, s->level, y, z);
    const uint32_t mask = (1u << s->level->bits[0]) - 1;
    prefetch(row + ((uint32_t)low & mask));
    prefetch(row + ((uint32_t)high & mask) + 1);
    s->pieces[s->piece_count++] = (piece){.row = row, .low = low, .high = high, .y = y, .z = z};
    if (s->piece_count == PIECES) {
        flush(s);
    }
}

static void look_at_level(const search *s) {
    const uint32_t *table = bp_sorted_grid_table(s->grid) + s->level->first_cell;
    look_at(s, table[0], table[bp_level_cells(s->level)], NULL);
}

static bool is_worth_all(const bp_level *level, double rows) {
    return rows * ROW_COST > (double)level->count;
}

// ---- a box ----------------------------------------------------------------------------------------------------------

static void ask_box_on_level(search *s) {
    const bp_level *level = s->level;
    const bp_box *box = s->box;
    const bp_span y = bp_span_of(level, 1, box->min[1], box->max[1]);
    const bp_span z = bp_span_of(level, 2, box->min[2], box->max[2]);
    if (is_worth_all(level, (double)y.count * (double)z.count)) {
        look_at_level(s);
        return;
    }
    const int32_t low = bp_lowest_cell(level, 0, (double)box->min[0]);
    const int32_t high = bp_highest_cell(level, 0, (double)box->max[0]);
    for (int32_t dz = 0; dz < z.count; ++dz) {
        for (int32_t dy = 0; dy < y.count; ++dy) {
            look_into_row(s, y.low + dy, z.low + dz, low, high);
        }
    }
    flush(s);
}

void bp_sorted_grid_ask_box(const bp_sorted_grid *grid, const bp_box *box, const bp_taker *taker) {
    piece pieces[PIECES];
    search s = {.grid = grid, .taker = taker, .box = box, .pieces = pieces};
    for (size_t i = 0; i < grid->levels.count; ++i) {
        s.level = bp_level_at(&grid->levels, i);
        if (s.level->count > 0) {
            ask_box_on_level(&s);
        }
    }
}

static const bp_box EVERYTHING = {.min = {-INFINITY, -INFINITY, -INFINITY}, .max = {INFINITY, INFINITY, INFINITY}};

void bp_sorted_grid_ask_scanned(const bp_sorted_grid *grid, const bp_box *box, const bp_taker *taker) {
    const search s = {.grid = grid, .taker = taker, .box = box != NULL ? box : &EVERYTHING};
    look_at(&s, grid->grid_count, grid->total_count, NULL);
}

// ---- a line on a level ----------------------------------------------------------------------------------------------

// A part of the line, on a level.
typedef struct stretch {
    const bp_line *line;
    double inverse[3];  // of the direction; infinite where that is 0
    double rounding[3]; // more than all rounding of coordinates can amount to
    double begin, end;
} stretch;

typedef struct interval {
    double low, high;
} interval;

static interval level_bounds(const bp_level *level, int axis) {
    return (interval){.low = (double)level->low[axis] - level->slack[axis],
                      .high = (double)level->high[axis] + level->slack[axis] + (double)level->reach[axis]};
}

static double at(const stretch *s, int axis, double t) {
    return s->line->origin[axis] + t * s->line->direction[axis];
}

// Where a line is from t = begin to end.
static interval passed(const stretch *s, int axis, double begin, double end) {
    const double a = at(s, axis, begin), b = at(s, axis, end);
    return (interval){.low = (a < b ? a : b) - s->rounding[axis], .high = (a < b ? b : a) + s->rounding[axis]};
}

// When a line is in an interval of an axis, between begin and end. False if it never is.
static bool cut(const stretch *s, int axis, interval where, double *begin, double *end) {
    const double origin = s->line->origin[axis];
    const double low = where.low - s->rounding[axis], high = where.high + s->rounding[axis];
    if (s->line->direction[axis] == 0.0) {
        return low <= origin && origin <= high;
    }
    const bool forwards = s->line->direction[axis] > 0.0;
    const double enters = ((forwards ? low : high) - origin) * s->inverse[axis];
    const double leaves = ((forwards ? high : low) - origin) * s->inverse[axis];
    *begin = enters > *begin ? enters : *begin;
    *end = leaves < *end ? leaves : *end;
    return *begin <= *end;
}

// The part of the line where the boxes of a level are. False if there is none.
static bool enter_level(const bp_level *level, const bp_line *line, stretch *s) {
    *s = (stretch){.line = line, .begin = line->begin, .end = line->end};
    bool meets = level->count > 0;
    for (int axis = 0; axis < 3 && meets; ++axis) {
        const interval bounds = level_bounds(level, axis);
        s->inverse[axis] = 1.0 / line->direction[axis];
        s->rounding[axis] = 0x1p-45 * (fabs(bounds.low) + fabs(bounds.high) + fabs(line->origin[axis])) +
                            line->rounding[axis] + 0x1p-149;
        meets = cut(s, axis, bounds, &s->begin, &s->end);
    }
    return meets;
}

// The largest component of the direction.
static double speed_of(const bp_line *line) {
    double speed = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        speed = fmax(speed, fabs(line->direction[axis]));
    }
    return speed;
}

// The line as the kernels see it. False if its numbers are too large for that.
static bool make_probe(const stretch *s, bp_probe_line *probe) {
    const double speed = speed_of(s->line), length = (s->end - s->begin) * speed, limit = 0x1p40;
    bool small = length < 1e36;
    probe->length = bp_round_up(length * (1.0 + 0x1p-20));
    for (int axis = 0; axis < 3; ++axis) {
        const double forwards = s->line->direction[axis] < 0.0 ? -1.0 : 1.0;
        const double inverse = forwards * speed * s->inverse[axis];
        const double origin = at(s, axis, s->begin);
        // Floats round by 2^-24 of the coordinates; along axes in which the line does not move at all, the limit makes
        // faces pass within this, too.
        const double tolerance = 0x1p-20 * length + s->rounding[axis];
        const float after = bp_round_up(origin + tolerance), before = bp_round_down(origin - tolerance);
        probe->inverse[axis] = (float)(forwards * (inverse < limit ? inverse : limit));
        probe->near_origin[axis] = forwards > 0.0 ? after : before;
        probe->far_origin[axis] = forwards > 0.0 ? before : after;
        small &= fabs(origin) < 1e36;
    }
    return small;
}

// When the line may meet boxes of a cell of an axis.
static bool cut_to_cell(const stretch *s, const bp_level *level, int axis, int32_t cell, double *begin, double *end) {
    const interval where = {.low = (double)cell / level->inverse[axis] - level->slack[axis],
                            .high = ((double)cell + 1.0) / level->inverse[axis] + level->slack[axis] +
                                    (double)level->reach[axis]};
    return level->bits[axis] == 0 || cut(s, axis, where, begin, end);
}

// The cells of an axis that may hold boxes which the line meets from t = begin to end. An axis of one cell has only that.
static bp_span cells_between(const stretch *s, const bp_level *level, int axis, double begin, double end) {
    const interval where = passed(s, axis, begin, end);
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

// The rows of one cell of the outer axis.
static void walk_inner(search *f, const stretch *s, int inner, int32_t outer_cell, double begin, double end) {
    const bp_span cells = cells_between(s, f->level, inner, begin, end);
    for (int32_t i = 0; i < cells.count; ++i) {
        const int32_t cell = cells.low + i;
        double from = begin, to = end;
        if (cut_to_cell(s, f->level, inner, cell, &from, &to)) {
            const interval x = passed(s, 0, from, to);
            look_into_row(f, inner == 1 ? cell : outer_cell, inner == 1 ? outer_cell : cell,
                          bp_lowest_cell(f->level, 0, x.low), bp_highest_cell(f->level, 0, x.high));
        }
    }
}

// The outer axis is the one along which the line passes fewer cells.
static void walk(search *f, const stretch *s) {
    const bp_level *level = f->level;
    const bp_span y = cells_between(s, level, 1, s->begin, s->end);
    const bp_span z = cells_between(s, level, 2, s->begin, s->end);
    if (is_worth_all(level, 2.0 * ((double)y.count + (double)z.count))) {
        look_at_level(f);
        return;
    }
    const int outer = y.count < z.count ? 1 : 2;
    const bp_span cells = outer == 1 ? y : z;
    f->folded = ((y.count - 1) >> level->bits[1]) + ((z.count - 1) >> level->bits[2]) > 0;
    for (int32_t i = 0; i < cells.count; ++i) {
        double from = s->begin, to = s->end;
        if (cut_to_cell(s, level, outer, cells.low + i, &from, &to)) {
            walk_inner(f, s, 3 - outer, cells.low + i, from, to);
        }
    }
    flush(f);
}

void bp_sorted_grid_ask_line(const bp_sorted_grid *grid, const bp_line *line, const bp_taker *taker) {
    bp_probe_line probe_line;
    piece pieces[PIECES];
    search f = {.grid = grid, .taker = taker, .line = &probe_line, .pieces = pieces};
    for (size_t i = 0; i < grid->levels.count; ++i) {
        stretch s;
        f.level = bp_level_at(&grid->levels, i);
        if (enter_level(f.level, line, &s)) {
            f.box = make_probe(&s, &probe_line) ? NULL : &EVERYTHING;
            walk(&f, &s);
        }
    }
}

// ---- where there is something ---------------------------------------------------------------------------------------

bool bp_sorted_grid_clip(const bp_sorted_grid *grid, bp_line *line) {
    double begin = INFINITY, end = -INFINITY;
    for (size_t i = 0; i < grid->levels.count; ++i) {
        stretch s;
        if (enter_level(bp_level_at(&grid->levels, i), line, &s)) {
            begin = fmin(begin, s.begin);
            end = fmax(end, s.end);
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
    const double share = (double)grid->occupied / (double)grid->grid_count; // of a cell, that a box takes up
    const double area = share / (fullest->inverse[0] * fullest->inverse[1]);
    return grid->config->dimensions == 2 ? sqrt(area) : cbrt(area / fullest->inverse[2]);
}
