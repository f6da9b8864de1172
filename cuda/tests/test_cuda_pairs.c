// Pairs on the device against all pairs tested on the host: scenes, filters, periods, two sets, skew, and mistakes of
// callers.
#include "checks.h"

#include "plan.h"
#include "scenes.h"

#include <math.h>

// On the host kernels run a thousand times as slowly. There a bucket is a tenth of all boxes, so a crowd must be wider.
#if defined(BP_CUDA_ON_HOST)
enum { COUNT = 600, MANY = 2000, CROWD_SHARE = 3, REPEATS = 1, CROWD_WIDTH = 10 };
#else
enum { COUNT = 3000, MANY = 20000, CROWD_SHARE = 64, REPEATS = 10, CROWD_WIDTH = 1 };
#endif
enum { DISTRIBUTED = BP_CUDA_PARTITION_LEAST + BP_CUDA_PARTITION_LEAST / 42 };

typedef struct expected {
    bp_pair *data;
    size_t count;
} expected;

static bool overlap_axis(const bp_box *a, const bp_box *b, int axis, double period) {
    const double low = (double)b->min[axis] - (double)a->max[axis], high = (double)b->max[axis] - (double)a->min[axis];
    if (period == 0.0 || !isfinite(low) || !isfinite(high)) {
        return low <= 0.0 && high >= 0.0;
    }
    return ceil(low / period) * period <= high;
}

static bool overlap(const bp_box *a, const bp_box *b, const bp_config *config) {
    bool both = true;
    for (int axis = 0; axis < (config->dimensions == 2 ? 2 : 3); ++axis) {
        both = both && overlap_axis(a, b, axis, (double)config->period[axis]);
    }
    return both;
}

static bool passes(const bp_object *a, const bp_object *b) {
    const uint64_t a_group = a->group != 0 ? a->group : UINT64_MAX, b_group = b->group != 0 ? b->group : UINT64_MAX;
    const uint64_t a_mask = a->mask != 0 ? a->mask : UINT64_MAX, b_mask = b->mask != 0 ? b->mask : UINT64_MAX;
    return (a_group & b_mask) != 0 && (b_group & a_mask) != 0 && a->island == b->island &&
           !((a->flags & BP_STATIC) != 0 && (b->flags & BP_STATIC) != 0);
}

static void add_pair(expected *e, uint32_t a, uint32_t b) {
    if ((e->count & (e->count + 1)) == 0) {
        e->data = realloc(e->data, (2 * e->count + 2) * sizeof *e->data);
    }
    e->data[e->count++] = (bp_pair){a, b};
}

static expected all_pairs(const bp_box *boxes, const bp_object *objects, size_t count, const bp_config *config) {
    expected e = {0};
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = a + 1; b < count; ++b) {
            if (overlap(&boxes[a], &boxes[b], config) && (objects == NULL || passes(&objects[a], &objects[b]))) {
                add_pair(&e, a, b);
            }
        }
    }
    return e;
}

static void check_list(const bp_pair *pairs, uint64_t found, const expected *e, const char *what) {
    CHECK(found == e->count, "%s: %llu pairs instead of %zu", what, (unsigned long long)found, e->count);
    CHECK(found != e->count || found == 0 || memcmp(pairs, e->data, e->count * sizeof *pairs) == 0, "%s: other pairs",
          what);
}

// Sorted on the device; then a buffer that is one pair short, and none at all.
static void check_set(const bp_box *boxes, size_t count, const bp_config *given, const char *what) {
    bp_config config = *given;
    config.pair_order = BP_ORDER_SORTED;
    bp_cuda_context *context = NULL;
    expected e = all_pairs(boxes, NULL, count, &config);
    bp_pair *pairs = malloc((e.count + 1) * sizeof *pairs);
    uint64_t found = 0;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "%s", what);
    bp_status status = bp_cuda_find_pairs_host(context, boxes, count, pairs, e.count + 1, &found);
    CHECK(status == BP_OK, "%s: %s", what, bp_status_text(status));
    check_list(pairs, found, &e, what);
    if (e.count > 1) { // on the device, where it ends with the last pair
        void *there = bp_cuda_test_copy(boxes, count * sizeof *boxes);
        void *room = bp_cuda_test_copy(pairs, (e.count - 1) * sizeof *pairs);
        status = bp_cuda_find_pairs(context, there, count, NULL, room, e.count - 1, &found);
        CHECK(status == BP_ERROR_CAPACITY && found == e.count, "%s: a short buffer", what);
        bp_cuda_test_free(there);
        bp_cuda_test_free(room);
    }
    status = bp_cuda_find_pairs_host(context, boxes, count, NULL, 0, &found);
    CHECK(status == BP_OK && found == e.count, "%s: counted %llu", what, (unsigned long long)found);
    free(pairs);
    free(e.data);
    bp_cuda_destroy(context);
}

static void check_scenes(void) {
    const size_t step = quick() < 2 ? 1 : 3;
    for (size_t i = 0; i < scene_count(); i += step) {
        const char *error = NULL;
        const scene_options options = {.count = COUNT, .seed = 11};
        scene *s = scene_create(scene_name(i), &options, &error);
        CHECK(s != NULL, "%s: %s", scene_name(i), error);
        const bp_config config = {.dimensions = scene_dimensions(s)};
        check_set(scene_boxes(s), scene_box_count(s), &config, scene_name(i));
        scene_destroy(s);
    }
}

static void fill(bp_box *boxes, size_t count, float edge, float smallest, float largest, uint64_t seed) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float size = smallest * powf(largest / smallest, random_between(&seed, 0.0f, 1.0f));
            boxes[i].min[axis] = random_between(&seed, -edge, edge);
            boxes[i].max[axis] = boxes[i].min[axis] + size;
        }
    }
}

static void check_periods(void) {
    static bp_box boxes[COUNT];
    const struct {
        float period[3], smallest, largest;
        uint32_t dimensions;
    } table[] = {{{20, 20, 20}, 0.5f, 1.0f, 3}, {{20, 0, 7}, 0.1f, 2.0f, 3}, {{0, 0, 30}, 0.01f, 3.0f, 3},
                 {{64, 64, 0}, 0.5f, 1.0f, 2},  {{5, 5, 5}, 0.1f, 4.5f, 3},  {{1000, 10, 10}, 0.3f, 0.6f, 3}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        bp_config config = {.dimensions = table[i].dimensions};
        memcpy(config.period, table[i].period, sizeof config.period);
        fill(boxes, COUNT, 30.0f, table[i].smallest, table[i].largest, i + 1);
        boxes[7] = (bp_box){{-INFINITY, 1, -INFINITY}, {INFINITY, 2, INFINITY}};
        check_set(boxes, COUNT, &config, "periodic");
    }
}

static void check_filters(void) {
    static bp_box boxes[COUNT];
    static bp_object objects[COUNT];
    uint64_t state = 5, found = 0;
    fill(boxes, COUNT, 12.0f, 0.5f, 4.0f, 77);
    for (size_t i = 0; i < COUNT; ++i) {
        objects[i] = (bp_object){.group = (uint64_t)1 << (31 + next_random(&state) % 3),
                                 .mask = (uint64_t)(next_random(&state) % 8) << 31,
                                 .flags = (uint32_t)(next_random(&state) % 2),
                                 .island = (uint32_t)(next_random(&state) % 2)};
    }
    boxes[3].max[0] = INFINITY;
    const bp_config config = {.pair_order = BP_ORDER_SORTED, .dimensions = 3};
    expected e = all_pairs(boxes, objects, COUNT, &config);
    bp_pair *pairs = malloc((e.count + 1) * sizeof *pairs);
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "filters");
    void *there = bp_cuda_test_copy(objects, sizeof objects);
    CHECK(bp_cuda_set_objects(context, there, NULL) == BP_OK, "filters");
    const bp_status status = bp_cuda_find_pairs_host(context, boxes, COUNT, pairs, e.count + 1, &found);
    CHECK(status == BP_OK, "filters: %s", bp_status_text(status));
    check_list(pairs, found, &e, "filters");
    bp_cuda_test_free(there);
    bp_cuda_destroy(context);
    free(pairs);
    free(e.data);
}

static void check_between(const bp_box *a, size_t a_count, const bp_box *b, size_t b_count, const bp_config *given,
                          const char *what) {
    bp_config config = *given;
    config.pair_order = BP_ORDER_SORTED;
    expected e = {0};
    for (uint32_t i = 0; i < a_count; ++i) {
        for (uint32_t k = 0; k < b_count; ++k) {
            if (overlap(&a[i], &b[k], &config)) {
                add_pair(&e, i, k);
            }
        }
    }
    bp_pair *pairs = malloc((e.count + 1) * sizeof *pairs);
    bp_cuda_context *context = NULL;
    uint64_t found = 0;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "%s", what);
    const bp_status status =
        bp_cuda_find_pairs_between_host(context, a, a_count, b, b_count, pairs, e.count + 1, &found);
    CHECK(status == BP_OK, "%s: %s", what, bp_status_text(status));
    check_list(pairs, found, &e, what);
    bp_cuda_destroy(context);
    free(pairs);
    free(e.data);
}

static void check_two_sets(void) {
    static bp_box a[COUNT], b[COUNT];
    const bp_config open = {.dimensions = 3}, periodic = {.dimensions = 3, .period = {25, 25, 25}};
    fill(a, COUNT, 15.0f, 0.1f, 0.5f, 1);
    fill(b, COUNT, 15.0f, 0.1f, 8.0f, 2);
    a[5] = (bp_box){{-INFINITY, -INFINITY, 0}, {INFINITY, INFINITY, 1}};
    b[9] = (bp_box){{0, -INFINITY, -INFINITY}, {0, INFINITY, INFINITY}};
    check_between(a, COUNT, b, COUNT, &open, "fine against coarse");
    check_between(b, COUNT, a, COUNT, &open, "coarse against fine");
    check_between(a, COUNT, a, COUNT, &open, "a set against itself");
    check_between(a, COUNT, b, 1, &open, "against one");
    check_between(a, COUNT, b, COUNT, &periodic, "two sets with a period");
}

// A clump in one cell among evenly spread boxes, one giant, and identical boxes.
static void check_skew(void) {
    static bp_box boxes[MANY];
    uint64_t found = 0;
    const bp_config config = {.dimensions = 3};
    bp_cuda_context *context = NULL;
    fill(boxes, COUNT, 10.0f, 0.5f, 1.0f, 9);
    for (size_t i = 0; i < COUNT / 3; ++i) {
        boxes[3 * i] = (bp_box){{1, 1, 1}, {2, 2, 2}};
    }
    boxes[1] = (bp_box){{-20, -20, -20}, {20, 20, 20}};
    check_set(boxes, COUNT, &config, "a clump and a giant");
    for (size_t i = 0; i < MANY; ++i) {
        boxes[i] = (bp_box){{3, 4, 5}, {4, 5, 6}};
    }
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "identical");
    const bp_status status = bp_cuda_find_pairs_host(context, boxes, MANY, NULL, 0, &found);
    CHECK(status == BP_OK && found == (uint64_t)MANY * (MANY - 1) / 2, "identical: %llu", (unsigned long long)found);
    bp_cuda_destroy(context);
}

// So many boxes that they are distributed, not sorted: the CPU's pairs, and the same bytes in two runs.
static void check_many(const bp_box *boxes, const bp_config *config, uint32_t distributed, const char *what) {
    bp_config sorted = *config;
    sorted.threads = -1;
    sorted.pair_order = BP_ORDER_SORTED;
    bp_pairs host = {0};
    bp_cuda_context *context = NULL;
    bp_cuda_stats stats = {0};
    uint64_t found = 0, again = 0;
    CHECK(bp_find_pairs(boxes, DISTRIBUTED, &sorted, &host) == BP_OK, "%s", what);
    const size_t bytes = (host.count + 1) * sizeof(bp_pair);
    bp_pair *pairs = malloc(bytes), *repeated = malloc(bytes);
    CHECK(bp_cuda_create(config, &context) == BP_OK, "%s", what);
    void *there = bp_cuda_test_copy(boxes, DISTRIBUTED * sizeof *boxes);
    CHECK(bp_cuda_find_pairs(context, there, DISTRIBUTED, NULL, NULL, 0, &found) == BP_OK && found == host.count,
          "%s: counted %llu", what, (unsigned long long)found);
    CHECK(bp_cuda_get_stats(context, &stats) == BP_OK && stats.bytes <= bp_cuda_memory_needed(DISTRIBUTED),
          "%s: %zu bytes, %llu were announced", what, stats.bytes,
          (unsigned long long)bp_cuda_memory_needed(DISTRIBUTED));
    CHECK(stats.distributed == distributed, "%s: %s", what, distributed > 0 ? "sorted" : "distributed");
    bp_status status = bp_cuda_find_pairs_host(context, boxes, DISTRIBUTED, pairs, host.count + 1, &found);
    CHECK(status == BP_OK && found == host.count, "%s: %s, %llu pairs", what, bp_status_text(status),
          (unsigned long long)found);
    status = bp_cuda_find_pairs_host(context, boxes, DISTRIBUTED, repeated, host.count + 1, &again);
    CHECK(status == BP_OK && again == found && memcmp(pairs, repeated, found * sizeof *pairs) == 0,
          "%s: other bytes the second time", what);
    qsort(pairs, found, sizeof *pairs, compare_pairs);
    CHECK(found != host.count || memcmp(pairs, host.data, found * sizeof *pairs) == 0, "%s: other pairs", what);
    bp_cuda_test_free(there);
    bp_cuda_destroy(context);
    bp_pairs_free(&host, &sorted);
    free(pairs);
    free(repeated);
}

static int compare_places(const void *left, const void *right) {
    const bp_box *a = left, *b = right;
    return a->min[2] < b->min[2] ? -1 : a->min[2] > b->min[2];
}

// All boxes are in the upper half, except those that are sampled beforehand.
static void mislead(bp_box *boxes, float edge) {
    enum { SAMPLED = 64 };
    for (size_t i = 0; i < DISTRIBUTED; ++i) {
        if (i != bp_cuda_sample_index(i / SAMPLED, SAMPLED, DISTRIBUTED) && boxes[i].min[2] < 0.0f) {
            boxes[i].min[2] += edge;
            boxes[i].max[2] += edge;
        }
    }
}

// Moves boxes apart along x and y.
static void widen(bp_box *boxes, size_t count, float factor) {
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            const float by = (factor - 1.0f) * boxes[i].min[axis];
            boxes[i].min[axis] += by;
            boxes[i].max[axis] += by;
        }
    }
}

static void check_distributed(void) {
    bp_box *boxes = malloc(DISTRIBUTED * sizeof *boxes);
    const float edge = 0.64f * cbrtf((float)DISTRIBUTED); // 4 pairs per box or so
    char log[512] = "";
    bp_config config = {.dimensions = 3, .log = {keep_log, log}};
    fill(boxes, DISTRIBUTED, edge, 0.5f, 1.0f, 21);
    check_many(boxes, &config, 1, "even");
    if (quick() > 1) {
        free(boxes);
        return;
    }
    qsort(boxes, DISTRIBUTED, sizeof *boxes, compare_places);
    check_many(boxes, &config, 1, "in the order of space");
    boxes[DISTRIBUTED - 1].max[1] = INFINITY;
    config.period[0] = 2.0f * edge;
    check_many(boxes, &config, 1, "many with a period");
    config.period[0] = 0.0f;
    fill(boxes, DISTRIBUTED / CROWD_SHARE, 1.5f, 0.5f, 1.0f, 22); // too many for a bucket
    widen(boxes, DISTRIBUTED / CROWD_SHARE, CROWD_WIDTH);
    for (int i = 0; i < REPEATS; ++i) { // independent of which block notices first
        check_many(boxes, &config, 0, "a crowd among many");
    }
    fill(boxes, DISTRIBUTED, edge, 0.5f, 1.0f, 24);
    mislead(boxes, edge);
    check_many(boxes, &config, 0, "a sample that misleads");
    fill(boxes, DISTRIBUTED, 1.75f * edge, 0.1f, 8.0f, 23);
    check_many(boxes, &config, 0, "many sizes");
    boxes[DISTRIBUTED - 2].min[1] = NAN;
    uint64_t found = 0;
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "many");
    CHECK(bp_cuda_find_pairs_host(context, boxes, DISTRIBUTED, NULL, 0, &found) == BP_ERROR_BOX, "NaN among many");
    char named[32];
    (void)snprintf(named, sizeof named, "box %d ", DISTRIBUTED - 2);
    CHECK(strstr(log, named) != NULL, "the log says: %s", log);
    bp_cuda_destroy(context);
    free(boxes);
}

static void check_mistakes(void) {
    char log[512] = "";
    const bp_config config = {.log = {keep_log, log}};
    bp_box boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    bp_pair pairs[4];
    uint64_t found = 0;
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "mistakes");
    CHECK(bp_cuda_find_pairs(context, NULL, 3, NULL, NULL, 0, &found) == BP_ERROR_ARGUMENT, "no boxes");
    CHECK(bp_cuda_find_pairs_host(context, boxes, 3, NULL, 4, &found) == BP_ERROR_ARGUMENT, "no buffer");
    CHECK(bp_cuda_find_pairs_host(context, boxes, 3, pairs, 4, NULL) == BP_ERROR_ARGUMENT, "no number");
    boxes[2].min[1] = NAN;
    CHECK(bp_cuda_find_pairs_host(context, boxes, 3, pairs, 4, &found) == BP_ERROR_BOX, "NaN");
    CHECK(strstr(log, "box 2") != NULL, "the log says: %s", log);
    CHECK(bp_cuda_find_pairs_between_host(context, boxes, 3, NULL, 0, pairs, 4, &found) == BP_ERROR_BOX,
          "NaN in the first set, the second is empty");
    CHECK(bp_cuda_find_pairs_between_host(context, NULL, 0, boxes, 3, pairs, 4, &found) == BP_ERROR_BOX,
          "NaN in the second set, the first is empty");
    CHECK(bp_cuda_find_pairs_between_host(context, boxes, 2, NULL, 0, pairs, 4, &found) == BP_OK && found == 0,
          "the second set is empty");
    CHECK(bp_cuda_find_pairs_between_host(context, NULL, 0, NULL, 0, pairs, 4, &found) == BP_OK && found == 0,
          "both sets are empty");
    boxes[2].min[1] = 0;
    CHECK(bp_cuda_find_pairs_host(context, boxes, 3, pairs, 4, &found) == BP_OK && found == 3, "after mistakes");
    CHECK(bp_cuda_find_pairs_host(context, boxes, 0, pairs, 4, &found) == BP_OK && found == 0, "no boxes at all");
    CHECK(bp_cuda_find_pairs_host(context, boxes, 1, pairs, 4, &found) == BP_OK && found == 0, "one box");
    const bp_status status = bp_cuda_find_pairs_host(context, boxes, 3, pairs, UINT64_MAX / 64, &found);
    CHECK(status == BP_ERROR_MEMORY, "more memory than there is: %s", bp_status_text(status));
    CHECK(strstr(log, "bytes are needed") != NULL, "the log says: %s", log);
    CHECK(bp_cuda_find_pairs_host(context, boxes, 3, pairs, 4, &found) == BP_OK && found == 3, "after a failure");
    bp_cuda_destroy(context);
}

// Boxes of two dimensions, as rows of four, are found as those of three.
static void check_widening(void) {
    static bp_box boxes[COUNT];
    static float flat[4 * COUNT];
    const bp_config config = {.dimensions = 2, .pair_order = BP_ORDER_SORTED};
    fill(boxes, COUNT, 12.0f, 0.5f, 2.0f, 31);
    for (size_t i = 0; i < COUNT; ++i) {
        const float row[4] = {boxes[i].min[0], boxes[i].min[1], boxes[i].max[0], boxes[i].max[1]};
        memcpy(flat + 4 * i, row, sizeof row);
    }
    expected e = all_pairs(boxes, NULL, COUNT, &config);
    void *there = bp_cuda_test_copy(flat, sizeof flat), *wide = bp_cuda_test_copy(boxes, sizeof boxes);
    bp_cuda_context *context = NULL;
    uint64_t found = 0;
    CHECK(bp_cuda_create(&config, &context) == BP_OK, "widening");
    CHECK(bp_cuda_widen(there, 2 * (size_t)COUNT, NULL, wide) == BP_OK, "widening");
    CHECK(bp_cuda_find_pairs(context, wide, COUNT, NULL, NULL, 0, &found) == BP_OK && found == e.count && found > 0,
          "widened: %llu pairs instead of %zu", (unsigned long long)found, e.count);
    CHECK(bp_cuda_widen(NULL, 0, NULL, NULL) == BP_OK, "nothing to widen");
    CHECK(bp_cuda_widen(NULL, 1, NULL, wide) == BP_ERROR_ARGUMENT, "nothing to read");
    CHECK(bp_cuda_widen(there, 1, NULL, NULL) == BP_ERROR_ARGUMENT, "nowhere to write");
    bp_cuda_destroy(context);
    bp_cuda_test_free(there);
    bp_cuda_test_free(wide);
    free(e.data);
}

// Devices and their memory.
static void check_memory(void) {
    int before = -1, device = -1;
    void *data = NULL;
    CHECK(bp_cuda_use_device(0, &before) == BP_OK && before >= 0, "the current device is %d", before);
    CHECK(bp_cuda_use_device(100000, NULL) == BP_ERROR_ARGUMENT, "a device that is not there");
    CHECK(bp_cuda_allocate(1000, &data) == BP_OK && data != NULL, "a thousand bytes");
    CHECK(bp_cuda_device_of(data, &device) == BP_OK && device == 0, "its device is %d", device);
    CHECK(bp_cuda_device_of(&device, &before) == BP_ERROR_ARGUMENT, "memory of the host");
    bp_cuda_release(data);
    check_widening();
    CHECK(bp_cuda_allocate((size_t)1 << 50, &data) == BP_ERROR_MEMORY && data == NULL, "more than there is");
    CHECK(bp_cuda_allocate(0, &data) == BP_OK && data != NULL, "no bytes");
    bp_cuda_release(data);
}

int main(void) {
    if (no_device()) {
        return SKIPPED;
    }
    check_mistakes();
    check_scenes();
    check_periods();
    check_filters();
    check_two_sets();
    check_skew();
    check_distributed();
    check_memory();
    return failures > 0;
}
