#include "base/pair_renaming.h"

static size_t rename_batch(const void *context, bp_pair *pairs, size_t count) {
    const bp_pair_renaming r = *(const bp_pair_renaming *)context; // what is written cannot have changed it
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = r.swaps ? pairs[i].b : pairs[i].a, b = r.swaps ? pairs[i].a : pairs[i].b;
        pairs[i].a = r.ids[0] != NULL ? r.ids[0][a] : r.first[0] + a;
        pairs[i].b = r.ids[1] != NULL ? r.ids[1][b] : r.first[1] + b;
    }
    return r.then.keep != NULL ? r.then.keep(r.then.context, pairs, count) : count;
}

void bp_pair_renaming_begin(bp_pair_renaming *renaming, bp_sink *sink) {
    bp_sink_flush(sink);
    renaming->then = sink->rules.filter;
    sink->rules.filter = (bp_batch_filter){.keep = rename_batch, .context = renaming};
}

void bp_pair_renaming_end(const bp_pair_renaming *renaming, bp_sink *sink) {
    bp_sink_flush(sink);
    sink->rules.filter = renaming->then;
}
