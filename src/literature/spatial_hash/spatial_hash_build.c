// Building the spatial hash: the table is divided into buckets of slots, and each is built independently inside the
// cache.
//
//   1. plan       the size of the cells, from a sample, unless it is configured
//   2. count      for each box: the cells that it overlaps, and how many of them fall into each bucket
//   3. partition  (cell, id) of each box and cell to its bucket (base/bucket_sort.h)
//   4. order      each bucket: insert its cells into its slots, count, place the ids, copy the boxes into the columns
//   5. large      the boxes that overlap too many cells, after all others
//
// The cells of a bucket depend only on their hashes, so buckets are built in parallel without a lock, and the result is
// the same for any number of threads.
#include "literature/spatial_hash/spatial_hash_build.h"

#include "base/log.h"
#include "base/radix_sort.h"

enum {
    SAMPLE = 128, // boxes in the sample that the plan is based on
    CANDIDATES = 36,
    BUCKET_ENTRIES = 2048, // the intended number
    BUCKET_BITS_MAX = 14,
    SEGMENT_BITS_MIN = 4,
    BLOCK_LEAST = 4096, // boxes that are worth a task
    CELL_LIMIT = 256    // with automatic cells, 32 to 2000 take the same time
};

// A box in one of its cells, on the way to its bucket: along each axis twice the cell, plus 1 if the box is at home
// there.
typedef struct record {
    int32_t twice[3];
    uint32_t id;
} record;

// The counts of a block of boxes.
typedef struct block_totals {
    uint64_t entries, large;
} block_totals;

typedef struct build {
    spatial_hash *h;
    double limit;   // more cells than this make an object large
    double entries; // expected, by the plan
    double cells;   // expected
    bp_blocks blocks;
    cell_range *ranges;   // per box
    block_totals *totals; // per block
} build;

double spatial_hash_limit(const spatial_hash *h) {
    return h->setup->settings.hash_cell_limit > 0 ? (double)h->setup->settings.hash_cell_limit : (double)CELL_LIMIT;
}

// ---- 1. plan --------------------------------------------------------------------------------------------------------

typedef struct sample {
    size_t count;
    float extents[SAMPLE][3];
    float sizes[SAMPLE];        // the largest extent of each, sorted
    float positions[3][SAMPLE]; // sorted
    double length[3];           // of the region that contains most of them
    double objects;             // that it represents
    double limit;
} sample;

static void sample_add(sample *s, const bp_box *box, uint32_t dimensions) {
    const size_t i = s->count;
    float size = 0.0f;
    bool finite = true; // no extent is infinite, overflows, or is NaN (from infinity to infinity)
    for (uint32_t axis = 0; axis < 3; ++axis) {
        s->extents[i][axis] = axis < dimensions ? box->max[axis] - box->min[axis] : 0.0f;
        s->positions[axis][i] = axis < dimensions ? box->min[axis] : 0.0f;
        size = s->extents[i][axis] > size ? s->extents[i][axis] : size;
        finite &= s->extents[i][axis] < INFINITY;
    }
    s->sizes[i] = size;
    s->count += finite;
}

static void sample_take(sample *s, const spatial_hash *h) {
    const size_t step = h->count / SAMPLE + 1;
    s->count = 0;
    s->limit = spatial_hash_limit(h);
    for (size_t i = 0; i < h->count; i += step) {
        sample_add(s, &h->boxes[i], h->setup->dimensions); // holes are not added
    }
    bp_sort_floats(s->sizes, s->count);
    const size_t outer = s->count / 16; // positions at each end that are ignored
    for (int axis = 0; axis < 3 && s->count > 0; ++axis) {
        bp_sort_floats(s->positions[axis], s->count);
        const double inner = (double)s->positions[axis][s->count - 1 - outer] - (double)s->positions[axis][outer];
        s->length[axis] = inner * (double)s->count / (double)(s->count - 2 * outer);
    }
    s->objects = (double)s->count * (double)step;
}

typedef struct estimate {
    double entries, cells, work;
} estimate;

// The estimated cost of cells of a size, in nanoseconds, roughly.
static estimate estimate_for(const sample *s, double cell) {
    double entries = 0.0, small = 0.0, homes = s->objects;
    for (size_t i = 0; i < s->count; ++i) {
        double cells = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            cells *= 1.0 + (double)s->extents[i][axis] / cell;
        }
        entries += cells <= s->limit ? cells : 0.0;
        small += cells <= s->limit ? 1.0 : 0.0;
    }
    const double scale = s->objects / (double)s->count;
    const double large = s->objects - small * scale;
    for (int axis = 0; axis < 3; ++axis) {
        homes *= s->length[axis] > cell ? cell / s->length[axis] : 1.0; // in a cell
    }
    const double per_object = entries / (small + 1e-9), per_cell = homes * per_object + 1e-9;
    estimate e = {.entries = entries * scale};
    e.cells = e.entries / per_cell * -expm1(-per_cell);
    e.work = e.entries * (18.0 + 0.085 * per_cell) + e.cells * 8.0 + large * (2.0 * e.cells + large / 8.0);
    return e;
}

// The best of some sizes around that of the median object. The last size is kept while it is nearly as good, so that a
// steady scene keeps its memory.
static estimate choose_cell(spatial_hash *h, const sample *s) {
    double base = s->count > 0 ? (double)s->sizes[s->count / 2] : 0.0;
    if (base <= 0.0) {
        base = fmax(fmax(s->length[0], s->length[1]), s->length[2]) / cbrt(s->objects + 1.0);
    }
    base = fmin(fmax(base, (double)FLT_MIN), (double)FLT_MAX * 0x1p-20);
    estimate best = {.work = INFINITY};
    double best_cell = base;
    for (int i = 0; i < CANDIDATES; ++i) {
        const double cell = base * 0.5 * exp2(i * 0.375);
        const estimate e = estimate_for(s, cell);
        if (e.work < best.work) {
            best = e;
            best_cell = cell;
        }
    }
    const estimate last = h->cell_size > 0.0f ? estimate_for(s, (double)h->cell_size) : (estimate){.work = INFINITY};
    if (last.work < 1.1 * best.work) {
        return last;
    }
    h->cell_size = (float)best_cell;
    return best;
}

static void plan_cells(build *b) {
    spatial_hash *h = b->h;
    sample s;
    sample_take(&s, h);
    estimate e = {0};
    if (h->setup->settings.cell_size > 0.0f) {
        h->cell_size = h->setup->settings.cell_size;
        e = s.count > 0 ? estimate_for(&s, (double)h->cell_size) : e;
    } else if (s.count > 0) {
        e = choose_cell(h, &s);
    }
    h->inverse = 1.0 / (double)(h->cell_size > 0.0f ? h->cell_size : 1.0f);
    b->limit = spatial_hash_limit(h);
    b->entries = e.entries;
    b->cells = e.cells;
}

// ---- 2. count -------------------------------------------------------------------------------------------------------

// Instead of the cells of a box that has none: loops over these ranges are empty.
static const cell_range RANGE_HOLE = {.low = {1, 1, 1}}, RANGE_LARGE = {.low = {2, 2, 2}};

static cell_range range_of_id(const build *b, size_t id) {
    const bp_box box = bp_box_flatten(b->h->boxes[id], b->h->setup->dimensions);
    return hash_range_of(b->h, &box);
}

static void count_range(const build *b, const cell_range *range, uint32_t *counters) {
    int32_t at[3];
    for (at[2] = range->low[2]; at[2] <= range->high[2]; ++at[2]) {
        for (at[1] = range->low[1]; at[1] <= range->high[1]; ++at[1]) {
            for (at[0] = range->low[0]; at[0] <= range->high[0]; ++at[0]) {
                ++counters[bucket_of_hash(b->h, hash_of_place(at))];
            }
        }
    }
}

static void task_count_entries(void *context, size_t block) {
    const build *b = context;
    uint32_t *counters = bp_partition_clear(&b->h->partition, block);
    block_totals totals = {0};
    const size_t end = bp_block_begin(b->blocks, block + 1);
    for (size_t i = bp_block_begin(b->blocks, block); i < end; ++i) {
        if (bp_box_is_hole(&b->h->boxes[i])) {
            b->ranges[i] = RANGE_HOLE;
            continue;
        }
        const cell_range range = range_of_id(b, i);
        const double cells = range_cells(&range);
        b->ranges[i] = cells > b->limit ? RANGE_LARGE : range;
        if (cells > b->limit) {
            ++totals.large;
        } else if (totals.entries < UINT32_MAX) { // beyond that, the build fails anyway
            totals.entries += (uint64_t)cells;
            count_range(b, &range, counters);
        }
    }
    b->totals[block] = totals;
}

// False if there are too many entries.
static bool sum_totals(build *b) {
    uint64_t entries = 0, large = 0;
    for (size_t block = 0; block < b->blocks.count; ++block) {
        entries += b->totals[block].entries;
        large += b->totals[block].large;
    }
    b->h->entry_count = (size_t)entries;
    b->h->total_count = (size_t)(entries + large);
    return entries + large < UINT32_MAX;
}

// ---- 3. partition ---------------------------------------------------------------------------------------------------

static void write_range(const build *b, const cell_range *range, uint32_t id, uint32_t *positions) {
    record *records = b->h->records_buffer.data;
    record r = {.id = id};
    int32_t at[3];
    for (at[2] = range->low[2]; at[2] <= range->high[2]; ++at[2]) {
        r.twice[2] = 2 * at[2] + (at[2] == range->low[2]);
        for (at[1] = range->low[1]; at[1] <= range->high[1]; ++at[1]) {
            r.twice[1] = 2 * at[1] + (at[1] == range->low[1]);
            for (at[0] = range->low[0]; at[0] <= range->high[0]; ++at[0]) {
                r.twice[0] = 2 * at[0] + (at[0] == range->low[0]);
                records[positions[bucket_of_hash(b->h, hash_of_place(at))]++] = r;
            }
        }
    }
}

static void task_partition_entries(void *context, size_t block) {
    const build *b = context;
    uint32_t *positions = bp_partition_counters(&b->h->partition, block);
    const size_t end = bp_block_begin(b->blocks, block + 1);
    for (size_t i = bp_block_begin(b->blocks, block); i < end; ++i) {
        write_range(b, &b->ranges[i], (uint32_t)i, positions);
    }
}

// ---- 4. order -------------------------------------------------------------------------------------------------------

static uint32_t find_chained(const hash_cell *cells, uint32_t first, const int32_t at[3]) {
    while (first != SPATIAL_HASH_NO_CELL && !is_hash_cell_at(&cells[first], at)) {
        first = cells[first].next;
    }
    return first;
}

uint32_t spatial_hash_lookup(const spatial_hash *h, size_t bucket, const int32_t at[3], size_t *slot) {
    const hash_cell *cells = cells_of_bucket(h, bucket);
    const uint32_t *slots = slots_of_bucket(h, bucket);
    const size_t mask = ((size_t)1 << h->segment_bits) - 1;
    size_t i = slot_of_hash(h, hash_of_place(at));
    if (h->setup->settings.hash_table == BP_HASH_CHAINED) {
        *slot = i;
        return find_chained(cells, slots[i], at);
    }
    while (slots[i] != SPATIAL_HASH_NO_CELL && !is_hash_cell_at(&cells[slots[i]], at)) {
        i = (i + 1) & mask; // there is always an empty one: the load is at most a half
    }
    *slot = i;
    return slots[i];
}

// The cell of a record, which is inserted if it is new; SPATIAL_HASH_NO_CELL if there is no room for it.
static uint32_t enter_cell(const spatial_hash *h, size_t bucket_index, const int32_t at[3]) {
    hash_bucket *bucket = hash_bucket_at(h, bucket_index);
    size_t slot = 0;
    const uint32_t found = spatial_hash_lookup(h, bucket_index, at, &slot);
    if (found != SPATIAL_HASH_NO_CELL || bucket->cell_count == h->capacity) {
        return found;
    }
    uint32_t *slots = slots_of_bucket(h, bucket_index);
    hash_cell *cell = &cells_of_bucket(h, bucket_index)[bucket->cell_count];
    *cell = (hash_cell){.at = {at[0], at[1], at[2]}, .next = slots[slot]}; // in an open table the slot was empty
    slots[slot] = bucket->cell_count;
    return bucket->cell_count++;
}

// Returns the place of a record's class in its cell, and writes where the cell is in space.
static uint32_t unpack(const record *r, int32_t at[3]) {
    uint32_t homes = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int32_t home = r->twice[axis] & 1;
        at[axis] = (r->twice[axis] - home) / 2;
        homes |= (uint32_t)home << axis;
    }
    return BP_CELL_CLASS_PLACE[homes];
}

// Scratch memory for ordering a bucket: columns that are filled later.
static uint32_t *scratch_cells(const spatial_hash *h) {
    return (uint32_t *)(void *)h->columns.min[0];
}

static uint32_t *scratch_places(const spatial_hash *h) {
    return (uint32_t *)(void *)h->columns.min[1];
}

// Inserts the cells of all records of a bucket and counts their classes. False if there is no room for them.
static bool enter_records(const spatial_hash *h, size_t bucket_index) {
    hash_bucket *bucket = hash_bucket_at(h, bucket_index);
    hash_cell *cells = cells_of_bucket(h, bucket_index);
    const record *records = h->records_buffer.data;
    bucket->cell_count = 0;
    memset(slots_of_bucket(h, bucket_index), 0xff, sizeof(uint32_t) << h->segment_bits); // SPATIAL_HASH_NO_CELL
    const size_t end = h->partition.starts[bucket_index + 1];
    for (size_t i = h->partition.starts[bucket_index]; i < end; ++i) {
        int32_t at[3];
        const uint32_t place = unpack(&records[i], at);
        const uint32_t cell = enter_cell(h, bucket_index, at);
        if (cell == SPATIAL_HASH_NO_CELL) {
            return false;
        }
        ++cells[cell].bounds[place + 1];
        scratch_cells(h)[i] = cell;
        scratch_places(h)[i] = place;
    }
    return true;
}

// Turns the counts of each cell's classes into positions.
static void place_classes(const spatial_hash *h, size_t bucket_index) {
    hash_bucket *bucket = hash_bucket_at(h, bucket_index);
    hash_cell *cells = cells_of_bucket(h, bucket_index);
    uint32_t position = h->partition.starts[bucket_index];
    bucket->fullest = 0;
    for (size_t i = 0; i < bucket->cell_count; ++i) {
        cells[i].bounds[0] = position;
        for (size_t place = 0; place < BP_CELL_CLASSES; ++place) {
            const uint32_t count = cells[i].bounds[place + 1];
            cells[i].bounds[place + 1] = position;
            position += count;
        }
        const uint32_t count = position - cells[i].bounds[0];
        bucket->fullest = count > bucket->fullest ? count : bucket->fullest;
    }
}

static void task_order_hash_bucket(void *context, size_t bucket_index) {
    const spatial_hash *h = ((const build *)context)->h;
    const record *records = h->records_buffer.data;
    const size_t begin = h->partition.starts[bucket_index], end = h->partition.starts[bucket_index + 1];
    hash_bucket *bucket = hash_bucket_at(h, bucket_index);
    hash_cell *cells = cells_of_bucket(h, bucket_index);
    bucket->is_full = !enter_records(h, bucket_index);
    if (bucket->is_full) {
        return;
    }
    place_classes(h, bucket_index);
    for (size_t i = begin; i < end; ++i) {
        h->columns.id[cells[scratch_cells(h)[i]].bounds[scratch_places(h)[i] + 1]++] = records[i].id;
    }
    bp_columns_fill(&h->columns, h->setup->kernels, h->setup->dimensions, begin, end, h->boxes);
}

static bool reserve_table(spatial_hash *h) {
    const bp_allocator *allocator = &h->setup->runtime.allocator;
    const size_t segment = (size_t)1 << h->segment_bits;
    h->capacity = h->setup->settings.hash_table == BP_HASH_CHAINED ? segment : segment / 2;
    return bp_buffer_reserve_slack(&h->slots_buffer, allocator, 0, bp_size_multiply(segment, hash_bucket_count(h)),
                                   sizeof(uint32_t)) &&
           bp_buffer_reserve_slack(&h->cells_buffer, allocator, 0, bp_size_multiply(h->capacity, hash_bucket_count(h)),
                                   sizeof(hash_cell));
}

static bool is_any_full(const spatial_hash *h) {
    bool full = false;
    for (size_t bucket = 0; bucket < hash_bucket_count(h); ++bucket) {
        full |= hash_bucket_at(h, bucket)->is_full;
    }
    return full;
}

// Doubles the slots until each bucket has enough.
static bp_status order_buckets(build *b) {
    do {
        if (!reserve_table(b->h)) {
            return BP_ERROR_MEMORY;
        }
        bp_parallel_for(&b->h->setup->runtime.executor, hash_bucket_count(b->h), task_order_hash_bucket, b);
        ++b->h->segment_bits;
    } while (is_any_full(b->h));
    --b->h->segment_bits;
    return BP_OK;
}

// ---- 5. large -------------------------------------------------------------------------------------------------------

static void append_large(build *b) {
    spatial_hash *h = b->h;
    size_t position = h->entry_count;
    for (size_t i = 0; i < h->count && position < h->total_count; ++i) {
        if (b->ranges[i].low[0] == RANGE_LARGE.low[0] && b->ranges[i].high[0] == RANGE_LARGE.high[0]) {
            h->large[position - h->entry_count] = range_of_id(b, i);
            h->columns.id[position++] = (uint32_t)i;
        }
    }
    bp_columns_fill(&h->columns, h->setup->kernels, h->setup->dimensions, h->entry_count, h->total_count, h->boxes);
}

// ---- the whole build ------------------------------------------------------------------------------------------------

static uint32_t bits_for_slots(double count) {
    uint32_t bits = 0;
    while (exp2(bits) < count) {
        ++bits;
    }
    return bits;
}

// Chosen from the estimates of the plan. Slots that were enough the last time are kept.
static void choose_table(build *b) {
    spatial_hash *h = b->h;
    const uint32_t buckets = bits_for_slots(fmin(b->entries / BUCKET_ENTRIES, exp2(BUCKET_BITS_MAX)));
    const double cells = b->cells / exp2(buckets);
    const double load = h->setup->settings.hash_table == BP_HASH_CHAINED ? 1.0 : 0.5;
    const uint32_t wanted = bits_for_slots((1.2 * cells + 3.0 * sqrt(cells)) / load);
    const uint32_t least =
        h->bucket_bits == buckets && h->segment_bits > SEGMENT_BITS_MIN ? h->segment_bits : SEGMENT_BITS_MIN;
    h->bucket_bits = buckets;
    h->segment_bits = wanted > least ? wanted : least;
}

static bool reserve_counting(build *b) {
    spatial_hash *h = b->h;
    const bp_allocator *allocator = &h->setup->runtime.allocator;
    b->blocks = bp_blocks_cut(&h->setup->runtime.executor, h->count, BLOCK_LEAST, SIZE_MAX);
    if (!bp_buffer_reserve(&h->buckets_buffer, allocator, 0, hash_bucket_count(h), sizeof(hash_bucket)) ||
        !bp_buffer_reserve(&h->totals_buffer, allocator, 0, b->blocks.count, sizeof(block_totals)) ||
        !bp_buffer_reserve(&h->ranges_buffer, allocator, 0, h->count + 1, sizeof(cell_range)) ||
        !bp_partition_reserve(&h->partition, allocator, b->blocks.count, hash_bucket_count(h))) {
        return false;
    }
    b->ranges = h->ranges_buffer.data;
    b->totals = h->totals_buffer.data;
    return true;
}

static bool reserve_entries(spatial_hash *h) {
    const bp_allocator *allocator = &h->setup->runtime.allocator;
    const size_t large_count = h->total_count - h->entry_count;
    const bool granted =
        bp_columns_reserve(&h->columns, &h->columns_buffer, allocator, h->total_count) &&
        bp_buffer_reserve_slack(&h->records_buffer, allocator, 0, h->entry_count + 1, sizeof(record)) &&
        bp_buffer_reserve_slack(&h->large_buffer, allocator, 0, large_count + 1, sizeof(cell_range));
    h->large = h->large_buffer.data;
    return granted;
}

static void sum_stats(spatial_hash *h) {
    h->occupied = 0;
    h->fullest = 0;
    for (size_t i = 0; i < hash_bucket_count(h); ++i) {
        const hash_bucket *bucket = hash_bucket_at(h, i);
        h->occupied += bucket->cell_count;
        h->fullest = bucket->fullest > h->fullest ? bucket->fullest : h->fullest;
    }
}

static bp_status build_planned(build *b) {
    spatial_hash *h = b->h;
    const bp_executor *executor = &h->setup->runtime.executor;
    bp_parallel_for(executor, b->blocks.count, task_count_entries, b);
    if (!sum_totals(b)) {
        bp_log_write(&h->setup->runtime.log,
                     "spatial-hash: objects are in more than 2^32 cells of %g; use a larger settings.cell_size or "
                     "a smaller settings.hash_cell_limit",
                     (double)h->cell_size);
        return BP_ERROR_MEMORY;
    }
    if (!reserve_entries(h)) {
        return BP_ERROR_MEMORY;
    }
    bp_partition_place(&h->partition, executor);
    bp_parallel_for(executor, b->blocks.count, task_partition_entries, b);
    const bp_status status = order_buckets(b);
    if (status == BP_OK) {
        append_large(b);
        sum_stats(h);
    }
    return status;
}

bp_status spatial_hash_build(void *state, const bp_box *boxes, size_t count) {
    spatial_hash *h = state;
    build b = {.h = h};
    h->boxes = boxes;
    h->count = count;
    plan_cells(&b);
    choose_table(&b);
    const bp_status status = reserve_counting(&b) ? build_planned(&b) : BP_ERROR_MEMORY;
    if (status != BP_OK) {
        h->entry_count = 0;
        h->total_count = 0;
    }
    return status;
}
