// A hundred steps of everything that can happen, against a plain world that has all objects: motion, migration,
// additions, removals, changes, events, user bytes, new partitions.
#include "scenes.h"
#include "together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USER_BYTES = 12 };

// The model, on every rank: the expected state of the world. Ids of the plain world are looked up by those of the
// other.
typedef struct model {
    size_t capacity;
    bp_box *boxes;      // by id
    bp_object *objects; // by id
    uint32_t *versions; // by id: what the user bytes say
    bool *alive;        // by id
    bp_id *plain_ids;   // by id
    uint64_t *ids;      // by plain id
    uint64_t *ids_before;
    size_t count;    // alive
    bp_world *world; // on rank 0
} model;

static void model_open(model *self, size_t capacity, const bp_config *config) {
    *self = (model){.capacity = capacity};
    self->boxes = calloc(capacity, sizeof *self->boxes);
    self->objects = calloc(capacity, sizeof *self->objects);
    self->versions = calloc(capacity, sizeof *self->versions);
    self->alive = calloc(capacity, sizeof *self->alive);
    self->plain_ids = malloc(capacity * sizeof *self->plain_ids);
    self->ids = malloc(capacity * sizeof *self->ids);
    self->ids_before = malloc(capacity * sizeof *self->ids_before);
    CHECK(self->boxes && self->objects && self->versions && self->alive && self->plain_ids && self->ids &&
          self->ids_before);
    if (my_rank == 0) CHECK(bp_world_create(config, &self->world) == BP_OK);
}

static void model_close(model *self) {
    bp_world_destroy(self->world);
    free(self->boxes);
    free(self->objects);
    free(self->versions);
    free(self->alive);
    free(self->plain_ids);
    free(self->ids);
    free(self->ids_before);
}

static void model_add(model *self, uint64_t id, const bp_box *box, const bp_object *object) {
    self->boxes[id] = *box;
    self->objects[id] = *object;
    self->versions[id] = (uint32_t)id * 7;
    self->alive[id] = true;
    ++self->count;
    if (my_rank != 0) return;
    CHECK(bp_add(self->world, box, object, &self->plain_ids[id]) == BP_OK);
    self->ids[self->plain_ids[id]] = id;
}

static void model_remove(model *self, uint64_t id) {
    self->alive[id] = false;
    --self->count;
    if (my_rank == 0) CHECK(bp_remove(self->world, self->plain_ids[id]) == BP_OK);
}

static void user_bytes_of(const model *self, uint64_t id, unsigned char bytes[USER_BYTES]) {
    memcpy(bytes, &id, sizeof id);
    memcpy(bytes + sizeof id, &self->versions[id], sizeof self->versions[id]);
}

// ---- the same pairs, by the ids of the distributed world -----------------------------------------------------------

static pair_list translate(const bp_pair *pairs, size_t count, const uint64_t *ids) {
    bp_mpi_pair *list = malloc(count * sizeof *list + 1);
    CHECK(list != NULL);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t a = ids[pairs[i].a], b = ids[pairs[i].b];
        list[i] = a < b ? (bp_mpi_pair){a, b} : (bp_mpi_pair){b, a};
    }
    // On rank 0 only; gathering sorts them.
    pair_list sorted = gather_pairs(list, my_rank == 0 ? count : 0);
    free(list);
    return sorted;
}

static void compare_list(const bp_mpi_pair *found, size_t found_count, const bp_pair *expected, size_t expected_count,
                         const uint64_t *ids, const char *what) {
    pair_list all = gather_pairs(found, found_count), right = translate(expected, expected_count, ids);
    check_same(&all, &right, what);
    pair_list_free(&all);
    pair_list_free(&right);
}

static void check_owned(bp_mpi_world *world, const model *right) {
    bp_mpi_objects mine;
    const bp_box *boxes;
    CHECK(bp_mpi_owned(world, &mine) == BP_OK);
    for (size_t i = 0; i < mine.count; ++i) {
        bp_box box;
        CHECK(bp_mpi_get(world, mine.ids[i], &box, NULL, NULL) == BP_OK);
        CHECK(memcmp(&box, &right->boxes[mine.ids[i]], sizeof box) == 0);
    }
    CHECK(bp_mpi_owned_boxes(world, &boxes) == BP_OK);
    for (size_t i = 0; i < mine.count; ++i) {
        const uint64_t id = mine.ids[i];
        unsigned char expected[USER_BYTES], got[USER_BYTES];
        bp_box box;
        bp_object object;
        user_bytes_of(right, id, expected);
        CHECK(right->alive[id]);
        CHECK(memcmp(&boxes[i], &right->boxes[id], sizeof(bp_box)) == 0);
        CHECK(memcmp((const char *)mine.user + i * USER_BYTES, expected, USER_BYTES) == 0);
        CHECK(bp_mpi_get(world, id, &box, &object, got) == BP_OK);
        CHECK(object.group == right->objects[id].group && object.user == right->objects[id].user);
        CHECK(memcmp(got, expected, USER_BYTES) == 0);
    }
}

// Whoever reports a pair can read both objects.
static void check_readable(const bp_mpi_world *world, const bp_mpi_result *result, const model *right) {
    for (size_t i = 0; i < result->pair_count; i += 17) {
        unsigned char expected[USER_BYTES], got[USER_BYTES];
        bp_box box;
        bp_object object;
        user_bytes_of(right, result->pairs[i].b, expected);
        CHECK(bp_mpi_get(world, result->pairs[i].a, NULL, NULL, NULL) == BP_OK);
        CHECK(bp_mpi_get(world, result->pairs[i].b, &box, &object, got) == BP_OK);
        CHECK(memcmp(&box, &right->boxes[result->pairs[i].b], sizeof box) == 0);
        CHECK(object.user == right->objects[result->pairs[i].b].user);
        CHECK(memcmp(got, expected, USER_BYTES) == 0);
    }
}

// ---- steps ---------------------------------------------------------------------------------------------------------

typedef struct life {
    bp_mpi_world *world;
    model model;
    dice random;
    double extent;
    uint64_t id_limit; // ids that may be given
    float period;
} life;

static bp_box throw_box(life *self) {
    bp_box box;
    const size_t kind = throw_below(&self->random, 200);
    for (int axis = 0; axis < 3; ++axis) {
        const double low = throw_unit(&self->random) * self->extent;
        const double size = kind == 0 ? 0.9 * self->extent : kind < 10 ? 5.0 : 1.0;
        box.min[axis] = (float)low;
        box.max[axis] = (float)(low + size * throw_unit(&self->random));
    }
    if (kind == 1) {
        box.min[1] = -INFINITY;
        box.max[1] = INFINITY;
    }
    return box;
}

// The rank that makes a change: a random one, so that most changes concern other ranks' objects.
static bool is_my_word(uint64_t id, uint64_t salt) {
    return (int)((id * 2654435761u + salt) % (uint64_t)rank_count) == my_rank;
}

static void add_some(life *self, size_t count) {
    uint64_t *ids = malloc(count * sizeof *ids + 1);
    bp_box *boxes = malloc(count * sizeof *boxes + 1);
    bp_object *objects = malloc(count * sizeof *objects + 1);
    unsigned char *user = malloc(count * USER_BYTES + 1);
    size_t mine = 0;
    const uint64_t salt = throw_dice(&self->random);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t id = throw_below(&self->random, self->id_limit);
        const bp_box box = throw_box(self);
        const bp_object object = {.group = UINT64_C(1) << (31 + throw_below(&self->random, 3)),
                                  .user = throw_dice(&self->random)};
        if (self->model.alive[id]) continue; // removed ids are reused
        model_add(&self->model, id, &box, &object);
        if (is_my_word(id, salt)) {
            ids[mine] = id;
            boxes[mine] = box;
            objects[mine] = object;
            user_bytes_of(&self->model, id, user + mine * USER_BYTES);
            ++mine;
        }
    }
    CHECK(bp_mpi_add_many(self->world, mine, ids, boxes, objects, user, NULL) == BP_OK);
    free(ids);
    free(boxes);
    free(objects);
    free(user);
}

static void remove_some(life *self, size_t count) {
    uint64_t *ids = malloc(count * sizeof *ids + 1);
    size_t mine = 0;
    const uint64_t salt = throw_dice(&self->random);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t id = throw_below(&self->random, self->id_limit);
        if (!self->model.alive[id]) continue;
        model_remove(&self->model, id);
        if (is_my_word(id, salt)) ids[mine++] = id;
    }
    CHECK(bp_mpi_remove_many(self->world, mine, ids) == BP_OK);
    free(ids);
}

static bp_box moved_box(life *self, bp_box box) {
    const double far = throw_below(&self->random, 100) == 0 ? self->extent / 3.0 : 0.4;
    for (int axis = 0; axis < 3; ++axis) {
        const float by = (float)((throw_unit(&self->random) - 0.5) * far);
        box.min[axis] += by;
        box.max[axis] += by;
        if (box.max[axis] < box.min[axis]) box.max[axis] = box.min[axis];
    }
    return box;
}

// Moves all, each on its owner; or some, on any rank.
static void move_objects(life *self, bool all) {
    const uint64_t salt = throw_dice(&self->random);
    uint64_t *ids = malloc(self->id_limit * sizeof *ids);
    bp_box *boxes = malloc(self->id_limit * sizeof *boxes);
    size_t mine = 0;
    for (uint64_t id = 0; id < self->id_limit; ++id) {
        if (!self->model.alive[id] || (!all && throw_below(&self->random, 20) != 0)) continue;
        self->model.boxes[id] = moved_box(self, self->model.boxes[id]);
        if (my_rank == 0) CHECK(bp_move(self->model.world, self->model.plain_ids[id], &self->model.boxes[id]) == BP_OK);
        if (!all && is_my_word(id, salt)) {
            ids[mine] = id;
            boxes[mine++] = self->model.boxes[id];
        }
    }
    if (all) {
        bp_mpi_objects owned;
        CHECK(bp_mpi_owned(self->world, &owned) == BP_OK);
        for (mine = 0; mine < owned.count; ++mine) boxes[mine] = self->model.boxes[owned.ids[mine]];
    }
    CHECK(bp_mpi_move_many(self->world, mine, all ? NULL : ids, boxes) == BP_OK);
    free(ids);
    free(boxes);
}

// One invalid box on one rank: no rank's boxes are accepted.
static void move_wrongly(life *self, int wrong_rank) {
    bp_mpi_objects owned;
    CHECK(bp_mpi_owned(self->world, &owned) == BP_OK);
    bp_box *boxes = calloc(owned.count + 1, sizeof *boxes);
    if (my_rank == wrong_rank && owned.count > 0) boxes[owned.count / 2].min[1] = 1.0f; // above its max
    int all = 0, mine = my_rank == wrong_rank && owned.count > 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (all) CHECK(bp_mpi_move_many(self->world, owned.count, NULL, boxes) == BP_ERROR_BOX);
    free(boxes);
}

static void restate_some(life *self) {
    const uint64_t salt = throw_dice(&self->random);
    enum { MOST = 64 };
    uint64_t ids[MOST];
    bp_object objects[MOST];
    unsigned char user[MOST * USER_BYTES];
    const uint64_t RESTATED = UINT64_C(3) << 31;
    size_t mine = 0;
    for (size_t i = 0; i < MOST; ++i) {
        const uint64_t id = throw_below(&self->random, self->id_limit);
        const bp_object object = {.group = UINT64_C(1) << (31 + throw_below(&self->random, 3)),
                                  .mask = RESTATED,
                                  .user = throw_dice(&self->random)};
        if (!self->model.alive[id] || self->model.objects[id].mask == RESTATED) continue;
        self->model.objects[id] = object;
        ++self->model.versions[id];
        if (my_rank == 0) CHECK(bp_set_object(self->model.world, self->model.plain_ids[id], &object) == BP_OK);
        if (is_my_word(id, salt)) {
            ids[mine] = id;
            objects[mine] = object;
            user_bytes_of(&self->model, id, user + mine * USER_BYTES);
            ++mine;
        }
    }
    CHECK(bp_mpi_set_many(self->world, mine, ids, objects, user) == BP_OK);
}

static void check_step(life *self) {
    bp_mpi_result result;
    bp_result expected = {0};
    const bp_status status = bp_mpi_update(self->world, &result);
    CHECK(status == BP_OK);
    if (my_rank == 0) CHECK(bp_update(self->model.world, &expected) == BP_OK);
    compare_list(result.pairs, result.pair_count, expected.pairs, expected.pair_count, self->model.ids, "pairs");
    compare_list(result.begun, result.begun_count, expected.begun, expected.begun_count, self->model.ids, "begun");
    compare_list(result.ended, result.ended_count, expected.ended, expected.ended_count, self->model.ids_before,
                 "ended");
    memcpy(self->model.ids_before, self->model.ids, self->model.capacity * sizeof *self->model.ids);
    if (throw_below(&self->random, 2) == 0) check_owned(self->world, &self->model);
    check_readable(self->world, &result, &self->model);
    CHECK(bp_mpi_world_count(self->world) == self->model.count);
}

static void live(const bp_mpi_config *config, size_t objects, size_t steps, uint64_t seed) {
    life self = {.random = {seed}, .id_limit = objects + objects / 2, .extent = cbrt((double)objects) * 1.2};
    bp_mpi_config used = *config;
    used.local.log = test_log();
    used.user_bytes = USER_BYTES;
    bp_config plain = used.local;
    model_open(&self.model, self.id_limit, &plain);
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &used, &self.world) == BP_OK);
    add_some(&self, objects);
    for (size_t step = 0; step < steps; ++step) {
        describe("seed %llu, partition %d, step %zu of %zu", (unsigned long long)seed, (int)config->partition, step,
                 steps);
        check_step(&self);
        if (step % 4 == 0) restate_some(&self);
        if (step % 3 != 2) move_objects(&self, step % 2 == 0);
        if (step % 6 == 1 || step % 6 == 4) move_objects(&self, step % 6 == 1); // both ways of moving, in either order
        if (step % 9 == 5) move_wrongly(&self, (int)step % rank_count);
        if (step % 7 == 3) check_owned(self.world, &self.model);
        if (step % 4 == 1) restate_some(&self);
        if (step % 5 == 2) remove_some(&self, objects / 20);
        if (step % 5 == 3) {
            remove_some(&self, objects / 50);
            add_some(&self, objects / 20);
        }
        if (step % 10 == 8) { // with objects that were added since the last update
            remove_some(&self, objects / 50);
            move_objects(&self, true);
        }
        if (step % 50 == 49) CHECK(bp_mpi_world_validate(self.world) == BP_OK);
    }
    bp_mpi_stats stats;
    CHECK(bp_mpi_world_stats(self.world, &stats) == BP_OK);
    CHECK(rank_count == 1 || stats.partitions > 1 || steps < 50);
    bp_mpi_world_destroy(self.world);
    model_close(&self.model);
}

static void a_hundred_steps_with_everything(void) {
    const bp_mpi_config config = {
        .local = {.flags = BP_EVENTS}, .broadcast_above = 4, .imbalance = 1.02f, .balance_interval = 10};
    live(&config, is_quick() ? 400 : 2000, 100, 11);
}

// Then each rank decides itself, after the search, which pairs are its own.
static void without_events(void) {
    const bp_mpi_config config = {.broadcast_above = 4, .imbalance = 1.02f, .balance_interval = 10};
    live(&config, is_quick() ? 300 : 1000, 100, 16);
}

static void small_messages_do(void) {
    const bp_mpi_config config = {.local = {.flags = BP_EVENTS}, .message_limit = 100, .broadcast_above = 2};
    live(&config, 200, 12, 12);
}

static void on_the_hilbert_curve(void) {
    const bp_mpi_config config = {.local = {.flags = BP_EVENTS}, .partition = BP_MPI_HSFC, .broadcast_above = 5};
    live(&config, 300, 24, 13);
}

static void with_periods(void) {
    const bp_mpi_config config = {.local = {.period = {9.0f, 0.0f, 9.0f}, .flags = BP_EVENTS}, .broadcast_above = 5};
    live(&config, 400, 24, 14);
}

// Removed on its owner and added again on another rank at the same place: a different object.
static void the_same_id_is_another_object(void) {
    const bp_mpi_config config = {.local = {.flags = BP_EVENTS, .log = test_log()}};
    bp_mpi_world *world;
    bp_mpi_result result;
    bp_box boxes[16];
    for (int i = 0; i < 16; ++i) boxes[i] = (bp_box){{(float)i, 0, 0}, {(float)i + 1.0f, 1, 1}};
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world) == BP_OK);
    add_share(world, boxes, 16, SHARE_EVENLY);
    CHECK(bp_mpi_update(world, &result) == BP_OK);
    for (uint64_t id = 0; id < 16; ++id) {
        describe("id %d", (int)id);
        const bool adds = my_rank == (int)(id % (uint64_t)rank_count);
        CHECK(bp_mpi_remove_many(world, my_rank == 0, &id) == BP_OK);
        CHECK(bp_mpi_add_many(world, adds, &id, &boxes[id], NULL, NULL, NULL) == BP_OK);
        CHECK(bp_mpi_update(world, &result) == BP_OK);
        pair_list begun = gather_pairs(result.begun, result.begun_count);
        pair_list ended = gather_pairs(result.ended, result.ended_count);
        CHECK(my_rank != 0 || begun.count == (id == 0 || id == 15 ? 1 : 2));
        check_same(&begun, &ended, "begun and ended");
        pair_list_free(&begun);
        pair_list_free(&ended);
    }
    bp_mpi_world_destroy(world);
}

// A scene as large as the others are tested with, and events for all of its steps.
static void a_hundred_steps_of_a_scene(void) {
    const size_t count = is_quick() ? 1000 : 20000, steps = is_quick() ? 20 : 100;
    const char *error;
    const scene_options options = {.count = count, .seed = 15};
    scene *moving = scene_create("uniform", &options, &error);
    CHECK(moving != NULL);
    const bp_mpi_config config = {.local = {.flags = BP_EVENTS, .pair_order = BP_ORDER_SORTED}};
    bp_world *plain;
    bp_mpi_world *world;
    CHECK(bp_world_create(&config.local, &plain) == BP_OK);
    CHECK(bp_mpi_world_create(MPI_COMM_WORLD, &config, &world) == BP_OK);
    CHECK(bp_add_many(plain, count, scene_boxes(moving), NULL, NULL) == BP_OK);
    add_share(world, scene_boxes(moving), count, SHARE_FIRST_RANK);
    bp_box *boxes = malloc(count * sizeof *boxes);
    uint64_t *ids = malloc(count * sizeof *ids);
    for (size_t i = 0; i < count; ++i) ids[i] = i;
    uint64_t migrated = 0;
    for (size_t step = 0; step < steps; ++step) {
        describe("uniform, step %zu", step);
        bp_mpi_result result;
        bp_result expected = {0};
        CHECK(bp_mpi_update(world, &result) == BP_OK);
        if (my_rank == 0) CHECK(bp_update(plain, &expected) == BP_OK);
        compare_list(result.pairs, result.pair_count, expected.pairs, expected.pair_count, ids, "pairs");
        compare_list(result.begun, result.begun_count, expected.begun, expected.begun_count, ids, "begun");
        compare_list(result.ended, result.ended_count, expected.ended, expected.ended_count, ids, "ended");
        migrated += step > 0 ? result.stats.migrated : 0;
        scene_step(moving);
        bp_mpi_objects mine;
        CHECK(bp_mpi_owned(world, &mine) == BP_OK);
        for (size_t i = 0; i < mine.count; ++i) boxes[i] = scene_boxes(moving)[mine.ids[i]];
        CHECK(bp_mpi_move_many(world, mine.count, NULL, boxes) == BP_OK);
        if (my_rank == 0) CHECK(bp_move_many(plain, count, NULL, scene_boxes(moving)) == BP_OK);
    }
    uint64_t all = 0;
    MPI_Allreduce(&migrated, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rank_count == 1 || all > 0);
    free(boxes);
    free(ids);
    bp_mpi_world_destroy(world);
    bp_world_destroy(plain);
    scene_destroy(moving);
}

int main(int argument_count, char **arguments) {
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    RUN(small_messages_do);
    RUN(the_same_id_is_another_object);
    RUN(on_the_hilbert_curve);
    RUN(with_periods);
    RUN(a_hundred_steps_with_everything);
    RUN(without_events);
    RUN(a_hundred_steps_of_a_scene);
    MPI_Finalize();
    return 0;
}
