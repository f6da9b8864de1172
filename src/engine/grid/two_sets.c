#include "engine/grid/two_sets.h"

#include "base/boxes.h"
#include "base/pair_renaming.h"
#include "base/sample.h"
#include "engine/grid/stretches.h"
#include "engine/method.h"

enum {
    SAMPLE = 512, // boxes
    SAMPLE_FEW = 128,
    SAMPLE_CUT = 48,     // of boxes that say whether a cut pays
    LARGE_CELLS = 7,     // a box that is longer than so many cells of the sieve is large
    FEW = 16,            // boxes of one set,
    FEW_LARGE = 30,      // or large ones to be tested against a stretch, and
    FEW_TESTS = 16384,   // pairs, that need no sieve
    BUDGET_LEAST = 4096, // objects
};

// Cells: of the sieve, times the longest edges of nine of ten boxes; shared ones, times the mean edges of half of them.
static const double CELL_SIEVE = 1.3, CELL_SHARED = 3.0;

static const double CELL_FINER = 8.0;  // shared cells are so much finer than those of the sieve, at most,
static const double CELLS_A_BOX = 4.0; // and a box has no more of them than this, on average
static const double CELLS_PER_BOX = 4.0, CELLS_LEAST = 4096.0, CELLS_MOST = 0x1p23; // of a map

// Split takes over where so many tests are expected for each object and pair; if they are not, a budget decides.
static const double HOPELESS = 1.25 * BP_TESTS_PAID;

// A set is cut to the bounds of the other one if no more of it than this is there.
static const double CUT = 0.6;

// The other half of the sieve is left out where the first has kept so much.
static const double SIEVED = 0.8;

// Shares of two lists that are about the same.
static const double SIMILAR = 0.2;

static const bp_box EVERYWHERE = {.min = {-INFINITY, -INFINITY, -INFINITY}, .max = {INFINITY, INFINITY, INFINITY}};

void bp_two_sets_init(bp_two_sets *sets, const bp_method_setup *setup) {
    *sets = (bp_two_sets){.setup = setup, .bundles = {.setup = setup}, .cut = {.setup = setup}};
    bp_shared_cells_init(&sets->shared, setup);
}

void bp_two_sets_free(bp_two_sets *sets) {
    const bp_allocator *allocator = &sets->setup->runtime.allocator;
    bp_bundles_free(&sets->bundles);
    bp_cut_sets_free(&sets->cut);
    bp_shared_cells_free(&sets->shared);
    for (size_t i = 0; i < BP_TWO_SETS_ROUNDS; ++i) {
        bp_two_sets_round *round = &sets->rounds[i];
        bp_buffer_free(&round->rest.buffer, allocator);
        for (int side = 0; side < 2; ++side) {
            bp_buffer_free(&round->kept[side].buffer, allocator);
            bp_buffer_free(&round->large[side].buffer, allocator);
        }
    }
    bp_buffer_free(&sets->boxes[0], allocator);
    bp_buffer_free(&sets->boxes[1], allocator);
    bp_method_destroy(&bp_split_ops, allocator, sets->split);
}

size_t bp_two_sets_bytes(const bp_two_sets *sets) {
    bp_stats split = {0};
    if (sets->split != NULL) {
        bp_split_ops.stats(sets->split, &split);
    }
    size_t bytes = bp_bundles_bytes(&sets->bundles) + bp_cut_sets_bytes(&sets->cut) +
                   bp_shared_cells_bytes(&sets->shared) + sets->boxes[0].bytes + sets->boxes[1].bytes + split.bytes;
    for (size_t i = 0; i < BP_TWO_SETS_ROUNDS; ++i) {
        const bp_two_sets_round *round = &sets->rounds[i];
        bytes += round->rest.buffer.bytes;
        for (int side = 0; side < 2; ++side) {
            bytes += round->kept[side].buffer.bytes + round->large[side].buffer.bytes;
        }
    }
    return bytes;
}

// ---- a sample of a set ----------------------------------------------------------------------------------------------

// Sizes are longest edges.
typedef struct set_sample {
    double most;   // nine of ten boxes are no larger
    bp_box bounds; // of those that are not much larger than that
} set_sample;

static float size_of(const bp_box *box, uint32_t dimensions) {
    float size = 0.0f;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        size = bp_larger(box->max[axis] - box->min[axis], size);
    }
    return size;
}

static const bp_box *sampled_box(const bp_box_list *list, size_t i, size_t wanted) {
    return &list->boxes[bp_box_list_id(list, bp_sample_place(list->count, i, wanted))];
}

// The size that takes this place in ascending order; sizes are moved about (Hoare's selection).
static float select_size(float *sizes, size_t count, size_t place) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        const float pivot = sizes[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;; ++i, --j) {
            while (i < high && sizes[i] < pivot) {
                ++i;
            }
            while (j > low && sizes[j] > pivot) {
                --j;
            }
            if (i >= j) {
                break;
            }
            const float swapped = sizes[i];
            sizes[i] = sizes[j];
            sizes[j] = swapped;
        }
        if (place <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return sizes[place];
}

// Along all axes, whether they count or not.
static void extend_bounds(bp_box *bounds, const bp_box *box) {
    for (int axis = 0; axis < 3; ++axis) {
        bounds->min[axis] = bp_smaller(box->min[axis], bounds->min[axis]);
        bounds->max[axis] = bp_larger(box->max[axis], bounds->max[axis]);
    }
}

// One box in eight, but not too few or too many.
static size_t sample_size(size_t count) {
    const size_t share = count / 8, wanted = share < SAMPLE_FEW ? SAMPLE_FEW : share > SAMPLE ? SAMPLE : share;
    return wanted < count ? wanted : count;
}

static set_sample sample_list(const bp_box_list *list, uint32_t dimensions) {
    const size_t wanted = sample_size(list->count);
    const bp_box *boxes[SAMPLE];
    float sizes[SAMPLE] = {0.0f};
    for (size_t i = 0; i < wanted; ++i) {
        boxes[i] = sampled_box(list, i, wanted);
        sizes[i] = bp_smaller(size_of(boxes[i], dimensions), FLT_MAX);
    }
    set_sample s = {.most = (double)select_size(sizes, wanted, wanted * 9 / 10),
                    .bounds = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}}};
    for (size_t i = 0; i < wanted; ++i) {
        if ((double)size_of(boxes[i], dimensions) <= 4.0 * s.most && bp_box_is_finite(boxes[i], dimensions)) {
            extend_bounds(&s.bounds, boxes[i]);
        }
    }
    return s;
}

// The share of a list that is inside some bounds, by a sample.
static double share_inside(const bp_box_list *list, uint32_t dimensions, const bp_box *bounds, size_t most) {
    const size_t wanted = list->count < most ? list->count : most;
    size_t inside = 0;
    for (size_t i = 0; i < wanted; ++i) {
        inside += bp_boxes_overlap_branchless(sampled_box(list, i, wanted), bounds, dimensions);
    }
    return (double)inside / (double)wanted;
}

static bp_box bounds_of_sample(const bp_box_list *list, size_t most) {
    const size_t wanted = list->count < most ? list->count : most;
    bp_box bounds = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < wanted; ++i) {
        extend_bounds(&bounds, sampled_box(list, i, wanted));
    }
    return bounds;
}

// Where both are; a point if they are nowhere together.
static bp_box region_of(const bp_box *a, const bp_box *b) {
    bp_box region = EVERYWHERE;
    for (int axis = 0; axis < 3; ++axis) {
        region.min[axis] = bp_larger(a->min[axis], b->min[axis]);
        region.max[axis] = bp_smaller(a->max[axis], b->max[axis]);
        if (!(fabsf(region.min[axis]) <= FLT_MAX)) {
            region.min[axis] = 0.0f;
        }
        region.max[axis] = bp_larger(region.max[axis], region.min[axis]);
    }
    return region;
}

// ---- searches over what is left -------------------------------------------------------------------------------------

// The boxes of a list one after the other.
static const bp_box *copy_boxes(bp_two_sets *sets, int side, const bp_box_list *list) {
    if (list->ids == NULL) {
        return list->boxes;
    }
    if (!bp_buffer_reserve_slack(&sets->boxes[side], &sets->setup->runtime.allocator, 0, list->count, sizeof(bp_box))) {
        return NULL;
    }
    bp_box *boxes = sets->boxes[side].data;
    for (size_t i = 0; i < list->count; ++i) {
        boxes[i] = list->boxes[list->ids[i]];
    }
    return boxes;
}

// Two lists, and how to search them.
typedef struct task {
    bp_two_sets *sets;
    const bp_box_list *a, *b;
    const bp_cell_map *map;                                      // of shared cells
    bp_status (*otherwise)(const struct task *t, bp_sink *sink); // where a budget runs out
} task;

// Both lists are all of their sets.
static bp_status find_in_bundles(const task *t, bp_sink *sink) {
    return bp_bundles_find_between(&t->sets->bundles, t->a->boxes, t->a->count, t->b->boxes, t->b->count, sink);
}

static bp_status find_in_cells(const task *t, bp_sink *sink) {
    return bp_shared_cells_find(&t->sets->shared, t->map, t->a, t->b, sink);
}

// One list is short.
static bp_status find_in_stretches(const task *t, bp_sink *sink) {
    return bp_stretches_find(t->sets->setup, t->a, t->b, &t->sets->shared.sinks, sink);
}

static bp_status run_split(bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                           bp_sink *sink) {
    if (sets->split == NULL) {
        sets->split = bp_method_create(&bp_split_ops, sets->setup);
    }
    const bp_status status = sets->split != NULL ? bp_split_ops.build(sets->split, b, b_count) : BP_ERROR_MEMORY;
    return status == BP_OK ? bp_split_ops.find_between(sets->split, a, a_count, sink) : status;
}

// Any lists. Those with ids are copied.
static bp_status find_by_split(const task *t, bp_sink *sink) {
    const bp_box *a = copy_boxes(t->sets, 0, t->a), *b = copy_boxes(t->sets, 1, t->b);
    if (a == NULL || b == NULL) {
        return BP_ERROR_MEMORY;
    }
    t->sets->is_split = true;
    bp_pair_renaming names = {.ids = {t->a->ids, t->b->ids}};
    const bool are_copies = t->a->ids != NULL || t->b->ids != NULL;
    if (are_copies) {
        bp_pair_renaming_begin(&names, sink);
    }
    const bp_status status = run_split(t->sets, a, t->a->count, b, t->b->count, sink);
    if (are_copies) {
        bp_pair_renaming_end(&names, sink);
    }
    return status;
}

// Searches on a budget, and otherwise if it runs out.
static bp_status find_on_budget(const task *t, bp_status (*find)(const task *t, bp_sink *sink), bp_sink *sink) {
    const size_t objects = t->a->count + t->b->count;
    bp_test_budget budget = {.objects = objects > BUDGET_LEAST ? objects : BUDGET_LEAST};
    bp_sink_flush(sink);
    const size_t count = sink->count;
    sink->rules.budget = &budget;
    const bp_status status = find(t, sink);
    sink->rules.budget = NULL;
    if (!budget.is_over) {
        return status;
    }
    bp_sink_rewind(sink, count);
    return t->otherwise(t, sink);
}

// ---- shared cells ---------------------------------------------------------------------------------------------------

// How many cells of a size a box of a list has, on average.
static double cells_a_box(const bp_box_list *list, uint32_t dimensions, double cell) {
    const size_t wanted = list->count < SAMPLE_FEW ? list->count : SAMPLE_FEW;
    double sum = 0.0;
    for (size_t i = 0; i < wanted; ++i) {
        const bp_box *box = sampled_box(list, i, wanted);
        double cells = 1.0;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            cells *= 1.0 + ((double)box->max[axis] - (double)box->min[axis]) / cell;
        }
        sum += cells;
    }
    return sum / (double)wanted;
}

// Where two lists may meet, and cells for them.
typedef struct meeting {
    bp_box region;
    double cell;       // of the sieve
    double cells_most; // of a map
    double marked;     // cells of the sieve in which boxes of the first list begin
    double kept;       // boxes of the other list
} meeting;

// The mean edge that half of the boxes have at most.
static double middle_edge(const bp_box_list *list, uint32_t dimensions) {
    const size_t wanted = list->count < SAMPLE_FEW ? list->count : SAMPLE_FEW;
    float edges[SAMPLE_FEW] = {0.0f};
    for (size_t i = 0; i < wanted; ++i) {
        const bp_box *box = sampled_box(list, i, wanted);
        edges[i] = 0.0f;
        for (uint32_t axis = 0; axis < dimensions; ++axis) {
            edges[i] += (box->max[axis] - box->min[axis]) / (float)dimensions;
        }
    }
    return (double)select_size(edges, wanted, wanted / 2);
}

// The mean over the boxes of two lists, from those of each of them.
static double mean_of_lists(const bp_box_list *a, double of_a, const bp_box_list *b, double of_b) {
    const double a_count = (double)a->count, b_count = (double)b->count;
    return (a_count * of_a + b_count * of_b) / (a_count + b_count);
}

// Where few large boxes meet many small ones, the many have most of the entries, and decide. Finer cells than the large
// ones' edges would save few tests.
static double shared_cell(const bp_box_list *a, const bp_box_list *b, uint32_t dimensions, const meeting *m) {
    const double edge_a = middle_edge(a, dimensions), edge_b = middle_edge(b, dimensions);
    const double edge = fmax(CELL_SHARED * mean_of_lists(a, edge_a, b, edge_b), fmax(edge_a, edge_b));
    double cell = fmax(edge, m->cell / CELL_FINER);
    while (mean_of_lists(a, cells_a_box(a, dimensions, cell), b, cells_a_box(b, dimensions, cell)) > CELLS_A_BOX) {
        cell *= 1.25;
    }
    return cell;
}

// How many pairs of a sample of each list overlap, for all of them.
static double expected_pairs(const bp_box_list *a, const bp_box_list *b, uint32_t dimensions) {
    const size_t most = SAMPLE_FEW / 2 + (a->count + b->count) / 512, wanted = most < SAMPLE ? most : SAMPLE;
    const size_t a_wanted = a->count < wanted ? a->count : wanted, b_wanted = b->count < wanted ? b->count : wanted;
    const bp_box *others[SAMPLE];
    size_t overlapping = 0;
    for (size_t j = 0; j < b_wanted; ++j) {
        others[j] = sampled_box(b, j, b_wanted);
    }
    for (size_t i = 0; i < a_wanted; ++i) {
        const bp_box *box = sampled_box(a, i, a_wanted);
        for (size_t j = 0; j < b_wanted; ++j) {
            overlapping += bp_boxes_overlap_branchless(box, others[j], dimensions);
        }
    }
    return (double)overlapping * ((double)a->count / (double)a_wanted) * ((double)b->count / (double)b_wanted);
}

// Cells of a size in a region.
static double cells_in_region(const bp_box *region, uint32_t dimensions, double cell) {
    double cells = 1.0;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        cells *= 1.0 + ((double)region->max[axis] - (double)region->min[axis]) / cell;
    }
    return cells;
}

// Whether boxes share so few cells that far more pairs are tested than the boxes and their pairs are worth. There are
// so many cells at most: those of the region, or those that boxes can reach from where they begin.
static bool is_hopeless(const bp_box_list *a, const bp_box_list *b, uint32_t dimensions, const meeting *m,
                        double cell) {
    const double finer = fmax(1.0, m->cell / cell), reached = 8.0 * m->marked * finer * finer * finer;
    const double cells = fmin(reached, fmin(m->cells_most, cells_in_region(&m->region, dimensions, cell)));
    const double entries_a = (double)a->count * cells_a_box(a, dimensions, cell);
    const double entries_b = (double)b->count * cells_a_box(b, dimensions, cell);
    const double tests = entries_a * entries_b / cells, objects = (double)(a->count + b->count);
    return tests > HOPELESS * objects && tests > HOPELESS * (objects + expected_pairs(a, b, dimensions));
}

static bp_status find_kept(bp_two_sets *sets, const bp_box_list *a, const bp_box_list *b, const meeting *m,
                           bp_sink *sink) {
    const uint32_t dimensions = sets->setup->dimensions;
    if (a->count == 0 || b->count == 0) {
        return BP_OK;
    }
    const double cell = shared_cell(a, b, dimensions, m);
    bp_cell_map map;
    bp_cell_map_plan(&map, dimensions, &m->region, cell, m->cells_most);
    const task t = {.sets = sets, .a = a, .b = b, .map = &map, .otherwise = find_by_split};
    return is_hopeless(a, b, dimensions, m, cell) ? find_by_split(&t, sink) : find_on_budget(&t, find_in_cells, sink);
}

// ---- the sieve ------------------------------------------------------------------------------------------------------

static bool mark_and_grow(bp_cell_maps *maps, const bp_cell_map *map, bp_map_pass *pass, size_t *marked) {
    if (!bp_cell_maps_begin(maps, map) || !bp_cell_maps_mark_first(maps, pass)) {
        return false;
    }
    *marked = bp_cell_maps_pack(maps);
    bp_cell_maps_grow(maps);
    return true;
}

// Two lists, and which of the two sets the first one is.
typedef struct sieving {
    const bp_box_list *first, *other;
    set_sample first_sample, other_sample;
    double inside; // share of the first list that is where the other is
    int side;
    bp_two_sets_round *round;
    bp_cell_map map;
} sieving;

// The list that has more of its boxes where the other one is comes first: most of the other one is then left out by the
// first half. If both have about as many, the shorter one.
static sieving order_lists(const bp_two_sets *sets, const bp_box_list *a, const bp_box_list *b,
                           bp_two_sets_round *round) {
    const uint32_t dimensions = sets->setup->dimensions;
    const set_sample of_a = sample_list(a, dimensions), of_b = sample_list(b, dimensions);
    const double a_inside = share_inside(a, dimensions, &of_b.bounds, SAMPLE_FEW);
    const double b_inside = share_inside(b, dimensions, &of_a.bounds, SAMPLE_FEW);
    const bool a_is_first = fabs(a_inside - b_inside) > SIMILAR ? a_inside > b_inside : a->count <= b->count;
    return (sieving){.first = a_is_first ? a : b,
                     .other = a_is_first ? b : a,
                     .first_sample = a_is_first ? of_a : of_b,
                     .other_sample = a_is_first ? of_b : of_a,
                     .inside = a_is_first ? a_inside : b_inside,
                     .side = a_is_first ? 0 : 1,
                     .round = round};
}

// The first half: what of the other list is near the first one. Both lose their large boxes.
static bool sieve_other(bp_two_sets *sets, sieving *s, meeting *m) {
    const uint32_t dimensions = sets->setup->dimensions;
    const double size = fmax(s->first_sample.most, s->other_sample.most);
    const double count = (double)(s->first->count + s->other->count);
    bp_id_list *kept = &s->round->kept[1 - s->side];
    size_t marked = 0;
    m->region = region_of(&s->first_sample.bounds, &s->other_sample.bounds);
    m->cells_most = fmin(CELLS_PER_BOX * count + CELLS_LEAST, CELLS_MOST);
    bp_cell_map_plan(&s->map, dimensions, &m->region, CELL_SIEVE * size, m->cells_most);
    m->cell = 1.0 / (double)s->map.inverse[0];
    s->map.large = (float)fmin(LARGE_CELLS * m->cell, (double)FLT_MAX);
    bp_map_pass mark = {.list = *s->first, .large = &s->round->large[s->side]};
    if (!mark_and_grow(&sets->shared.maps, &s->map, &mark, &marked)) {
        return false;
    }
    bp_map_pass select = {
        .list = *s->other, .limits = &mark.hull, .kept = kept, .large = &s->round->large[1 - s->side]};
    const bool granted = bp_cell_maps_select(&sets->shared.maps, &select);
    m->region = region_of(&mark.hull, &s->other_sample.bounds);
    m->marked = (double)marked;
    m->kept = (double)kept->count;
    return granted;
}

// What a list has besides some of its boxes.
static bool rest_of_list(const bp_box_list *list, const bp_id_list *without, bp_id_list *rest,
                         const bp_allocator *allocator) {
    const uint32_t *left_out = without->buffer.data;
    size_t next = 0;
    if (!bp_buffer_reserve_slack(&rest->buffer, allocator, 0, list->count + 1, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *ids = rest->buffer.data;
    rest->count = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const uint32_t id = bp_box_list_id(list, i);
        const bool is_left_out = next < without->count && left_out[next] == id;
        ids[rest->count] = id;
        rest->count += !is_left_out;
        next += is_left_out;
    }
    return true;
}

// All of the first list but its large boxes.
static bool keep_first(bp_two_sets *sets, const sieving *s, bp_box_list *kept) {
    bp_id_list *ids = &s->round->kept[s->side];
    const bp_id_list *large = &s->round->large[s->side];
    if (large->count == 0) {
        *kept = *s->first;
        return true;
    }
    const bool granted = rest_of_list(s->first, large, ids, &sets->setup->runtime.allocator);
    *kept = bp_id_list_boxes(ids, s->first->boxes);
    return granted;
}

// The second half: what of the first list is near what is left of the other, unless all of both is together.
static bool sieve_first(bp_two_sets *sets, sieving *s, const meeting *m, bp_box_list *kept) {
    const float large = s->map.large;
    if (m->kept > SIEVED * (double)s->other->count && s->inside > SIEVED) {
        return keep_first(sets, s, kept);
    }
    size_t marked = 0;
    bp_cell_map_plan(&s->map, sets->setup->dimensions, &m->region, m->cell, m->cells_most);
    s->map.large = large;
    bp_map_pass mark = {.list = bp_id_list_boxes(&s->round->kept[1 - s->side], s->other->boxes)};
    if (!mark_and_grow(&sets->shared.maps, &s->map, &mark, &marked)) {
        return false;
    }
    bp_map_pass select = {.list = *s->first,
                          .limits = &mark.hull,
                          .kept = &s->round->kept[s->side],
                          .large = &s->round->rest}; // the same ones as before, or fewer
    const bool granted = bp_cell_maps_select(&sets->shared.maps, &select);
    *kept = bp_id_list_boxes(select.kept, s->first->boxes);
    return granted;
}

// ---- rounds ---------------------------------------------------------------------------------------------------------

// Two lists that wait for their round. Its lists are those of `sets->rounds[depth]`.
typedef struct waiting {
    bp_box_list a, b;
    size_t depth;
} waiting;

// The last one comes first: a round and all that follow from it before the next of the same depth.
typedef struct queue {
    waiting items[2 * BP_TWO_SETS_ROUNDS + 2];
    size_t count;
} queue;

// The large boxes of both sets: those of a against all of b, and those of b against the others of a.
static bool enqueue_large(bp_two_sets *sets, const waiting *w, queue *q) {
    bp_two_sets_round *round = &sets->rounds[w->depth];
    const bp_box_list large_a = bp_id_list_boxes(&round->large[0], w->a.boxes);
    const bp_box_list large_b = bp_id_list_boxes(&round->large[1], w->b.boxes);
    if (large_b.count > 0) {
        if (!rest_of_list(&w->a, &round->large[0], &round->rest, &sets->setup->runtime.allocator)) {
            return false;
        }
        const bp_box_list rest = bp_id_list_boxes(&round->rest, w->a.boxes);
        q->items[q->count++] = (waiting){.a = rest, .b = large_b, .depth = w->depth + 1};
    }
    if (large_a.count > 0) {
        q->items[q->count++] = (waiting){.a = large_a, .b = w->b, .depth = w->depth + 1};
    }
    return true;
}

static bp_status find_by_sieve(bp_two_sets *sets, const waiting *w, queue *q, bp_sink *sink) {
    bp_two_sets_round *round = &sets->rounds[w->depth];
    sieving s = order_lists(sets, &w->a, &w->b, round);
    meeting m;
    if (!sieve_other(sets, &s, &m)) {
        return BP_ERROR_MEMORY;
    }
    bp_box_list kept[2];
    kept[1 - s.side] = bp_id_list_boxes(&round->kept[1 - s.side], s.other->boxes);
    if (!sieve_first(sets, &s, &m, &kept[s.side])) {
        return BP_ERROR_MEMORY;
    }
    const bp_status status = find_kept(sets, &kept[0], &kept[1], &m, sink);
    return status == BP_OK && !enqueue_large(sets, w, q) ? BP_ERROR_MEMORY : status;
}

// Whether one list is so short that its boxes are tested against stretches of the other in less time than a sieve takes.
// Large boxes pass most sieves.
static bool are_few(const bp_two_sets *sets, const waiting *w) {
    const bool a_is_small = w->a.count <= w->b.count;
    const bp_box_list *few = a_is_small ? &w->a : &w->b, *many = a_is_small ? &w->b : &w->a;
    if (few->count <= FEW || (few->count <= BP_STRETCHES_FEW && few->count * many->count <= FEW_TESTS)) {
        return true;
    }
    return w->depth > 0 && few->count <= BP_STRETCHES_FEW && bp_stretches_estimate(sets->setup, few, many) <= FEW_LARGE;
}

static bp_status find_round(bp_two_sets *sets, const waiting *w, queue *q, bp_sink *sink) {
    const task t = {.sets = sets, .a = &w->a, .b = &w->b, .otherwise = find_by_split};
    if (w->a.count == 0 || w->b.count == 0) {
        return BP_OK;
    }
    if (are_few(sets, w)) {
        return find_on_budget(&t, find_in_stretches, sink);
    }
    sets->round_count = w->depth >= sets->round_count ? w->depth + 1 : sets->round_count;
    return w->depth < BP_TWO_SETS_ROUNDS ? find_by_sieve(sets, w, q, sink) : find_by_split(&t, sink);
}

// ---- all of both sets -----------------------------------------------------------------------------------------------

// Whether it pays to cut one of the sets, by samples.
static bool is_cut_worthwhile(const bp_box_list lists[2], uint32_t dimensions) {
    const bp_box a = bounds_of_sample(&lists[0], SAMPLE_CUT);
    const bp_box b = bounds_of_sample(&lists[1], SAMPLE_CUT);
    return share_inside(&lists[0], dimensions, &b, SAMPLE_CUT) <= CUT ||
           share_inside(&lists[1], dimensions, &a, SAMPLE_CUT) <= CUT;
}

// Cuts a set to the bounds of the other one.
static bool cut_set(bp_two_sets *sets, bp_box_list *list, int side, const bp_box *limits) {
    if (share_inside(list, sets->setup->dimensions, limits, SAMPLE_CUT) > CUT) {
        return true;
    }
    const bool granted = bp_cut_sets_list(&sets->cut, side, list->boxes, list->count, limits);
    *list = bp_id_list_boxes(&sets->cut.lists[side], list->boxes);
    return granted;
}

static bool cut_sets(bp_two_sets *sets, bp_box_list lists[2]) {
    const uint32_t dimensions = sets->setup->dimensions;
    bp_box bounds[2];
    if (lists[0].count == 0 || lists[1].count == 0 || !is_cut_worthwhile(lists, dimensions)) {
        return true;
    }
    if (!bp_cut_sets_bounds(&sets->cut, lists[0].boxes, lists[0].count, &bounds[0]) ||
        !bp_cut_sets_bounds(&sets->cut, lists[1].boxes, lists[1].count, &bounds[1])) {
        return false;
    }
    if (!bp_boxes_overlap_branchless(&bounds[0], &bounds[1], dimensions)) {
        lists[0].count = 0;
        return true;
    }
    return cut_set(sets, &lists[0], 0, &bounds[1]) && cut_set(sets, &lists[1], 1, &bounds[0]);
}

static bp_status find_in_rounds(const task *t, bp_sink *sink) {
    bp_two_sets *sets = t->sets;
    bp_box_list lists[2] = {*t->a, *t->b};
    bp_status status = cut_sets(sets, lists) ? BP_OK : BP_ERROR_MEMORY;
    queue q = {.items = {{.a = lists[0], .b = lists[1]}}, .count = 1};
    bool is_split = false;
    sets->is_bundled = false;
    sets->round_count = 0;
    while (q.count > 0 && status == BP_OK) {
        const waiting next = q.items[--q.count];
        sets->is_split = false;
        status = find_round(sets, &next, &q, sink);
        is_split |= next.depth == 0 && sets->is_split;
    }
    sets->is_split = is_split; // the first round counts
    return status;
}

bool bp_two_sets_suit_bundles(const bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b,
                              size_t b_count) {
    return a_count >= BP_BUNDLES_LEAST && b_count >= BP_BUNDLES_LEAST &&
           bp_bundles_suit(&sets->bundles, a, a_count, false) && bp_bundles_suit(&sets->bundles, b, b_count, false);
}

bp_status bp_two_sets_find(bp_two_sets *sets, const bp_box *a, size_t a_count, const bp_box *b, size_t b_count,
                           bp_sink *sink) {
    const bp_box_list lists[2] = {{.boxes = a, .count = a_count}, {.boxes = b, .count = b_count}};
    const task t = {.sets = sets, .a = &lists[0], .b = &lists[1], .otherwise = find_in_rounds};
    sets->is_split = false;
    sets->is_bundled = bp_two_sets_suit_bundles(sets, a, a_count, b, b_count);
    return sets->is_bundled ? find_on_budget(&t, find_in_bundles, sink) : find_in_rounds(&t, sink);
}

void bp_two_sets_stats(const bp_two_sets *sets, bp_stats *stats) {
    const bp_shared_cells *shared = &sets->shared;
    stats->update = BP_UPDATE_REBUILD;
    if (sets->is_bundled) {
        bp_bundles_stats(&sets->bundles, stats);
    } else {
        stats->levels = sets->round_count;
        stats->cells = shared->maps.map.words * BP_MAP_WORD;
        stats->occupied = shared->shared;
    }
    stats->bytes = bp_two_sets_bytes(sets);
}
