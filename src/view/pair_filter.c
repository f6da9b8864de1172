#include "view/pair_filter.h"

#include "base/boxes.h"

enum { AHEAD = 16 }; // pairs between the prefetch of their boxes and their check

static size_t keep_overlapping(const bp_box *boxes, uint32_t dimensions, bp_pair *pairs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = pairs[i], next = pairs[i + AHEAD < count ? i + AHEAD : i];
        bp_prefetch(&boxes[next.a].min[0]); // a box may straddle two cache lines
        bp_prefetch(&boxes[next.a].max[2]);
        bp_prefetch(&boxes[next.b].min[0]);
        bp_prefetch(&boxes[next.b].max[2]);
        pairs[kept] = pair;
        kept += bp_boxes_overlap_branchless(&boxes[pair.a], &boxes[pair.b], dimensions);
    }
    return kept;
}

static size_t keep_wanted(const void *context, bp_pair *pairs, size_t count) {
    const bp_pair_filter f = *(const bp_pair_filter *)context; // what is written cannot have changed it
    size_t kept = count;
    for (size_t i = 0; i < count && f.orders; ++i) {
        const uint32_t a = pairs[i].a, b = pairs[i].b;
        pairs[i] = (bp_pair){.a = a < b ? a : b, .b = a < b ? b : a};
    }
    if (f.proxies != NULL) {
        kept = keep_overlapping(f.proxies, f.dimensions, pairs, kept);
    }
    if (f.first != NULL) {
        kept = bp_view_confirm(f.first, f.second, pairs, kept);
    }
    if (f.objects != NULL) {
        const size_t checked = kept;
        kept = 0;
        for (size_t i = 0; i < checked; ++i) {
            const bp_pair pair = pairs[i];
            pairs[kept] = pair;
            kept += bp_objects_pass(&f.objects[pair.a], &f.objects[pair.b]);
        }
    }
    if (f.filter.pass != NULL) {
        const size_t checked = kept;
        kept = 0;
        for (size_t i = 0; i < checked; ++i) {
            const bp_pair pair = pairs[i];
            pairs[kept] = pair;
            kept += f.filter.pass(f.filter.context, pair.a, pair.b) != 0;
        }
    }
    return kept;
}

bp_batch_filter bp_pair_filter_batch(const bp_pair_filter *filter) {
    const bool idle = !filter->orders && filter->proxies == NULL && filter->first == NULL && filter->objects == NULL &&
                      filter->filter.pass == NULL;
    return (bp_batch_filter){.keep = idle ? NULL : keep_wanted, .context = filter};
}
