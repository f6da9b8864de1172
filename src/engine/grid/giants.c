#include "engine/grid/giants.h"

#include "base/boxes.h"

void bp_giants_free(bp_giants *giants, const bp_allocator *allocator) {
    bp_buffer_free(&giants->others, allocator);
}

// ---- parting --------------------------------------------------------------------------------------------------------

static bool is_giant(const bp_box *box, const double most[3]) {
    bool is_longer = false;
    for (int axis = 0; axis < 3; ++axis) {
        is_longer |= (double)box->max[axis] - (double)box->min[axis] > most[axis];
    }
    return is_longer;
}

// False: none, or too many.
static bool list_giants(bp_giants *giants, const bp_box *boxes, size_t count, const double most[3]) {
    size_t found = 0;
    for (size_t id = 0; id < count && found <= BP_GIANTS_MOST; ++id) {
        if (is_giant(&boxes[id], most)) {
            giants->ids[found < BP_GIANTS_MOST ? found : 0] = (uint32_t)id;
            ++found;
        }
    }
    giants->count = found <= BP_GIANTS_MOST ? found : 0;
    return giants->count > 0;
}

bool bp_giants_part(bp_giants *giants, const bp_allocator *allocator, const bp_box *boxes, size_t count,
                    const double most[3]) {
    if (!list_giants(giants, boxes, count, most)) {
        return false;
    }
    if (!bp_buffer_reserve_slack(&giants->others, allocator, 0, count, sizeof(bp_box))) {
        giants->count = 0;
        return false;
    }
    bp_box *others = giants->others.data;
    memcpy(others, boxes, count * sizeof *boxes);
    for (size_t i = 0; i < giants->count; ++i) {
        others[giants->ids[i]] = bp_box_hole();
    }
    return true;
}

const bp_box *bp_giants_others(const bp_giants *giants, const bp_box *boxes) {
    return giants->count > 0 ? giants->others.data : boxes;
}

// ---- finding --------------------------------------------------------------------------------------------------------

// Tests a box against others, and writes a pair for each; returns their number.
static size_t test_all(const bp_box *box, uint32_t id, const bp_box *others, size_t count, uint32_t dimensions,
                       bp_pair *out) {
    size_t found = 0;
    for (uint32_t other = 0; other < count; ++other) {
        out[found] = other < id ? (bp_pair){.a = other, .b = id} : (bp_pair){.a = id, .b = other};
        found += bp_boxes_overlap_branchless(box, &others[other], dimensions);
    }
    return found;
}

bp_status bp_giants_find(const bp_giants *giants, const bp_box *boxes, size_t count, uint32_t dimensions,
                         bp_sink *sink) {
    for (size_t i = 0; i < giants->count; ++i) {
        const uint32_t id = giants->ids[i];
        const bp_box *box = &boxes[id];
        size_t room = 0;
        bp_pair *out = bp_sink_room(sink, count + BP_GIANTS_MOST, &room);
        if (out == NULL) {
            return BP_ERROR_MEMORY;
        }
        size_t found = test_all(box, id, giants->others.data, count, dimensions, out);
        for (size_t k = i + 1; k < giants->count; ++k) {
            out[found] = (bp_pair){.a = id, .b = giants->ids[k]};
            found += bp_boxes_overlap(box, &boxes[giants->ids[k]], dimensions);
        }
        bp_sink_commit(sink, out, found);
        sink->tests += count;
    }
    return BP_OK;
}
