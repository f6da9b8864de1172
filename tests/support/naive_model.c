#include "support/naive_model.h"

#include "support/view_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

naive_model *naive_model_create(const bp_config *config, size_t capacity) {
    naive_model *model = obtain(1, sizeof *model);
    model->config = *config;
    model->capacity = capacity;
    naive_world_create(&model->world, config, capacity);
    model->existed = obtain(capacity, sizeof *model->existed);
    model->reborn = obtain(capacity, sizeof *model->reborn);
    return model;
}

void naive_model_destroy(naive_model *model) {
    naive_world_destroy(&model->world);
    pair_list_free(&model->last);
    free(model->existed);
    free(model->reborn);
    free(model);
}

// ---- changes --------------------------------------------------------------------------------------------------------

static unsigned fault_of_box(const naive_model *model, const bp_box_double *box) {
    for (uint32_t axis = 0; axis < model->world.dimensions; ++axis) {
        const double min = box->min[axis], max = box->max[axis], period = model->world.period[axis];
        const bool infinite = isinf(min) || isinf(max);
        if (!(min <= max) || (period > 0.0 && !infinite && max - min > period)) {
            return FAULT_BOX;
        }
    }
    return 0;
}

static unsigned fault_of_object(const bp_object *object) {
    return (object->flags & ~(uint32_t)BP_STATIC) != 0 ? FAULT_ARGUMENT : 0;
}

static unsigned fault_of_id(const naive_model *model, bp_id id) {
    return naive_world_is_alive(&model->world, id) ? 0 : FAULT_ID;
}

static bp_id smallest_free_id(const naive_model *model) {
    bp_id id = 0;
    while (naive_world_is_alive(&model->world, id)) {
        ++id;
    }
    return id;
}

unsigned naive_model_add(naive_model *model, item *items, size_t count, bool wide) {
    unsigned faults = 0;
    for (size_t i = 0; i < count; ++i) {
        faults |= fault_of_box(model, &items[i].box) | fault_of_object(&items[i].object);
    }
    for (size_t i = 0; i < count && faults == 0; ++i) {
        items[i].id = smallest_free_id(model);
        model->reborn[items[i].id] = model->existed[items[i].id];
        naive_world_put_double(&model->world, items[i].id, &items[i].box, &items[i].object);
        ++model->living;
    }
    model->wide |= wide && faults == 0;
    return faults;
}

unsigned naive_model_move(naive_model *model, const item *items, size_t count, bool wide) {
    unsigned faults = 0;
    for (size_t i = 0; i < count; ++i) {
        faults |= fault_of_box(model, &items[i].box) | fault_of_id(model, items[i].id);
    }
    for (size_t i = 0; i < count && faults == 0; ++i) {
        model->world.boxes[items[i].id] = items[i].box;
    }
    model->wide |= wide && faults == 0;
    return faults;
}

unsigned naive_model_remove(naive_model *model, bp_id id) {
    if (fault_of_id(model, id) != 0) {
        return FAULT_ID;
    }
    naive_world_remove(&model->world, id);
    --model->living;
    return 0;
}

unsigned naive_model_set_object(naive_model *model, bp_id id, const bp_object *object) {
    const unsigned faults = fault_of_id(model, id) | fault_of_object(object);
    if (faults == 0) {
        model->world.objects[id] = *object;
    }
    return faults;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

bp_box_double *naive_model_boxes(const naive_model *model, bp_id **ids) {
    bp_box_double *boxes = obtain(model->living, sizeof *boxes);
    size_t count = 0;
    *ids = obtain(model->living, sizeof **ids);
    for (bp_id id = 0; id < model->world.count; ++id) {
        if (naive_world_is_alive(&model->world, id)) {
            boxes[count] = model->world.boxes[id];
            (*ids)[count++] = id;
        }
    }
    return boxes;
}

pair_list naive_model_pairs(const naive_model *model, const bp_config *config) {
    bp_id *ids = NULL;
    bp_box_double *boxes = naive_model_boxes(model, &ids);
    pair_list pairs = naive_view_pairs(boxes, model->living, model->wide, config);
    for (size_t i = 0; i < pairs.count; ++i) {
        pairs.data[i] = (bp_pair){.a = ids[pairs.data[i].a], .b = ids[pairs.data[i].b]};
    }
    naive_filter(&pairs, model->world.objects);
    free(boxes);
    free(ids);
    return pairs;
}

pair_list naive_model_events(const naive_model *model, const pair_list *of, const pair_list *against) {
    pair_list events = {0};
    for (size_t i = 0; i < of->count; ++i) {
        const bp_pair pair = of->data[i];
        if (!pairs_contain(against->data, against->count, pair) || model->reborn[pair.a] || model->reborn[pair.b]) {
            pair_list_push(&events, pair.a, pair.b);
        }
    }
    return events;
}

void naive_model_updated(naive_model *model, pair_list pairs) {
    pair_list_free(&model->last);
    model->last = pairs;
    for (bp_id id = 0; id < model->world.count; ++id) {
        model->existed[id] = naive_world_is_alive(&model->world, id);
        model->reborn[id] = false;
    }
}
