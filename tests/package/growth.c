// A program that growth.sh compiles against the structs as they were before a field was added, or as they may be when one is:
// in either case the library must read and write as many bytes as the program has given it room for. `LATER` is the value of
// the field that the library does not know yet.
#include <broadphase/broadphase.h>

#include <stdio.h>
#include <string.h>

enum { GUARD = 64, UNTOUCHED = 0x5a };

// What the library fills, and bytes behind it that it must leave alone.
static struct {
    bp_result result;
    unsigned char guard_of_result[GUARD];
    bp_stats stats;
    unsigned char guard_of_stats[GUARD];
} room;

static int logged;

static void count_line(void *context, const char *text) {
    (void)context;
    logged += strstr(text, "reserved") != NULL;
}

static int is_untouched(const unsigned char *guard) {
    for (int i = 0; i < GUARD; ++i) {
        if (guard[i] != UNTOUCHED) return 0;
    }
    return 1;
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "growth.c:%d: %s\n", __LINE__, #condition);                                                \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

#ifdef LATER
static int what_is_not_known_is_refused(bp_config config) {
    const bp_box box = {{0, 0, 0}, {1, 1, 1}};
    bp_world *world = NULL;
    bp_id id;
    config.added = LATER;
    CHECK(bp_world_create(&config, &world) == BP_ERROR_ARGUMENT && logged == 1);
    config.added = 0;
    CHECK(bp_world_create(&config, &world) == BP_OK);
    CHECK(bp_add(world, &box, &(bp_object){.added = LATER}, &id) == BP_ERROR_ARGUMENT && logged == 2);
    bp_world_destroy(world);
    return 0;
}
#endif

static int play(bp_world *world, const bp_config *config) {
    const bp_box boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {2, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}};
    const bp_object objects[3] = {{.group = 1, .mask = 2}, {.group = 2}, {.group = 4, .mask = 2, .flags = BP_STATIC}};
    const bp_ray ray = {{-1, 0.5f, 0.5f}, {1, 0, 0}, 10};
    bp_object back;
    bp_ray_hit hit;
    bp_pairs pairs = {0};
    CHECK(bp_add_many(world, 3, boxes, objects, NULL) == BP_OK);
    CHECK(bp_update(world, &room.result) == BP_OK);
    CHECK(room.result.pair_count == 2 && room.result.begun_count == 2 && room.result.ended_count == 0);
    CHECK(room.result.stats.objects == 3 && room.result.stats.pairs == 2);
    CHECK(bp_get_object(world, 2, NULL, &back) == BP_OK && memcmp(&back, &objects[2], sizeof back) == 0);
    CHECK(bp_query_ray(world, &ray, &objects[1], &hit, 1, NULL) == BP_OK && hit.id == 0 && hit.t == 1.0f);
    CHECK(bp_world_stats(world, &room.stats) == BP_OK && room.stats.objects == 3);
    CHECK(bp_find_pairs(boxes, 3, config, &pairs) == BP_OK && pairs.count == 2 && room.stats.pairs == 2);
    bp_pairs_free(&pairs, config);
    CHECK(is_untouched(room.guard_of_result) && is_untouched(room.guard_of_stats));
    return 0;
}

int main(void) {
    memset(&room, UNTOUCHED, sizeof room);
    bp_config config = {.flags = BP_EVENTS, .log = {.write = count_line}, .stats = &room.stats};
    bp_world *world = NULL;
    CHECK(bp_world_create(&config, &world) == BP_OK);
    int failed = play(world, &config);
#ifdef LATER
    failed |= what_is_not_known_is_refused(config);
#endif
    bp_world_destroy(world);
    return failed;
}
