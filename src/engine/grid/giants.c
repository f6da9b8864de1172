#include "engine/grid/giants.h"

#include "base/boxes.h"

bool bp_giants_list(bp_giants *giants, const bp_box *boxes, size_t count, const double most[3]) {
    giants->count = 0;
    for (size_t id = 0; id < count; ++id) {
        bool is_giant = false;
        for (int axis = 0; axis < 3; ++axis) {
            is_giant |= (double)boxes[id].max[axis] - (double)boxes[id].min[axis] > most[axis];
        }
        if (is_giant && giants->count == BP_GIANTS_MAX) {
            giants->count = 0;
            return false;
        }
        if (is_giant) {
            giants->ids[giants->count++] = (uint32_t)id;
        }
    }
    return true;
}

bool bp_giants_find(const bp_giants giants[2], const bp_method_setup *setup, const bp_strip_sets *sets, bp_sink *sink) {
    for (size_t i = 0; i < giants[0].count + giants[1].count; ++i) {
        const size_t own = i < giants[0].count ? 0 : 1, other = sets->are_two ? 1 - own : own;
        const uint32_t id = giants[own].ids[own == 0 ? i : i - giants[0].count];
        const bp_box *boxes = sets->boxes[other];
        bp_giants met =
            giants[0]; // giants whose pairs with this one are found elsewhere: of one set, those up to itself
        met.count = !sets->are_two ? i + 1 : own == 0 ? 0 : met.count;
        sink->tests += sets->counts[other];
        for (size_t begin = bp_giants_skip(&met, 0), end = 0; begin < sets->counts[other];
             begin = bp_giants_skip(&met, end)) {
            const size_t left = sets->counts[other] - begin;
            uint32_t ids[BP_CHUNK + 8];
            size_t room = 0;
            bp_pair *out = bp_sink_room(sink, BP_CHUNK, &room);
            if (out == NULL) {
                return false;
            }
            end = bp_giants_next(&met, begin, begin + (left < BP_CHUNK ? left : BP_CHUNK));
            const size_t found =
                setup->kernels->cut_boxes(boxes, begin, end, &sets->boxes[own][id], setup->dimensions, ids);
            for (size_t k = 0; k < found; ++k) {
                const bool is_first = sets->are_two ? own == 0 : id < ids[k];
                out[k] = is_first ? (bp_pair){.a = id, .b = ids[k]} : (bp_pair){.a = ids[k], .b = id};
            }
            bp_sink_commit(sink, out, found);
        }
    }
    return true;
}
