// Neighbours by a grid of points: most searches.
//
//     points ---> grid (point_grid.h) ---> tubes (below) ---> ids within the radius (find_near)
//                                                                |  in doubt? measured in 64 bits (nearness.h)
//                                                                v
//                                                              rows as found (found_rows.h) ---> rows
//
// Each point finds all its neighbours by itself, so each distance is computed twice. The other way, each pair once and
// then in both rows, has half of the tests but puts ids into rows one by one. (Not tried: tests are a third of the
// time.) Tried and dropped: keeping a bit for each test instead of ids, and making the tubes again to read them. That is
// a third of the memory, but took 10 to 20 % longer.
#include "base/clock.h"
#include "base/details.h"
#include "base/log.h"
#include "base/parallel.h"
#include "neighbors/found_rows.h"
#include "neighbors/neighbor_request.h"
#include "neighbors/point_grid.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_MIN = 2048, // points that are worth a task
    BLOCKS_MAX = 256,
    TESTS_TOGETHER = 16384, // tests of one call of the kernel, unless one point has more
    ARENA_MAX = 4 << 20,    // ids
    ARENA_MIN = 1 << 10,    // ids
    GRID_MIN = 40           // points: fewer are tested as boxes, all against all
};

// ---- tubes ----------------------------------------------------------------------------------------------------------
//
// A tube: a segment of a row of cells with all rows around it, in one range of memory.
//
//     rows around row 5       1 |aa |b  |cc |d  |        a tube takes cell after cell, and from each the points of all
//     (here in 2-D)           5 |e  |f  |   |gg |        rows. So what lies around a point is one window of it:
//                             9 |   |h  |i  |j  |
//                                                        | aae | bfh | cci | dggj |
//                                                          ^------------------^   around the points of the third cell
//
// Copying a point into nine tubes is cheap: each is then tested by the points of several cells, and these have one loop
// over candidates instead of nine, whose lengths no processor could predict. Periods are shifts of what is copied.
enum { TUBE_CELLS = 64 }; // the longest segment

// All zero is empty.
typedef struct tube {
    bp_point_columns columns;
    bp_buffer buffer;
    uint32_t starts[TUBE_CELLS + 2 * BP_POINT_REACH_MAX + 1]; // of its cells, and the end
} tube;

// Cells of all rows, copied with the same shift.
typedef struct piece {
    size_t first, last;
    float shift;
} piece;

// What a shift along an axis adds to the ids of images.
static uint32_t code_step(const bp_point_plan *plan, float shift, uint32_t step) {
    return !plan->has_codes || shift == 0.0f ? 0 : shift < 0.0f ? 0 - step : step;
}

// Which cell follows `step` cells after one, and the shift that makes it the one. False if there is none.
static bool step_along(const bp_point_plan *plan, uint32_t axis, size_t cell, int step, size_t *there, float *shift) {
    const int64_t cells = plan->cells[axis], to = (int64_t)cell + step;
    const int64_t wrapped = to < 0 ? to + cells : to >= cells ? to - cells : to;
    *there = (size_t)wrapped;
    *shift = to < 0 ? -plan->wrap[axis] : to >= cells ? plan->wrap[axis] : 0.0f;
    return wrapped == to || plan->period[axis] > 0.0;
}

static size_t rows_around(const bp_point_plan *plan, const bp_point_grid *grid, size_t row,
                          bp_tube_row rows[BP_TUBE_ROWS]) {
    const size_t y = row % plan->cells[1], z = row / plan->cells[1];
    const int flat = plan->dimensions == 2;
    size_t count = 0;
    for (int dz = flat - 1; dz <= 1 - flat; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            size_t there_y = 0, there_z = 0;
            bp_tube_row *r = &rows[count];
            if (step_along(plan, 1, y, dy, &there_y, &r->shift[0]) &&
                step_along(plan, 2, z, dz, &there_z, &r->shift[1])) {
                r->id_offset =
                    code_step(plan, r->shift[0], BP_IMAGE_CODE_Y) + code_step(plan, r->shift[1], BP_IMAGE_CODE_Z);
                r->cells = grid->table + (there_z * plan->cells[1] + there_y) * plan->cells[0];
                ++count;
            }
        }
    }
    return count;
}

// The pieces of cells first - reach .. last + reach - 1: those before 0, those inside, those from the end on.
static size_t cut_pieces(const bp_point_plan *plan, size_t first, size_t last, piece pieces[3]) {
    const size_t cells = plan->cells[0], reach = plan->reach;
    const bool periodic = plan->period[0] > 0.0;
    size_t count = 0;
    if (first < reach && periodic) {
        pieces[count++] = (piece){.first = first + cells - reach, .last = cells, .shift = -plan->wrap[0]};
    }
    pieces[count++] =
        (piece){.first = first < reach ? 0 : first - reach, .last = last + reach < cells ? last + reach : cells};
    if (last + reach > cells && periodic) {
        pieces[count++] = (piece){.last = last + reach - cells, .shift = plan->wrap[0]};
    }
    return count;
}

// Fills a tube around cells first .. last-1 of a row. False if memory is short.
static bool fill_tube(tube *to, const bp_point_plan *plan, const bp_point_grid *grid, size_t row, size_t first,
                      size_t last, const bp_kernels *kernels, const bp_allocator *allocator) {
    bp_tube_row rows[BP_TUBE_ROWS];
    piece pieces[3];
    const size_t row_count = rows_around(plan, grid, row, rows), piece_count = cut_pieces(plan, first, last, pieces);
    size_t points = 0;
    for (size_t p = 0; p < piece_count; ++p) {
        for (size_t r = 0; r < row_count; ++r) {
            points += rows[r].cells[pieces[p].last] - rows[r].cells[pieces[p].first];
        }
    }
    if (!bp_point_columns_reserve(&to->columns, &to->buffer, allocator, points)) {
        return false;
    }
    size_t cell = 0, place = 0;
    for (; cell + first < plan->reach && plan->period[0] == 0.0; ++cell) {
        to->starts[cell] = 0; // before the first cell of all
    }
    for (size_t p = 0; p < piece_count; ++p) {
        const bp_tube_job job = {.from = grid->columns,
                                 .to = to->columns,
                                 .rows = rows,
                                 .row_count = row_count,
                                 .first = pieces[p].first,
                                 .last = pieces[p].last,
                                 .shift = pieces[p].shift,
                                 .id_offset = code_step(plan, pieces[p].shift, BP_IMAGE_CODE_X),
                                 .place = place,
                                 .starts = to->starts + cell};
        place = kernels->fill_tube(&job);
        cell += pieces[p].last - pieces[p].first;
    }
    for (; cell <= last - first + 2 * (size_t)plan->reach; ++cell) {
        to->starts[cell] = (uint32_t)place;
    }
    for (size_t i = place; i < place + BP_COLUMN_PADDING; ++i) { // infinitely far away
        to->columns.at[0][i] = to->columns.at[1][i] = to->columns.at[2][i] = INFINITY;
        to->columns.id[i] = 0;
    }
    return true;
}

// ---- a search -------------------------------------------------------------------------------------------------------

typedef struct near_request {
    bp_nearness nearness; // with one radius for all; both sets are the same unless `between`
    bool between, half;
    bp_image_rows *beside; // of images: what their rows become; else NULL
    bp_filter filter;      // pass may be NULL; of images it is asked about (point, image id)
    const bp_kernels *kernels;
    const bp_runtime *runtime;
} near_request;

// What the search of one block needs and finds.
typedef struct block_search {
    tube tube;
    bp_buffer doubtful; // pairs
    bp_found_rows found;
    uint64_t tests;
    bool failed;
} block_search;

typedef struct near_search {
    const near_request *request;
    bp_point_plan plan;
    bp_point_grid grid, others; // points, and what is searched for around them if that is another set
    const bp_point_grid *around;
    bp_near_wanted wanted;
    uint32_t *counts; // by position: neighbours
    bp_buffer count_buffer, block_buffer;
    bp_blocks blocks; // of positions in the grid
    block_search *searches;
    bp_row_places places;
} near_search;

static const bp_allocator *allocator_of(const near_search *s) {
    return &s->request->runtime->allocator;
}

// With images, ids are image ids.
static uint32_t point_of(const near_search *s, uint32_t id) {
    const bp_point_images *images = s->request->nearness.images;
    return images == NULL ? id : bp_image_point(images, id);
}

// ---- the points of a cell -------------------------------------------------------------------------------------------

static bool passes(const near_request *r, uint32_t point, uint32_t other) {
    const bool turned = !r->between && r->nearness.images == NULL && other < point;
    return r->filter.pass(r->filter.context, turned ? other : point, turned ? point : other) != 0;
}

// Asks the caller's filter about rows as they were found, and returns how many ids remain.
static size_t filter_rows(const near_search *s, size_t begin, size_t end, uint32_t *ids) {
    const uint32_t *from = ids;
    size_t kept = 0;
    for (size_t at = begin; at < end; ++at) {
        const uint32_t point = point_of(s, s->grid.columns.id[at]), count = s->counts[at];
        const size_t row = kept;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t other = *from++;
            ids[kept] = other;
            kept += passes(s->request, point, other);
        }
        s->counts[at] = (uint32_t)(kept - row);
    }
    return kept;
}

// Measures doubtful pairs of points from `begin` on again and adds those that are near.
static bool decide(near_search *s, block_search *b, size_t begin, bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        pairs[i].a = point_of(s, pairs[i].a);
    }
    size_t near = bp_nearness_keep(&s->request->nearness, pairs, count), kept = 0;
    for (size_t i = 0; i < near; ++i) {
        const bp_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += s->request->filter.pass == NULL || passes(s->request, pair.a, pair.b);
    }
    for (size_t i = 0, at = begin; i < kept; ++i) { // pairs are in the order of the positions
        while (point_of(s, s->grid.columns.id[at]) != pairs[i].a) {
            ++at;
        }
        ++s->counts[at];
    }
    return kept == 0 || bp_found_rows_add_late(&b->found, pairs, kept, allocator_of(s));
}

// Points begin .. end-1, or the first of them, against a window of the tube. Returns where it has ended; 0 if memory is
// short.
static size_t search_some(near_search *s, block_search *b, size_t begin, size_t end, size_t first, size_t last) {
    const size_t window = (last - first + BP_COLUMN_PADDING - 1) / BP_COLUMN_PADDING * BP_COLUMN_PADDING;
    const size_t most = window < TESTS_TOGETHER ? TESTS_TOGETHER : window, least = window + BP_COLUMN_PADDING;
    size_t room, doubtful_count;
    uint32_t *out = bp_found_rows_room(&b->found, least, begin, &room, allocator_of(s));
    if (out == NULL ||
        !bp_buffer_reserve(&b->doubtful, allocator_of(s), 0, most + BP_COLUMN_PADDING, sizeof(bp_pair))) {
        return 0;
    }
    const size_t tests = room - BP_COLUMN_PADDING < most ? room - BP_COLUMN_PADDING : most;
    const size_t points = (end - begin) * window <= tests ? end - begin : tests / window;
    const bp_near_job job = {.points = s->grid.columns,
                             .tube = b->tube.columns,
                             .begin = begin,
                             .end = begin + points,
                             .first = first,
                             .last = last,
                             .sure = s->plan.sure,
                             .possible = s->plan.possible,
                             .wanted = s->wanted,
                             .out = out,
                             .counts = s->counts,
                             .doubtful = b->doubtful.data};
    size_t count = s->request->kernels->find_near(&job, &doubtful_count);
    if (s->request->filter.pass != NULL) {
        count = filter_rows(s, begin, begin + points, out);
    }
    bp_found_rows_add(&b->found, begin + points, count);
    b->tests += points * (last - first);
    return doubtful_count == 0 || decide(s, b, begin, b->doubtful.data, doubtful_count) ? begin + points : 0;
}

// ---- segments of rows -----------------------------------------------------------------------------------------------

// The cells of a segment.
typedef struct row_segment {
    size_t row, first, last;
    const uint32_t *cells; // of its row
} row_segment;

static size_t segments_of_row(const near_search *s) {
    return (s->plan.cells[0] + TUBE_CELLS - 1) / TUBE_CELLS;
}

static row_segment segment_of(const near_search *s, size_t index) {
    const size_t in_row = segments_of_row(s), cells = s->plan.cells[0];
    const size_t row = index / in_row, first = index % in_row * TUBE_CELLS;
    const size_t last = first + TUBE_CELLS < cells ? first + TUBE_CELLS : cells;
    return (row_segment){.row = row, .first = first, .last = last, .cells = s->grid.table + row * cells};
}

// The first position from `at` on that has a row, or has none.
static size_t next_position(const near_search *s, size_t at, size_t end, bool with_row) {
    if (s->request->nearness.images == NULL || !s->request->nearness.images->copied) {
        return with_row ? at : end;
    }
    uint32_t point;
    while (at < end && bp_row_places_has(&s->places, at, &point) != with_row) {
        ++at;
    }
    return at;
}

// Fills a tube around a segment, and searches it for the points of each cell that have rows.
static bool search_segment(near_search *s, block_search *b, const row_segment *here) {
    const size_t end = here->cells[here->last];
    if (next_position(s, here->cells[here->first], end, true) == end) {
        return true; // nothing, or nothing but images
    }
    if (!fill_tube(&b->tube, &s->plan, s->around, here->row, here->first, here->last, s->request->kernels,
                   allocator_of(s))) {
        return false;
    }
    for (size_t cell = here->first; cell < here->last; ++cell) {
        const size_t cell_end = here->cells[cell + 1];
        const uint32_t *window = b->tube.starts + (cell - here->first);
        size_t at = next_position(s, here->cells[cell], cell_end, true);
        while (at < cell_end) {
            const size_t stop = next_position(s, at, cell_end, false);
            while (at < stop) {
                at = search_some(s, b, at, stop, window[0], window[2 * s->plan.reach + 1]);
                if (at == 0) {
                    return false;
                }
            }
            at = next_position(s, at, cell_end, true);
        }
    }
    return true;
}

// A segment belongs to the block in which its points begin: the first of them is found by bisection.
static void task_search_block(void *context, size_t block) {
    near_search *s = context;
    block_search *b = &s->searches[block];
    const size_t count = segments_of_row(s) * s->plan.cells[1] * s->plan.cells[2];
    const size_t begin = bp_block_begin(s->blocks, block), end = bp_block_begin(s->blocks, block + 1);
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const row_segment here = segment_of(s, middle);
        if (here.cells[here.first] < begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (size_t i = low; i < count && !b->failed; ++i) {
        const row_segment here = segment_of(s, i);
        if (here.cells[here.first] >= end) {
            break;
        }
        b->failed = !search_segment(s, b, &here);
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

// From the lengths of rows, by position, to those by point.
static void task_put_counts(void *context, size_t block) {
    const near_search *s = context;
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t at = bp_block_begin(s->blocks, block); at < end; ++at) {
        uint32_t point;
        if (bp_row_places_has(&s->places, at, &point)) {
            s->places.rows->offsets[point + (size_t)1] = s->counts[at];
        }
    }
}

static void task_place_rows(void *context, size_t block) {
    const near_search *s = context;
    bp_found_rows_place(&s->searches[block].found, &s->places);
}

static size_t found_count(const near_search *s) {
    size_t count = 0;
    for (size_t block = 0; block < s->blocks.count; ++block) {
        const bp_found_rows *found = &s->searches[block].found;
        count = bp_size_add(count, found->id_count + found->late.count);
    }
    return count;
}

static bool make_rows(near_search *s, bp_neighbors *rows) {
    const near_request *r = s->request;
    const bp_executor *executor = &r->runtime->executor;
    const size_t points = r->nearness.images != NULL ? r->nearness.images->count : r->nearness.first.count;
    const size_t count = found_count(s);
    if (r->beside != NULL ? !bp_image_rows_reserve(r->beside, points, count, allocator_of(s))
                          : !bp_neighbor_rows_reserve(rows, points, count, allocator_of(s))) {
        return false;
    }
    rows->count = points;
    s->places.rows = rows;
    s->places.finish = r->beside;
    bp_parallel_for(executor, s->blocks.count, task_put_counts, s);
    size_t sum = 0;
    rows->offsets[0] = 0;
    for (size_t row = 0; row < points; ++row) {
        sum += rows->offsets[row + 1];
        rows->offsets[row + 1] = sum;
    }
    if (count > 0) {
        bp_parallel_for(executor, s->blocks.count, task_place_rows, s);
    }
    return true;
}

static bool search_grids(near_search *s, bp_neighbors *rows) {
    const near_request *r = s->request;
    const bp_point_plan *p = &s->plan;
    const size_t points = r->nearness.first.count;
    s->blocks = bp_blocks_cut(&r->runtime->executor, points, BLOCK_MIN, BLOCKS_MAX);
    if (!bp_buffer_reserve(&s->count_buffer, allocator_of(s), 0, points, sizeof(uint32_t)) ||
        !bp_buffer_reserve(&s->block_buffer, allocator_of(s), 0, s->blocks.count, sizeof(block_search))) {
        return false;
    }
    s->counts = s->count_buffer.data;
    s->searches = s->block_buffer.data;
    memset(s->searches, 0, s->blocks.count * sizeof *s->searches);
    // Arenas for about as many ids as the points of a block would find if all lay evenly.
    const double cubes = (double)p->cells[0] / p->cells_per_radius[0] * p->cells[1] * p->cells[2];
    const double near = (r->half ? 2.0 : 4.0) * (double)r->nearness.second.count / cubes + 2.0;
    const double ids = near * (double)points / (double)s->blocks.count;
    for (size_t block = 0; block < s->blocks.count; ++block) {
        s->searches[block].found.arena_ids = ids > ARENA_MAX ? ARENA_MAX : ids < ARENA_MIN ? ARENA_MIN : (size_t)ids;
    }
    s->places = (bp_row_places){.ids = s->grid.columns.id, .images = r->nearness.images, .kernels = r->kernels};
    bp_parallel_for(&r->runtime->executor, s->blocks.count, task_search_block, s);
    bool failed = false;
    for (size_t block = 0; block < s->blocks.count; ++block) {
        failed |= s->searches[block].failed;
    }
    return !failed && make_rows(s, rows);
}

static void free_near_search(near_search *s) {
    for (size_t block = 0; s->searches != NULL && block < s->blocks.count; ++block) {
        bp_buffer_free(&s->searches[block].tube.buffer, allocator_of(s));
        bp_buffer_free(&s->searches[block].doubtful, allocator_of(s));
        bp_found_rows_free(&s->searches[block].found, allocator_of(s));
    }
    bp_buffer_free(&s->count_buffer, allocator_of(s));
    bp_buffer_free(&s->block_buffer, allocator_of(s));
    bp_point_grid_free(&s->grid, allocator_of(s));
    bp_point_grid_free(&s->others, allocator_of(s));
}

static void describe_search(const near_search *s, const bp_neighbor_request *r, bp_stats *stats) {
    const bp_bucket_sort *sort = &s->around->sort;
    const size_t count = found_count(s);
    bp_details_write(stats, &(bp_details){.choice = {.rule = BP_RULE_POINTS}});
    stats->method = BP_METHOD_LINKED_CELLS;
    stats->update = BP_UPDATE_REBUILD;
    stats->objects = r->a.count + (r->between ? r->b.count : 0);
    stats->pairs = s->request->between || s->request->half ? count : count / 2;
    stats->levels = 1;
    stats->cells = bp_point_plan_cells(&s->plan);
    stats->occupied = sort->occupied;
    stats->objects_per_cell_max = sort->fullest;
    stats->objects_per_cell = (double)sort->cell_items / (double)sort->occupied;
    stats->bytes =
        bp_point_grid_bytes(&s->grid) + bp_point_grid_bytes(&s->others) + s->count_buffer.bytes + s->block_buffer.bytes;
    for (size_t block = 0; block < s->blocks.count; ++block) {
        const block_search *b = &s->searches[block];
        stats->tests += b->tests;
        stats->bytes += b->tube.buffer.bytes + b->doubtful.bytes + b->found.bytes;
    }
}

bp_status bp_neighbors_search_grid(const bp_neighbor_request *r, const bp_setup *setup, bp_neighbors *rows,
                                   bool *served) {
    const double start = bp_clock_seconds();
    const bp_runtime *runtime = &setup->methods.runtime;
    const bp_points *second = r->between ? &r->b : &r->a;
    *served = false;
    if (setup->method != BP_METHOD_AUTO || r->per_point || (r->a.count < GRID_MIN && second->count < GRID_MIN)) {
        return BP_OK;
    }
    const near_request request = {.nearness = {.rule = &setup->overlap,
                                               .first = r->images != NULL ? r->b : r->a,
                                               .second = *second,
                                               .radii = r->radii,
                                               .images = r->images},
                                  .between = r->between && r->images == NULL,
                                  .half = (setup->flags & BP_NEIGHBORS_HALF) != 0,
                                  .beside = r->beside,
                                  .filter = r->grid_filter,
                                  .kernels = setup->methods.kernels,
                                  .runtime = runtime};
    near_search s = {.request = &request};
    s.wanted = request.between ? BP_NEAR_ALL : request.half ? BP_NEAR_LARGER : BP_NEAR_OTHERS;
    *served = bp_point_plan_make(&s.plan, &request.nearness, &runtime->executor);
    if (!*served) {
        return BP_OK;
    }
    s.around = request.between ? &s.others : &s.grid;
    bool granted = bp_point_grid_build(&s.grid, &s.plan, &request.nearness.first, runtime) &&
                   (!request.between || bp_point_grid_build(&s.others, &s.plan, second, runtime));
    const double built = bp_clock_seconds();
    *served = !granted || !bp_point_grids_are_crowded(&s.plan, &s.grid, s.around);
    granted = granted && (!*served || search_grids(&s, rows));
    if (*served && granted && setup->stats != NULL) {
        *setup->stats = (bp_stats){.build_seconds = built - start, .find_seconds = bp_clock_seconds() - built};
        describe_search(&s, r, setup->stats);
    }
    free_near_search(&s);
    if (!granted) {
        bp_log_write(&runtime->log,
                     "not enough memory for %zu points and their neighbours (4 bytes each); search in parts "
                     "(bp_find_neighbors_between), or with a smaller radius",
                     request.nearness.first.count);
    }
    return granted ? BP_OK : BP_ERROR_MEMORY;
}
