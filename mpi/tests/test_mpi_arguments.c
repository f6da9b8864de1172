// Every argument of every collective call, wrong on one rank only: the same error on all ranks, a line in the log of
// at least one, the world as before. A call that does not agree hangs; the test then runs into its time limit.
#include "together.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 40 };

static bp_box boxes[COUNT];
static char last_line[512];

static void keep_line(void *context, const char *text) {
    (void)context;
    (void)snprintf(last_line, sizeof last_line, "%s", text);
}

static bool is_wrong_rank(void) {
    return my_rank == rank_count - 1;
}

// The same status everywhere, and a line in some log that holds `word`.
static void expect(bp_status status, bp_status expected, const char *word) {
    int mine[2] = {(int)status, -(int)status}, most[2];
    int said = strstr(last_line, word) != NULL && strchr(last_line, '\n') == NULL, any;
    MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&said, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (status != expected || !any) {
        fprintf(stderr, "status %d, expected %d; '%s' expected in '%s'\n", (int)status, (int)expected, word, last_line);
    }
    CHECK(most[0] == -most[1]);
    CHECK(status == expected);
    CHECK(any);
    last_line[0] = '\0';
}

static bp_mpi_config logged(void) {
    return (bp_mpi_config){.local = {.log = {.write = keep_line}}};
}

static void make_boxes(void) {
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (float)((i * (7 + (size_t)axis)) % 11);
            boxes[i].max[axis] = boxes[i].min[axis] + 1.0f;
        }
    }
}

static bp_mpi_world *make_world(void) {
    bp_mpi_world *world;
    const bp_mpi_config config = logged();
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world) == BP_OK);
    add_share(world, boxes, COUNT, SHARE_EVENLY);
    CHECK(bp_mpi_update(world, NULL) == BP_OK);
    last_line[0] = '\0';
    return world;
}

static void end_world(bp_mpi_world *world) {
    CHECK(bp_mpi_world_count(world) == COUNT);
    CHECK(bp_mpi_world_validate(world) == BP_OK);
    pair_list found = update_and_gather(world), expected = expected_pairs(boxes, COUNT, NULL);
    check_same(&found, &expected, "pairs");
    pair_list_free(&found);
    pair_list_free(&expected);
    bp_mpi_world_destroy(world);
}

// ---- creating ------------------------------------------------------------------------------------------------------

static void no_place_for_the_world(void) {
    const bp_mpi_config config = logged();
    bp_mpi_world *world = (bp_mpi_world *)boxes;
    expect(bp_mpi_world_create(MPI_COMM_WORLD, &config, is_wrong_rank() ? NULL : &world), BP_ERROR_ARGUMENT, "world");
    CHECK(is_wrong_rank() || world == NULL);
    world = (bp_mpi_world *)boxes;
    expect(bp_mpi_world_load(MPI_COMM_WORLD, &config, "missing", is_wrong_rank() ? NULL : &world), BP_ERROR_ARGUMENT,
           "world");
    CHECK(is_wrong_rank() || world == NULL);
}

static void *never(void *context, size_t size) {
    (void)context;
    (void)size;
    return NULL;
}

static void configs_that_one_rank_gets_wrong(void) {
    const struct {
        bp_mpi_config config;
        bp_status status;
        const char *word;
        bool alone; // wrong by itself; otherwise only because it differs
    } cases[] = {
        {{.partition = (bp_mpi_partition)7}, BP_ERROR_ARGUMENT, "partition", true},
        {{.imbalance = 0.5f}, BP_ERROR_ARGUMENT, "imbalance", true},
        {{.reserved = {0, 0, 0, 1}}, BP_ERROR_ARGUMENT, "config.reserved", true},
        {{.local = {.reserved = {1}}}, BP_ERROR_ARGUMENT, "config.reserved", true},
        {{.imbalance = NAN}, BP_ERROR_ARGUMENT, "imbalance", true},
        {{.user_bytes = 65537}, BP_ERROR_ARGUMENT, "user_bytes", true},
        {{.message_limit = UINT32_MAX}, BP_ERROR_ARGUMENT, "message_limit", true},
        {{.local = {.margin = 1.0f}}, BP_ERROR_UNSUPPORTED, "margin", true},
        {{.local = {.flags = 1u << 30}}, BP_ERROR_UNSUPPORTED, "flags", true},
        {{.local = {.dimensions = 4}}, BP_ERROR_ARGUMENT, "dimensions", true},
        {{.local = {.shape = (bp_shape)9}}, BP_ERROR_ARGUMENT, "shape", true},
        {{.local = {.period = {-1.0f, 0, 0}}}, BP_ERROR_ARGUMENT, "period", true},
        {{.local = {.allocator = {.allocate = never}}}, BP_ERROR_ARGUMENT, "allocator", true},
        {{.partition = BP_MPI_HSFC}, BP_ERROR_ARGUMENT, "config.partition", false},
        {{.imbalance = 3.0f}, BP_ERROR_ARGUMENT, "config.imbalance", false},
        {{.balance_interval = 1}, BP_ERROR_ARGUMENT, "config.balance_interval", false},
        {{.broadcast_above = 1}, BP_ERROR_ARGUMENT, "config.broadcast_above", false},
        {{.user_bytes = 4}, BP_ERROR_ARGUMENT, "config.user_bytes", false},
        {{.message_limit = 64}, BP_ERROR_ARGUMENT, "config.message_limit", false},
        {{.local = {.dimensions = 2}}, BP_ERROR_ARGUMENT, "config.local.dimensions", false},
        {{.local = {.shape = BP_SHAPE_SPHERES}}, BP_ERROR_ARGUMENT, "config.local.shape", false},
        {{.local = {.period = {0, 0, 5.0f}}}, BP_ERROR_ARGUMENT, "config.local.period[2]", false},
        {{.local = {.flags = BP_EVENTS}}, BP_ERROR_ARGUMENT, "config.local.flags", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (!cases[i].alone && rank_count == 1) continue;
        describe("config %zu: %s", i, cases[i].word);
        bp_mpi_config config = is_wrong_rank() ? cases[i].config : (bp_mpi_config){0};
        config.local.log.write = keep_line;
        bp_mpi_world *world = NULL;
        expect(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world), cases[i].status, cases[i].word);
        CHECK(world == NULL);
    }
}

// ---- changing ------------------------------------------------------------------------------------------------------

static void arguments_of_add(void) {
    bp_mpi_world *world = make_world();
    const bool wrong = is_wrong_rank();
    const uint64_t fresh = 1000 + (uint64_t)my_rank, old = 3, high = UINT64_MAX - 5;
    const bp_box inverted = {{1, 0, 0}, {0, 1, 1}};
    const bp_object strange = {.flags = 64};
    expect(bp_mpi_add_many(world, wrong ? SIZE_MAX : 1, &fresh, boxes, NULL, NULL, NULL), BP_ERROR_ARGUMENT, "objects");
    expect(bp_mpi_add_many(world, 1, &fresh, wrong ? NULL : boxes, NULL, NULL, NULL), BP_ERROR_ARGUMENT, "boxes");
    expect(bp_mpi_add_many(world, 1, &fresh, wrong ? &inverted : boxes, NULL, NULL, NULL), BP_ERROR_BOX, "boxes[0]");
    expect(bp_mpi_add_many(world, 1, &fresh, boxes, wrong ? &strange : NULL, NULL, NULL), BP_ERROR_ARGUMENT,
           "objects[0]");
    expect(bp_mpi_add_many(world, 1, wrong ? &high : &fresh, boxes, NULL, NULL, NULL), BP_ERROR_ID,
           "18446744073709551610");
    // The last id is taken, so none is left to give.
    const uint64_t last_id = (UINT64_C(1) << 63) - 2;
    CHECK(bp_mpi_add_many(world, wrong, &last_id, boxes, NULL, NULL, NULL) == BP_OK);
    expect(bp_mpi_add_many(world, wrong, NULL, boxes, NULL, NULL, NULL), BP_ERROR_CAPACITY, "ids");
    CHECK(bp_mpi_remove_many(world, wrong, &last_id) == BP_OK);
    expect(bp_mpi_add_many(world, 1, wrong ? &old : &fresh, boxes, NULL, NULL, NULL), BP_ERROR_ID, "the id 3 ");
    if (rank_count > 1) {
        expect(bp_mpi_add_many(world, 1, wrong ? NULL : &fresh, boxes, NULL, NULL, NULL), BP_ERROR_ARGUMENT, "ids");
    }
    end_world(world);
}

static void arguments_of_move(void) {
    bp_mpi_world *world = make_world();
    const bool wrong = is_wrong_rank();
    const uint64_t own = (uint64_t)my_rank, unknown = 5000;
    const bp_box inverted = {{1, 0, 0}, {0, 1, 1}};
    bp_mpi_objects mine;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    expect(bp_mpi_move_many(world, wrong ? mine.count + 1 : mine.count, NULL, boxes), BP_ERROR_ARGUMENT, "count");
    expect(bp_mpi_move_many(world, wrong ? SIZE_MAX : mine.count, NULL, boxes), BP_ERROR_ARGUMENT, "count");
    expect(bp_mpi_move_many(world, wrong ? mine.count + (mine.count == 0) : mine.count, NULL, wrong ? NULL : boxes),
           BP_ERROR_ARGUMENT, "rank");
    expect(bp_mpi_move_many(world, 1, &own, wrong ? NULL : boxes), BP_ERROR_ARGUMENT, "boxes");
    expect(bp_mpi_move_many(world, 1, &own, wrong ? &inverted : &boxes[my_rank]), BP_ERROR_BOX, "boxes[0]");
    expect(bp_mpi_move_many(world, 1, wrong ? &unknown : &own, &boxes[my_rank]), BP_ERROR_ID, "id 5000");
    end_world(world);
}

static void arguments_of_set_and_remove(void) {
    bp_mpi_world *world = make_world();
    const bool wrong = is_wrong_rank();
    const uint64_t own = (uint64_t)my_rank, unknown = 5000;
    const bp_object strange = {.flags = 64}, plain = {0};
    bp_mpi_objects mine;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    expect(bp_mpi_set_many(world, wrong ? mine.count + 1 : 0, NULL, &plain, NULL), BP_ERROR_ARGUMENT, "count");
    expect(bp_mpi_set_many(world, 1, &own, wrong ? &strange : &plain, NULL), BP_ERROR_ARGUMENT, "objects[0]");
    expect(bp_mpi_set_many(world, 1, wrong ? &unknown : &own, &plain, NULL), BP_ERROR_ID, "id 5000");
    expect(bp_mpi_remove_many(world, wrong, NULL), BP_ERROR_ARGUMENT, "ids");
    expect(bp_mpi_remove_many(world, 1, wrong ? &unknown : &own), BP_ERROR_ID, "id 5000");
    const uint64_t twice[2] = {own, own};
    expect(bp_mpi_remove_many(world, wrong ? 2 : 1, twice), BP_ERROR_ID, "twice");
    end_world(world);
}

// ---- asking --------------------------------------------------------------------------------------------------------

static void arguments_of_questions(void) {
    bp_mpi_world *world = make_world();
    const bool wrong = is_wrong_rank();
    const uint64_t own = (uint64_t)my_rank;
    int owner;
    expect(bp_mpi_find_owners(world, 1, wrong ? NULL : &own, &owner), BP_ERROR_ARGUMENT, "ids");
    expect(bp_mpi_find_owners(world, 1, &own, wrong ? NULL : &owner), BP_ERROR_ARGUMENT, "ranks");
    // Local calls, on all ranks.
    expect(bp_mpi_get(world, 5000, NULL, NULL, NULL), BP_ERROR_ID, "id 5000");
    expect(bp_mpi_owned(world, NULL), BP_ERROR_ARGUMENT, "objects");
    expect(bp_mpi_owned_boxes(world, NULL), BP_ERROR_ARGUMENT, "boxes");
    expect(bp_mpi_world_stats(world, NULL), BP_ERROR_ARGUMENT, "stats");
    end_world(world);
}

// ---- files ---------------------------------------------------------------------------------------------------------

static void paths_that_one_rank_gets_wrong(void) {
    bp_mpi_world *world = make_world(), *loaded = NULL;
    const bp_mpi_config config = logged();
    const bool wrong = is_wrong_rank();
    char path[64] = "", other[80], longer[5000] = "";
    if (my_rank == 0) (void)snprintf(path, sizeof path, "/tmp/bp_mpi_arguments.%ld", (long)getpid());
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    (void)snprintf(other, sizeof other, "%s.other", path);
    memset(longer, 'x', sizeof longer - 1);
    expect(bp_mpi_world_save(world, wrong ? NULL : path), BP_ERROR_ARGUMENT, "path");
    expect(bp_mpi_world_save(world, wrong ? "" : path), BP_ERROR_ARGUMENT, "path");
    expect(bp_mpi_world_save(world, wrong ? longer : path), BP_ERROR_ARGUMENT, "path");
    expect(bp_mpi_world_save(world, "/nowhere/to/be/found"), BP_ERROR_ARGUMENT, "/nowhere/to/be/found");
    CHECK(bp_mpi_world_save(world, path) == BP_OK);
    expect(bp_mpi_world_load(MPI_COMM_WORLD, &config, wrong ? NULL : path, &loaded), BP_ERROR_ARGUMENT, "path");
    expect(bp_mpi_world_load(MPI_COMM_WORLD, &config, wrong ? "" : path, &loaded), BP_ERROR_ARGUMENT, "path");
    expect(bp_mpi_world_load(MPI_COMM_WORLD, &config, "/nowhere", &loaded), BP_ERROR_ARGUMENT, "/nowhere");
    if (rank_count > 1) {
        expect(bp_mpi_world_save(world, wrong ? other : path), BP_ERROR_ARGUMENT, "path");
        expect(bp_mpi_world_load(MPI_COMM_WORLD, &config, wrong ? other : path, &loaded), BP_ERROR_ARGUMENT, "path");
    }
    CHECK(loaded == NULL);
    CHECK(bp_mpi_world_load(MPI_COMM_WORLD, &config, path, &loaded) == BP_OK);
    end_world(loaded);
    end_world(world);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0) CHECK(remove(path) == 0);
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    make_boxes();
    RUN(no_place_for_the_world);
    RUN(configs_that_one_rank_gets_wrong);
    RUN(arguments_of_add);
    RUN(arguments_of_move);
    RUN(arguments_of_set_and_remove);
    RUN(arguments_of_questions);
    RUN(paths_that_one_rank_gets_wrong);
    MPI_Finalize();
    return 0;
}
