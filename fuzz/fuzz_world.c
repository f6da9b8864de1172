// The reader of saved worlds. The first byte of an input says how it is read: an odd one, as it is; an even one, as the
// records alone, to which right checksums are added here, since no fuzzer would ever guess them. The config is taken
// from the stream itself, so that no input is refused for that.
//
// What is loaded must be a sound world, which can be updated, asked, saved and loaded again; and loading must not allocate
// more than the existing bytes justify.
#include "target.h"

#include "world/save/save_format.h"
#include "world/save/section_stream.h"

#include <stdlib.h>
#include <string.h>

// ---- memory --------------------------------------------------------------------------------------------------------

typedef struct meter {
    size_t held, most;
} meter;

static void *allocate(void *context, size_t size) {
    meter *m = context;
    m->held += size;
    m->most = m->held > m->most ? m->held : m->most;
    return size > (size_t)1 << 30 ? NULL : aligned_alloc(64, (size + 63) / 64 * 64);
}

static void release(void *context, void *memory, size_t size) {
    ((meter *)context)->held -= size;
    free(memory);
}

// ---- streams -------------------------------------------------------------------------------------------------------

typedef struct tape {
    const uint8_t *bytes;
    size_t size, position;
    bool sealed;              // the bytes have their checksums
    bp_section_writer writer; // else it makes them
    unsigned char *frame;     // where the checksums go
} tape;

static int take_frame(void *context, const void *bytes, size_t size) {
    memcpy(((tape *)context)->frame, bytes, size);
    return 1;
}

static int read_tape(void *context, void *bytes, size_t size) {
    tape *t = context;
    const size_t taken = t->sealed ? size : size - BP_SUM_BYTES;
    if (taken > t->size - t->position) {
        return 0;
    }
    t->frame = bytes;
    memcpy(t->sealed ? bytes : bp_section_put(&t->writer, taken), t->bytes + t->position, taken);
    t->position += taken;
    return t->sealed || bp_section_end(&t->writer);
}

typedef struct copy {
    uint8_t *bytes;
    size_t size, position;
} copy;

static int write_copy(void *context, const void *bytes, size_t size) {
    copy *c = context;
    c->bytes = realloc(c->bytes, c->size + size);
    require(c->bytes != NULL, "out of memory");
    memcpy(c->bytes + c->size, bytes, size);
    c->size += size;
    return 1;
}

static int read_copy(void *context, void *bytes, size_t size) {
    copy *c = context;
    if (size > c->size - c->position) {
        return 0;
    }
    memcpy(bytes, c->bytes + c->position, size);
    c->position += size;
    return 1;
}

// ---- the target ----------------------------------------------------------------------------------------------------

// The config in the header of the stream, if there is one.
static bp_config config_of(const tape *t, bp_method method, bp_allocator allocator) {
    bp_config config = {.method = method, .allocator = allocator, .flags = BP_EVENTS};
    const size_t at = BP_PREAMBLE_BYTES + (t->sealed ? BP_SUM_BYTES : 0);
    if (t->size >= at + BP_HEADER_BYTES) {
        const uint8_t *header = t->bytes + at;
        config.dimensions = bp_load_u32(header + 4);
        config.shape = bp_load_u32(header + 8) == 1 ? BP_SHAPE_SPHERES : BP_SHAPE_BOXES;
        config.margin = bp_load_float(header + 12);
        for (size_t axis = 0; axis < 3; ++axis) {
            config.period[axis] = bp_load_float(header + 16 + 4 * axis);
        }
    }
    return config;
}

// ---- questions ------------------------------------------------------------------------------------------------------

enum { ASKED = 8, LISTED = 64 };

static int count_visit(void *context, bp_id id, double t, double *max_t) {
    (void)id, (void)t, (void)max_t;
    ++*(size_t *)context;
    return 1;
}

// A batch of boxes and casts is the same as one after the other, and as visits.
static void require_same_answers(const bp_world *world, const bp_box *boxes, const bp_cast *casts, size_t count,
                                 const bp_config *config) {
    bp_answers answers = {0};
    bp_id ids[LISTED];
    bp_ray_hit hits[LISTED];
    require(bp_query_boxes(world, count, boxes, NULL, &answers) == BP_OK, "boxes cannot be asked together");
    for (size_t i = 0; i < count; ++i) {
        size_t found = 0, visited = 0;
        (void)bp_query_box(world, &boxes[i], NULL, ids, LISTED, &found);
        require(bp_query_box_each(world, &boxes[i], NULL, count_visit, &visited) == BP_OK, "a box cannot be visited");
        require(found == visited && found == answers.offsets[i + 1] - answers.offsets[i], "a box has other answers");
        require(found > LISTED || found == 0 || memcmp(ids, answers.ids + answers.offsets[i], found * sizeof *ids) == 0,
                "a box finds other objects");
    }
    require(bp_query_casts(world, count, casts, 0, NULL, &answers) == BP_OK, "casts cannot be asked together");
    for (size_t i = 0; i < count; ++i) {
        size_t found = 0, visited = 0;
        (void)bp_query_cast(world, &casts[i], NULL, hits, LISTED, &found);
        require(bp_query_cast_each(world, &casts[i], NULL, count_visit, &visited) == BP_OK, "a cast cannot be visited");
        require(found == visited && found == answers.offsets[i + 1] - answers.offsets[i], "a cast has other answers");
        for (size_t k = 0; k < found && k < LISTED; ++k) {
            require(answers.ids[answers.offsets[i] + k] == hits[k].id &&
                        answers.values[answers.offsets[i] + k] == hits[k].t,
                    "a cast meets other objects");
        }
    }
    bp_answers_free(&answers, config);
}

// Asks with the boxes of the first objects, and lets them fall.
static void require_answers(const bp_world *world, const bp_config *config) {
    bp_box boxes[ASKED];
    bp_cast casts[ASKED];
    size_t count = 0, found = 0;
    for (bp_id id = 0; id < 4 * ASKED && count < ASKED; ++id) {
        bp_box box;
        if (bp_get_object(world, id, &box, NULL) != BP_OK) {
            continue;
        }
        (void)bp_pairs_of(world, id, NULL, 0, &found);
        bool small = true;
        for (uint32_t axis = 0; axis < 3; ++axis) {
            small &= box.min[axis] > -1e6f && box.max[axis] < 1e6f && box.min[axis] <= box.max[axis];
        }
        if (small) {
            casts[count] = (bp_cast){.box = box, .direction = {0.25f, -1.0f, 0.5f}, .max_t = 2.0f};
            boxes[count++] = box;
        }
    }
    bool open = true; // short periods would make the casts too long
    for (uint32_t axis = 0; axis < 3; ++axis) {
        open &= config->period[axis] == 0.0f;
    }
    if (open) {
        require_same_answers(world, boxes, casts, count, config);
    }
}

static void require_useful(bp_world *world, const bp_config *config) {
    copy c = {0};
    bp_world *again = NULL;
    require(bp_world_validate(world) == BP_OK, "a loaded world is not sound");
    require(bp_update(world, NULL) == BP_OK, "a loaded world cannot be updated");
    require(bp_world_validate(world) == BP_OK, "a loaded world is not sound after an update");
    require_answers(world, config);
    require(bp_world_save(world, write_copy, &c) == BP_OK, "a loaded world cannot be saved");
    require(bp_world_load(config, read_copy, &c, &again) == BP_OK, "what was loaded and saved cannot be loaded");
    require(bp_world_count(again) == bp_world_count(world), "objects are lost");
    bp_world_destroy(again);
    free(c.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    static tape t; // a writer has a frame in it
    t = (tape){.bytes = data + 1, .size = size - 1, .sealed = data[0] % 2 == 1};
    t.writer = (bp_section_writer){.write = take_frame, .context = &t};
    meter m = {0};
    const bp_allocator allocator = {allocate, release, &m};
    const bp_config config = config_of(&t, (bp_method)(data[0] / 2 % bp_method_count()), allocator);
    bp_world *world = NULL;
    const bp_status status = bp_world_load(&config, read_tape, &t, &world);
    require(m.most <= ((size_t)4 << 20) + 256 * size, "more memory than the stream is worth");
    require((status == BP_OK) == (world != NULL), "a world and a failure, or neither");
    if (status == BP_OK) {
        require_useful(world, &config);
    } else {
        require(status == BP_ERROR_ARGUMENT || status == BP_ERROR_BOX || status == BP_ERROR_UNSUPPORTED,
                "a stream comes to an odd end");
    }
    bp_world_destroy(world);
    require(m.held == 0, "memory is not given back");
    return 0;
}
