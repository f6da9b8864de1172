#include "formats/box_list.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static float round_down(double value) {
    if (isinf(value)) return (float)value;
    if (value > (double)FLT_MAX) return FLT_MAX;
    if (value < -(double)FLT_MAX) return -INFINITY;
    float nearest = (float)value;
    return (double)nearest > value ? nextafterf(nearest, -INFINITY) : nearest;
}

static bp_box narrow(const bp_box_double *box) {
    bp_box result;
    for (size_t axis = 0; axis < 3; axis++) {
        result.min[axis] = round_down(box->min[axis]);
        result.max[axis] = -round_down(-box->max[axis]);
    }
    return result;
}

bool box_list_reserve(box_list *list, size_t capacity, failure *why) {
    size_t size = list->is_double ? sizeof(bp_box_double) : sizeof(bp_box);
    if (capacity <= list->capacity) return true;
    if (capacity > SIZE_MAX / size) return failure_memory(why);
    void *data = realloc(list->is_double ? (void *)list->doubles : (void *)list->data, capacity * size);
    if (data == NULL) return failure_memory(why);
    if (list->is_double) {
        list->doubles = data;
    } else {
        list->data = data;
    }
    list->capacity = capacity;
    return true;
}

static bool make_room(box_list *list, failure *why) {
    enum { FIRST_CAPACITY = 1024 };
    if (list->count < list->capacity) return true;
    return box_list_reserve(list, list->capacity == 0 ? FIRST_CAPACITY : 2 * list->capacity, why);
}

bool box_list_add(box_list *list, const double *values, uint32_t dimensions, failure *why) {
    bp_box_double box;
    const bool good = list->has_rows ? box_form_to_row(list->form, values, dimensions, &box, why)
                                     : box_form_to_box(list->form, values, dimensions, &box, why);
    if (!good || !make_room(list, why)) return false;
    if (list->is_double) {
        list->doubles[list->count++] = box;
    } else {
        list->data[list->count++] = narrow(&box);
    }
    return true;
}

bool box_list_to_double(box_list *list, failure *why) {
    if (list->is_double) return true;
    size_t capacity = list->count + 1; // not 0, for which calloc may return NULL
    bp_box_double *doubles = calloc(capacity, sizeof *doubles);
    if (doubles == NULL) return failure_memory(why);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            doubles[i].min[axis] = (double)list->data[i].min[axis];
            doubles[i].max[axis] = (double)list->data[i].max[axis];
        }
    }
    free(list->data);
    list->data = NULL;
    list->doubles = doubles;
    list->capacity = capacity;
    list->is_double = true;
    return true;
}

void box_list_free(box_list *list) {
    free(list->data);
    free(list->doubles);
    *list = (box_list){0};
}
