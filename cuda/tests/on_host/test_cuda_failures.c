// What a device can refuse: memory, and kernels. Every such failure is reported, and the context works on.
#include "../checks.h"

#include "on_host.h"
#include "plan.h"

enum { COUNT = BP_CUDA_PARTITION_LEAST, POINTS = 500 };

static const uint64_t ENOUGH = (uint64_t)4 << 30;

static bp_box boxes[COUNT];
static float points[3 * POINTS];
static bp_pair pairs[8 * COUNT], expected[8 * COUNT];
static uint64_t offsets[POINTS + 1];
static uint32_t indices[POINTS * POINTS];

static void fill(void) {
    uint64_t state = 9;
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = random_between(&state, 0.0f, 30.0f);
            boxes[i].max[axis] = boxes[i].min[axis] + random_between(&state, 0.5f, 1.0f);
        }
    }
    for (size_t i = 0; i < 3 * (size_t)POINTS; ++i) {
        points[i] = random_between(&state, 0.0f, 5.0f);
    }
}

typedef bp_status (*search)(bp_cuda_context *context, uint64_t *found);

static bp_status find_few(bp_cuda_context *context, uint64_t *found) {
    return bp_cuda_find_pairs_host(context, boxes, 300, pairs, 8 * COUNT, found);
}

static bp_status find_many(bp_cuda_context *context, uint64_t *found) {
    return bp_cuda_find_pairs_host(context, boxes, COUNT, pairs, 8 * COUNT, found);
}

static bp_status find_between(bp_cuda_context *context, uint64_t *found) {
    return bp_cuda_find_pairs_between_host(context, boxes, 200, boxes + 300, 500, pairs, 8 * COUNT, found);
}

static bp_status find_neighbors(bp_cuda_context *context, uint64_t *found) {
    return bp_cuda_find_neighbors_host(context, points, POINTS, 2.0f, offsets, indices, POINTS * POINTS, found);
}

// In 64 bits arrays are on the device.
enum { DOUBLES = 1500 };
static void *double_boxes, *double_points, *double_room;

static void copy_doubles(void) {
    static bp_box_double there[DOUBLES];
    for (size_t i = 0; i < DOUBLES; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            there[i].min[axis] = 0.2 * (double)boxes[i].min[axis];
            there[i].max[axis] = 0.2 * (double)boxes[i].max[axis];
        }
    }
    double_boxes = bp_cuda_test_copy(there, sizeof there);
    double_points = bp_cuda_test_copy(there, 3 * DOUBLES * sizeof(double));
    double_room = bp_cuda_test_copy(pairs, sizeof pairs);
}

static void free_doubles(void) {
    bp_cuda_test_free(double_boxes);
    bp_cuda_test_free(double_points);
    bp_cuda_test_free(double_room);
}

static bp_status find_double(bp_cuda_context *context, uint64_t *found) {
    return bp_cuda_find_pairs_between_double(context, double_boxes, DOUBLES, double_boxes, DOUBLES / 2, NULL,
                                             double_room, 8 * COUNT, found);
}

static bp_status find_neighbors_double(bp_cuda_context *context, uint64_t *found) {
    uint32_t *room = double_room;
    return bp_cuda_find_neighbors_double(context, double_points, DOUBLES, 1.0, NULL, double_room,
                                         room + 2 * (DOUBLES + 1), 8 * COUNT, found);
}

// Each launch fails once, and each piece of memory.
static void check_search(search find, const bp_config *config, const char *what) {
    uint64_t right = 0, found = 0, failed = 0;
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(config, &context) == BP_OK && find(context, &right) == BP_OK && right > 0, "%s", what);
    for (bp_status status = BP_ERROR_INTERNAL; status != BP_OK && failed < 1000;) {
        bp_cuda_on_host.fail = ++failed;
        status = find(context, &found);
        CHECK(status == BP_ERROR_INTERNAL || (status == BP_OK && bp_cuda_on_host.fail > 0), "%s: launch %llu: %s", what,
              (unsigned long long)failed, bp_status_text(status));
    }
    bp_cuda_on_host.fail = 0;
    CHECK(failed > 5 && find(context, &found) == BP_OK && found == right, "%s: after a failed launch", what);
    bp_cuda_destroy(context);
    const uint64_t used = bp_cuda_on_host.used;
    uint64_t short_of = 0;
    for (bool done = false; !done && short_of < 1000; ++short_of) {
        bp_status status = bp_cuda_create(config, &context);
        bp_cuda_on_host.memory = bp_cuda_on_host.used + short_of * 65536;
        status = status == BP_OK ? find(context, &found) : status;
        bp_cuda_on_host.memory = ENOUGH;
        CHECK(status == BP_ERROR_MEMORY || status == BP_OK, "%s: %s", what, bp_status_text(status));
        done = status == BP_OK;
        CHECK(find(context, &found) == BP_OK && found == right, "%s: after too little memory", what);
        bp_cuda_destroy(context);
        CHECK(bp_cuda_on_host.used == used, "%s: memory is left", what);
    }
    CHECK(short_of > 5, "%s: no memory was short", what);
    printf("%s: %llu launches, %llu amounts of memory\n", what, (unsigned long long)failed,
           (unsigned long long)short_of);
}

// With too little memory for distributing boxes, they are sorted, and the same bytes come out.
static void check_short(void) {
    bp_cuda_context *context = NULL;
    bp_cuda_stats stats;
    uint64_t right = 0, found = 0;
    CHECK(bp_cuda_create(NULL, &context) == BP_OK && find_many(context, &right) == BP_OK, "many");
    CHECK(bp_cuda_get_stats(context, &stats) == BP_OK && stats.distributed == 1, "not distributed");
    memcpy(expected, pairs, right * sizeof *pairs);
    bp_cuda_destroy(context);
    bp_cuda_on_host.memory = (uint64_t)60 << 20;
    CHECK(bp_cuda_create(NULL, &context) == BP_OK && find_many(context, &found) == BP_OK, "many in little memory");
    CHECK(bp_cuda_get_stats(context, &stats) == BP_OK && stats.distributed == 0, "distributed");
    CHECK(found == right && memcmp(expected, pairs, right * sizeof *pairs) == 0, "other pairs in little memory");
    bp_cuda_destroy(context);
    bp_cuda_on_host.memory = ENOUGH;
}

int main(void) {
    char log[512] = "";
    const bp_config config = {.pair_order = BP_ORDER_SORTED, .log = {keep_log, log}};
    const bp_config periodic = {.period = {40, 40, 40}, .log = {keep_log, log}};
    fill();
    check_search(find_few, &config, "few boxes");
    check_search(find_between, &periodic, "two sets");
    check_search(find_neighbors, &periodic, "neighbours");
    copy_doubles();
    check_search(find_double, &config, "two sets of 64 bits");
    check_search(find_neighbors_double, &periodic, "neighbours of 64 bits");
    free_doubles();
    check_short();
    bp_cuda_on_host.memory = 0;
    bp_cuda_context *context = NULL;
    CHECK(bp_cuda_create(&config, &context) == BP_ERROR_MEMORY && context == NULL, "no memory at all");
    CHECK(bp_cuda_on_host.pinned == 0 && bp_cuda_on_host.allocations == 0, "memory is left");
    return failures > 0;
}
