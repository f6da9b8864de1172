// Building the table of spatial-hash.
#ifndef BP_SPATIAL_HASH_BUILD_H
#define BP_SPATIAL_HASH_BUILD_H

#include "literature/spatial_hash/spatial_hash.h"

// The cell of a bucket at a place in space, or SPATIAL_HASH_NO_CELL; writes the slot at which the lookup ended.
uint32_t spatial_hash_lookup(const spatial_hash *h, size_t bucket, const int32_t at[3], size_t *slot);

// Objects that overlap more cells are large.
double spatial_hash_limit(const spatial_hash *h);

// The method's build.
bp_status spatial_hash_build(void *state, const bp_box *boxes, size_t count);

#endif
