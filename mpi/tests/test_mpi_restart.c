// Saving and loading: on as many ranks, and on fewer, in the same run.
#include "together.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1200, STEPS = 3, USER_BYTES = 3 };

static const char *path = "test_mpi_restart.world";
static bp_box boxes[COUNT];

static void move_model(dice *random) {
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const float by = (float)(throw_unit(random) - 0.5) * 0.5f;
            boxes[i].min[axis] += by;
            boxes[i].max[axis] += by;
        }
    }
}

static void make_model(dice *random) {
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (float)(throw_unit(random) * 9.0);
            boxes[i].max[axis] = boxes[i].min[axis] + (i % 100 == 0 ? 6.0f : 1.0f);
        }
    }
}

static bp_mpi_config the_config(void) {
    return (bp_mpi_config){
        .local = {.flags = BP_EVENTS, .log = test_log()}, .user_bytes = USER_BYTES, .message_limit = 1000};
}

static void user_of(uint64_t id, unsigned char user[USER_BYTES]) {
    for (int i = 0; i < USER_BYTES; ++i) user[i] = (unsigned char)(id >> (8 * i));
}

static void add_all(bp_mpi_world *world) {
    static uint64_t ids[COUNT];
    static bp_box mine[COUNT];
    static unsigned char user[COUNT * USER_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        if (!is_my_share(SHARE_EVENLY, i)) continue;
        ids[count] = i;
        mine[count] = boxes[i];
        user_of(i, user + count++ * USER_BYTES);
    }
    CHECK(bp_mpi_add_many(world, count, ids, mine, NULL, user, NULL) == BP_OK);
}

static void move_all(bp_mpi_world *world) {
    static bp_box next[COUNT];
    bp_mpi_objects mine;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    for (size_t i = 0; i < mine.count; ++i) next[i] = boxes[mine.ids[i]];
    CHECK(bp_mpi_move_many(world, mine.count, NULL, next) == BP_OK);
}

// Pairs and events of a world on some of the ranks; the others pass NULL.
static void step_and_gather(bp_mpi_world *world, pair_list lists[3]) {
    bp_mpi_result result = {0};
    if (world != NULL) {
        move_all(world);
        CHECK(bp_mpi_update(world, &result) == BP_OK);
    }
    lists[0] = gather_pairs(result.pairs, result.pair_count);
    lists[1] = gather_pairs(result.begun, result.begun_count);
    lists[2] = gather_pairs(result.ended, result.ended_count);
}

static void check_users(const bp_mpi_world *world) {
    bp_mpi_objects mine;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    for (size_t i = 0; i < mine.count; ++i) {
        unsigned char expected[USER_BYTES];
        user_of(mine.ids[i], expected);
        CHECK(memcmp((const char *)mine.user + i * USER_BYTES, expected, USER_BYTES) == 0);
    }
}

static void saved_on_all_ranks_loaded_on_fewer(void) {
    dice random = {21};
    const bp_mpi_config config = the_config();
    bp_mpi_world *world, *loaded = NULL;
    make_model(&random);
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world) == BP_OK);
    add_all(world);
    CHECK(bp_mpi_update(world, NULL) == BP_OK);
    CHECK(bp_mpi_world_save(world, path) == BP_OK);
    const int fewer = rank_count > 1 ? rank_count - 1 : 1; // 4 and 3 among them
    MPI_Comm some;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank < fewer ? 0 : MPI_UNDEFINED, my_rank, &some);
    if (my_rank < fewer) {
        CHECK(bp_mpi_world_load(some, &config, path, &loaded) == BP_OK);
        CHECK(bp_mpi_world_count(loaded) == COUNT);
        CHECK(bp_mpi_world_validate(loaded) == BP_OK);
    }
    for (int step = 0; step < STEPS; ++step) {
        describe("step %d after loading on %d ranks", step, fewer);
        static const char *const WHAT[3] = {"pairs", "begun", "ended"};
        pair_list expected[3], found[3];
        move_model(&random);
        step_and_gather(world, expected);
        step_and_gather(loaded, found);
        for (int i = 0; i < 3; ++i) {
            CHECK(my_rank != 0 || expected[i].count > 0);
            check_same(&found[i], &expected[i], WHAT[i]);
            pair_list_free(&expected[i]);
            pair_list_free(&found[i]);
        }
        if (loaded != NULL) check_users(loaded);
    }
    // New ids continue after the last.
    if (loaded != NULL) {
        uint64_t id = 0;
        CHECK(bp_mpi_add_many(loaded, 1, NULL, boxes, NULL, NULL, &id) == BP_OK && id >= COUNT);
        CHECK(bp_mpi_world_validate(loaded) == BP_OK);
        bp_mpi_world_destroy(loaded);
        MPI_Comm_free(&some);
    }
    bp_mpi_world_destroy(world);
}

// Changes one byte of the file, or cuts it off.
static void spoil(long position, bool cut) {
    if (my_rank == 0) {
        FILE *file = fopen(path, "r+b");
        CHECK(file != NULL);
        CHECK(fseek(file, position, SEEK_SET) == 0);
        const int byte = fgetc(file);
        CHECK(byte != EOF && fseek(file, position, SEEK_SET) == 0);
        CHECK(fputc(byte ^ 0x10, file) != EOF);
        CHECK(fclose(file) == 0);
        if (cut) CHECK(truncate(path, position) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void files_that_are_none(void) {
    dice random = {22};
    bp_mpi_config config = the_config();
    bp_mpi_world *world, *loaded;
    make_model(&random);
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world) == BP_OK);
    add_all(world);
    CHECK(bp_mpi_update(world, NULL) == BP_OK);
    const long places[] = {0, 8, 12, 20, 50, 90, 127, 128, 5000, 60000, 90000};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        for (int cut = 0; cut < 2; ++cut) {
            describe("byte %ld, cut %d", places[i], cut);
            CHECK(bp_mpi_world_save(world, path) == BP_OK);
            spoil(places[i], cut != 0);
            CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, path, &loaded) == BP_ERROR_ARGUMENT && loaded == NULL);
        }
    }
    CHECK(bp_mpi_world_save(world, path) == BP_OK);
    config.user_bytes = 4;
    CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, path, &loaded) == BP_ERROR_ARGUMENT && loaded == NULL);
    CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, "/nowhere/at all", &loaded) == BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, NULL, &loaded) == BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_world_save(world, "/nowhere/at all") == BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_world_save(world, my_rank == 0 ? NULL : path) == BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_update(world, NULL) == BP_OK);
    bp_mpi_world_destroy(world);
}

static void nothing_can_be_saved_too(void) {
    const bp_mpi_config config = the_config();
    bp_mpi_world *world, *loaded;
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world) == BP_OK);
    CHECK(bp_mpi_world_save(world, path) == BP_OK);
    CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, path, &loaded) == BP_OK);
    CHECK(bp_mpi_world_count(loaded) == 0);
    CHECK(bp_mpi_update(loaded, NULL) == BP_OK);
    bp_mpi_world_destroy(loaded);
    bp_mpi_world_destroy(world);
}

// A file of six cubes in a row, written before groups and masks had 64 bits.
static void files_of_version_1_are_loaded(void) {
    static const bp_object expected[6] = {{0},
                                          {.group = 1, .mask = 3, .flags = BP_STATIC, .user = 0x0123456789abcdef},
                                          {0},
                                          {0},
                                          {.group = 0x80000000u, .mask = 0xffffffffu, .island = 7, .user = 5},
                                          {.group = 2, .mask = 0x80000000u, .island = 7}};
    const bp_mpi_config config = {.local = {.flags = BP_EVENTS, .log = test_log()}, .user_bytes = 3};
    bp_mpi_world *world;
    bp_mpi_objects mine;
    bp_mpi_result result;
    CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, BROADPHASE_OLD_WORLD, &world) == BP_OK);
    CHECK(bp_mpi_world_count(world) == 6);
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    for (size_t i = 0; i < mine.count; ++i) {
        const bp_object *object = &mine.objects[i], *right = &expected[mine.ids[i]];
        const unsigned char *user = (const unsigned char *)mine.user + 3 * i;
        CHECK(object->group == right->group && object->mask == right->mask && object->flags == right->flags);
        CHECK(object->island == right->island && object->user == right->user);
        for (size_t k = 0; k < 3; ++k) CHECK(user[k] == 10 * mine.ids[i] + k);
    }
    CHECK(bp_mpi_update(world, &result) == BP_OK);
    int64_t counts[3] = {(int64_t)result.pair_count, (int64_t)result.begun_count, (int64_t)result.ended_count};
    MPI_Allreduce(MPI_IN_PLACE, counts, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(counts[0] == 4 && counts[1] == 0 && counts[2] == 0);
    bp_mpi_world_destroy(world);
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    static char name[64];
    (void)snprintf(name, sizeof name, "test_mpi_restart.%d.world", rank_count);
    path = name;
    RUN(nothing_can_be_saved_too);
    RUN(files_of_version_1_are_loaded);
    RUN(saved_on_all_ranks_loaded_on_fewer);
    RUN(files_that_are_none);
    if (my_rank == 0) (void)remove(path);
    MPI_Finalize();
    return 0;
}
