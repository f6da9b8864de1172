// Wrong calls, refused memory and a failing MPI: the same error on all ranks, no deadlock, the world as before.
#include "together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- faults on demand ----------------------------------------------------------------------------------------------

// The profiling interface lets a test stand between the library and MPI. Only the library's own calls fail: Zoltan
// ignores what its calls return.
static int calls_until_failure = -1;

static bool fails_now(void) {
    return calls_until_failure >= 0 && calls_until_failure-- == 0;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
    return type == MPI_INT64_T && fails_now() ? MPI_ERR_OTHER : PMPI_Allreduce(from, to, count, type, operation, comm);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    const int code = PMPI_Waitall(count, requests, statuses);
    return statuses == MPI_STATUSES_IGNORE && fails_now() ? MPI_ERR_OTHER : code;
}

// An allocator that fails the n-th time, on one rank.
typedef struct stingy {
    long left; // negative: never refuses
    long taken;
    size_t held;
} stingy;

static void *stingy_allocate(void *context, size_t size) {
    stingy *self = context;
    ++self->taken;
    if (self->left >= 0 && self->left-- == 0) return NULL;
    self->held += size;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void stingy_release(void *context, void *memory, size_t size) {
    ((stingy *)context)->held -= size;
    free(memory);
}

static bp_allocator allocator_of(stingy *self) {
    return (bp_allocator){.allocate = stingy_allocate, .release = stingy_release, .context = self};
}

// ---- a world to try things on --------------------------------------------------------------------------------------

enum { COUNT = 300 };

static bp_box boxes[COUNT], moved[COUNT];

static void make_boxes(void) {
    dice random = {3};
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i].min[axis] = (float)(throw_unit(&random) * 7.0);
            boxes[i].max[axis] = boxes[i].min[axis] + (i == 0 ? 7.0f : 1.0f);
            moved[i].min[axis] = boxes[i].min[axis] + (float)throw_unit(&random);
            moved[i].max[axis] = moved[i].min[axis] + 1.0f;
        }
    }
}

static bp_mpi_world *open_world(const bp_mpi_config *config) {
    bp_mpi_world *world;
    bp_mpi_config used = *config;
    used.local.log = test_log();
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &used, &world) == BP_OK);
    return world;
}

static void expect_pairs(bp_mpi_world *world, const bp_box *of, size_t count) {
    pair_list found = update_and_gather(world), expected = expected_pairs(of, count, NULL);
    check_same(&found, &expected, "pairs");
    pair_list_free(&found);
    pair_list_free(&expected);
}

static void expect_status(bp_status status, bp_status expected) {
    int mine = (int)status, least, most;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(least == most);
    CHECK(status == expected);
}

// ---- wrong calls ---------------------------------------------------------------------------------------------------

static void an_invalid_box_on_one_rank(void) {
    const bp_mpi_config config = {0};
    const bp_box wrong[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 2}, {1, 1, 1}}};
    const bp_box unknown = {{0, NAN, 0}, {1, 1, 1}};
    const int last = rank_count - 1;
    bp_mpi_world *world = open_world(&config);
    add_share(world, boxes, COUNT, SHARE_EVENLY);
    expect_pairs(world, boxes, COUNT);
    const uint64_t ids[2] = {1, 2}, fresh[2] = {COUNT + 2 * (uint64_t)my_rank, COUNT + 2 * (uint64_t)my_rank + 1};
    expect_status(bp_mpi_add_many(world, 2, fresh, my_rank == last ? wrong : boxes, NULL, NULL, NULL), BP_ERROR_BOX);
    expect_status(bp_mpi_move_many(world, 2, ids, my_rank == last ? wrong : boxes), BP_ERROR_BOX);
    expect_status(bp_mpi_move_many(world, 1, ids, my_rank == 0 ? &unknown : boxes), BP_ERROR_BOX);
    const bp_object strange = {.flags = 4};
    expect_status(bp_mpi_add_many(world, my_rank == last, fresh, boxes, &strange, NULL, NULL), BP_ERROR_ARGUMENT);
    expect_status(bp_mpi_set_many(world, my_rank == last, ids, &strange, NULL), BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_world_count(world) == COUNT);
    expect_pairs(world, boxes, COUNT);
    CHECK(bp_mpi_world_validate(world) == BP_OK);
    bp_mpi_world_destroy(world);
}

static void wrong_arguments_on_one_rank(void) {
    const bp_mpi_config config = {0};
    bp_mpi_world *world = open_world(&config);
    bp_mpi_objects mine;
    add_share(world, boxes, COUNT, SHARE_EVENLY);
    expect_pairs(world, boxes, COUNT);
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    const int last = rank_count - 1;
    const uint64_t id = 5, next = 1000 + (uint64_t)my_rank;
    expect_status(bp_mpi_move_many(world, mine.count + (my_rank == last), NULL, boxes), BP_ERROR_ARGUMENT);
    expect_status(bp_mpi_move_many(world, mine.count, mine.ids, my_rank == last && mine.count > 0 ? NULL : boxes),
                  mine.count > 0 || rank_count > 1 ? BP_ERROR_ARGUMENT : BP_OK);
    expect_status(bp_mpi_add_many(world, 1, &next, my_rank == last ? NULL : boxes, NULL, NULL, NULL),
                  BP_ERROR_ARGUMENT);
    expect_status(bp_mpi_remove_many(world, my_rank == last, NULL), BP_ERROR_ARGUMENT);
    expect_status(bp_mpi_find_owners(world, my_rank == last, &id, NULL), BP_ERROR_ARGUMENT);
    if (rank_count > 1) {
        // Some give ids, others do not.
        expect_status(bp_mpi_add_many(world, 1, my_rank == last ? NULL : &next, boxes, NULL, NULL, NULL),
                      BP_ERROR_ARGUMENT);
    }
    CHECK(bp_mpi_update(NULL, NULL) == BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_add_many(NULL, 0, NULL, NULL, NULL, NULL, NULL) == BP_ERROR_ARGUMENT);
    CHECK(bp_mpi_get(world, COUNT + 5, NULL, NULL, NULL) == BP_ERROR_ID);
    CHECK(bp_mpi_owned(world, NULL) == BP_ERROR_ARGUMENT);
    CHECK(strcmp(bp_mpi_status_text(BP_ERROR_MPI), bp_mpi_status_text(BP_OK)) != 0);
    expect_pairs(world, boxes, COUNT);
    bp_mpi_world_destroy(world);
}

static void ids_that_are_there_or_not(void) {
    const bp_mpi_config config = {0};
    const int last = rank_count - 1;
    bp_mpi_world *world = open_world(&config);
    add_share(world, boxes, COUNT, SHARE_EVENLY);
    const uint64_t same[2] = {COUNT, COUNT}, old = 7, unknown = COUNT + 1, none = BP_MPI_NO_ID;
    for (int round = 0; round < 2; ++round) {
        describe("round %d", round);
        expect_status(bp_mpi_add_many(world, my_rank == last, &old, boxes, NULL, NULL, NULL), BP_ERROR_ID);
        expect_status(bp_mpi_add_many(world, my_rank == last ? 2 : 0, same, boxes, NULL, NULL, NULL), BP_ERROR_ID);
        expect_status(bp_mpi_add_many(world, my_rank == last, &none, boxes, NULL, NULL, NULL), BP_ERROR_ID);
        if (rank_count > 1) {
            expect_status(bp_mpi_add_many(world, 1, same, boxes, NULL, NULL, NULL), BP_ERROR_ID);
        }
        expect_status(bp_mpi_move_many(world, my_rank == last, &unknown, boxes), BP_ERROR_ID);
        expect_status(bp_mpi_remove_many(world, my_rank == last, &unknown), BP_ERROR_ID);
        const uint64_t twice[2] = {old, old};
        expect_status(bp_mpi_remove_many(world, my_rank == last ? 2 : 0, twice), BP_ERROR_ID);
        if (rank_count > 1) {
            expect_status(bp_mpi_remove_many(world, 1, &old), BP_ERROR_ID);
        }
        int owner = -2;
        CHECK(bp_mpi_find_owners(world, 1, &unknown, &owner) == BP_OK && owner == -1);
        CHECK(bp_mpi_find_owners(world, 1, &old, &owner) == BP_OK && owner >= 0 && owner < rank_count);
        CHECK(bp_mpi_world_count(world) == COUNT);
        CHECK(bp_mpi_world_validate(world) == BP_OK);
        expect_pairs(world, boxes, COUNT);
    }
    // Ids that the library gives come after all others, each once.
    uint64_t given[2];
    CHECK(bp_mpi_add_many(world, 2, NULL, moved, NULL, NULL, given) == BP_OK);
    CHECK(given[0] >= COUNT && given[1] == given[0] + 1);
    CHECK(bp_mpi_world_count(world) == COUNT + 2 * (uint64_t)rank_count);
    CHECK(bp_mpi_world_validate(world) == BP_OK);
    bp_mpi_world_destroy(world);
}

static void configs_that_are_wrong_or_differ(void) {
    bp_mpi_world *world = NULL;
    const bp_mpi_config wrong[] = {
        {.local = {.margin = 1.0f}},  {.local = {.flags = BP_PAIRS_FIXED}},
        {.local = {.dimensions = 5}}, {.imbalance = 0.5f},
        {.imbalance = NAN},           {.user_bytes = 1u << 20},
        {.message_limit = 1u << 31},  {.partition = (bp_mpi_partition)9},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        describe("config %zu", i);
        const bp_mpi_config good = {0};
        const bp_status status =
            bp_mpi_world_create(MPI_COMM_WORLD, my_rank == rank_count - 1 ? &wrong[i] : &good, &world);
        CHECK(status == BP_ERROR_ARGUMENT || status == BP_ERROR_UNSUPPORTED);
        expect_status(status, status);
        CHECK(world == NULL);
    }
    const bp_mpi_config mine = {.user_bytes = my_rank == 0 ? 4 : 0};
    const bp_status status = bp_mpi_world_create(MPI_COMM_WORLD, &mine, &world);
    CHECK(status == (rank_count > 1 ? BP_ERROR_ARGUMENT : BP_OK));
    bp_mpi_world_destroy(world);
    CHECK(bp_mpi_world_create(MPI_COMM_NULL, NULL, &world) == BP_ERROR_ARGUMENT && world == NULL);
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, NULL, NULL) == BP_ERROR_ARGUMENT);
    bp_mpi_world_destroy(NULL);
}

// ---- memory --------------------------------------------------------------------------------------------------------

typedef enum deed { DEED_ADD, DEED_UPDATE, DEED_MOVE, DEED_MOVE_NAMED, DEED_AGAIN, DEED_REMOVE, DEED_LAST, DEEDS } deed;

static bp_mpi_pair *last_begun, *last_ended;
static size_t last_begun_count, last_ended_count;

static void keep_events(const bp_mpi_result *result) {
    last_begun = realloc(last_begun, result->begun_count * sizeof *last_begun + 1);
    last_ended = realloc(last_ended, result->ended_count * sizeof *last_ended + 1);
    if (result->begun_count > 0) memcpy(last_begun, result->begun, result->begun_count * sizeof *last_begun);
    if (result->ended_count > 0) memcpy(last_ended, result->ended, result->ended_count * sizeof *last_ended);
    last_begun_count = result->begun_count;
    last_ended_count = result->ended_count;
}

static bp_status add_mine(bp_mpi_world *world) {
    uint64_t ids[COUNT];
    bp_box mine[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        if (!is_my_share(SHARE_EVENLY, i)) continue;
        ids[count] = i;
        mine[count++] = boxes[i];
    }
    return bp_mpi_add_many(world, count, ids, mine, NULL, NULL, NULL);
}

static bp_status move_owned(bp_mpi_world *world) {
    bp_mpi_objects mine;
    static bp_box next[COUNT];
    (void)bp_mpi_owned(world, &mine);
    for (size_t i = 0; i < mine.count; ++i) next[i] = moved[mine.ids[i]];
    return bp_mpi_move_many(world, mine.count, NULL, next);
}

static bp_status move_named(bp_mpi_world *world) {
    uint64_t ids[COUNT];
    bp_box mine[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i += 5) {
        if (!is_my_share(SHARE_EVENLY, i / 5)) continue;
        ids[count] = i;
        mine[count++] = boxes[i];
    }
    return bp_mpi_move_many(world, count, ids, mine);
}

static bp_status remove_named(bp_mpi_world *world) {
    uint64_t ids[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i += 7) {
        if (is_my_share(SHARE_EVENLY, i / 7)) ids[count++] = i;
    }
    return bp_mpi_remove_many(world, count, ids);
}

static bp_status perform(bp_mpi_world *world, deed what) {
    bp_mpi_result result = {0};
    bp_status status;
    switch (what) {
    case DEED_ADD: return add_mine(world);
    case DEED_MOVE: return move_owned(world);
    case DEED_MOVE_NAMED: return move_named(world);
    case DEED_REMOVE: return remove_named(world);
    default: status = bp_mpi_update(world, &result);
    }
    if (status == BP_OK) keep_events(&result);
    return status;
}

// The events after an action, from a run without failures.
static pair_list right_begun[DEEDS], right_ended[DEEDS];

static bool is_update(deed what) {
    return what == DEED_UPDATE || what == DEED_AGAIN || what == DEED_LAST;
}

static void learn(const bp_mpi_config *config) {
    bp_mpi_world *world = open_world(config);
    for (deed what = DEED_ADD; what < DEEDS; ++what) {
        CHECK(perform(world, what) == BP_OK);
        if (!is_update(what)) continue;
        right_begun[what] = gather_pairs(last_begun, last_begun_count);
        right_ended[what] = gather_pairs(last_ended, last_ended_count);
        CHECK(my_rank != 0 || right_begun[what].count + right_ended[what].count > 0);
    }
    bp_mpi_world_destroy(world);
}

// One action fails at its n-th allocation on one rank, for every n; afterwards the world works as if nothing had
// happened.
static void refuse_memory(deed victim, bp_mpi_partition partition, bool early) {
    bp_mpi_config config = {
        .local = {.flags = BP_EVENTS}, .partition = partition, .user_bytes = 5, .broadcast_above = 2};
    stingy memory = {.left = -1};
    config.local.allocator = allocator_of(&memory);
    learn(&config);
    CHECK(memory.held == 0);
    bool failed = true;
    const int unlucky = rank_count / 2;
    for (long refused = 0; failed; refused += early ? 1 : 3) {
        describe("deed %d, request %ld refused", (int)victim, refused);
        bp_mpi_world *world = open_world(&config);
        for (deed what = DEED_ADD; what < DEEDS; ++what) {
            memory.left = what == victim && my_rank == unlucky ? refused : -1;
            bp_status status = perform(world, what);
            memory.left = -1;
            if (what == victim) {
                failed = status != BP_OK;
                expect_status(status, failed ? BP_ERROR_MEMORY : BP_OK);
                if (failed) CHECK(bp_mpi_world_validate(world) == BP_OK);
                status = failed ? perform(world, what) : status;
            }
            CHECK(status == BP_OK);
            if (!is_update(what)) continue;
            pair_list begun = gather_pairs(last_begun, last_begun_count),
                      ended = gather_pairs(last_ended, last_ended_count);
            check_same(&begun, &right_begun[what], "begun");
            check_same(&ended, &right_ended[what], "ended");
            pair_list_free(&begun);
            pair_list_free(&ended);
        }
        bp_mpi_world_destroy(world);
        CHECK(memory.held == 0);
    }
    for (deed what = DEED_ADD; what < DEEDS; ++what) {
        pair_list_free(&right_begun[what]);
        pair_list_free(&right_ended[what]);
    }
}

static void refused_memory_in_every_deed(void) {
    for (deed what = DEED_ADD; what < DEEDS; ++what) {
        refuse_memory(what, BP_MPI_RCB, !is_quick());
        refuse_memory(what, BP_MPI_HSFC, !is_quick());
    }
}

static void refused_memory_while_creating(void) {
    bool failed = true;
    for (long refused = 0; failed; ++refused) {
        stingy memory = {.left = my_rank == 0 ? refused : -1};
        bp_mpi_world *world = NULL;
        const bp_mpi_config config = {.local = {.allocator = allocator_of(&memory)}};
        const bp_status status = bp_mpi_world_create(MPI_COMM_WORLD, &config, &world);
        failed = status != BP_OK;
        expect_status(status, failed ? BP_ERROR_MEMORY : BP_OK);
        CHECK(failed == (world == NULL));
        bp_mpi_world_destroy(world);
        CHECK(memory.held == 0);
    }
}

// ---- MPI -----------------------------------------------------------------------------------------------------------

static void mpi_fails(void) {
    bool failed = rank_count > 1;
    for (int call = 0; failed; ++call) {
        describe("call %d of MPI fails", call);
        const bp_mpi_config config = {.local = {.flags = BP_EVENTS}};
        bp_mpi_world *world = open_world(&config);
        add_share(world, boxes, COUNT, SHARE_EVENLY);
        calls_until_failure = call;
        const bp_status status = bp_mpi_update(world, NULL);
        failed = calls_until_failure < 0;
        calls_until_failure = -1;
        expect_status(status, failed ? BP_ERROR_MPI : BP_OK);
        if (failed) {
            CHECK(bp_mpi_update(world, NULL) == BP_ERROR_MPI);
            CHECK(bp_mpi_move_many(world, 0, NULL, NULL) == BP_ERROR_MPI);
        }
        bp_mpi_world_destroy(world);
    }
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    make_boxes();
    RUN(an_invalid_box_on_one_rank);
    RUN(wrong_arguments_on_one_rank);
    RUN(ids_that_are_there_or_not);
    RUN(configs_that_are_wrong_or_differ);
    RUN(refused_memory_while_creating);
    RUN(refused_memory_in_every_deed);
    RUN(mpi_fails);
    free(last_begun);
    free(last_ended);
    MPI_Finalize();
    return 0;
}
