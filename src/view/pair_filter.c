#include "view/pair_filter.h"

static size_t keep_wanted(const bp_object *objects, bp_pair *pairs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += bp_objects_pass(&objects[pair.a], &objects[pair.b]);
    }
    return kept;
}

static size_t keep_passing(const bp_filter *filter, bp_pair *pairs, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += filter->pass(filter->context, pair.a, pair.b) != 0;
    }
    return kept;
}

size_t bp_sieve_pass(const bp_sieve *sieve, bp_pair *pairs, size_t count) {
    if (sieve->sift != NULL) {
        return sieve->sift(sieve->context, pairs, count);
    }
    size_t kept = count;
    if (sieve->first != NULL) {
        kept = bp_view_confirm(sieve->first, sieve->second, pairs, kept);
    }
    if (sieve->objects != NULL) {
        kept = keep_wanted(sieve->objects, pairs, kept);
    }
    if (sieve->filter.pass != NULL) {
        kept = keep_passing(&sieve->filter, pairs, kept);
    }
    return kept;
}
