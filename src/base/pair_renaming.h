// Other names for the boxes of pairs, while a search runs that knows copies or parts of them.
//
//     search ---> (place in the first list, place in the second) ---> (id, id) ---> the filter of the sink
#ifndef BP_PAIR_RENAMING_H
#define BP_PAIR_RENAMING_H

#include "base/pair_sink.h"

typedef struct bp_pair_renaming {
    const uint32_t *ids[2]; // by place; NULL: ids follow one another,
    uint32_t first[2];      // from this one on
    bool swaps;             // the search names the place in the second list first
    bp_batch_filter then;   // what else the sink has to ask
} bp_pair_renaming;

// From now on, the sink gets pairs of places; until the end, the renaming stays where it is.
void bp_pair_renaming_begin(bp_pair_renaming *renaming, bp_sink *sink);
void bp_pair_renaming_end(const bp_pair_renaming *renaming, bp_sink *sink);

#endif
