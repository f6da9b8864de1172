// The table of all methods, for library, tool, tests and bench. A new method is one folder or file, and one row.
#include "engine/method.h"

static const bp_method_ops *const table[] = {
    [BP_METHOD_AUTO] = &bp_auto_ops,
    [BP_METHOD_BRUTE_FORCE] = &bp_brute_force_ops,
    [BP_METHOD_LINKED_CELLS] = &bp_linked_cells_ops,
    [BP_METHOD_HIERARCHICAL_GRID] = &bp_hierarchical_grid_ops,
    [BP_METHOD_SPATIAL_HASH] = &bp_spatial_hash_ops,
    [BP_METHOD_PIVOT_GRID] = &bp_pivot_grid_ops,
    [BP_METHOD_COMPACT_GRID] = &bp_compact_grid_ops,
    [BP_METHOD_CUCKOO_GRID] = &bp_cuckoo_grid_ops,
    [BP_METHOD_OCTREE] = &bp_octree_ops,
    [BP_METHOD_LOOSE_OCTREE] = &bp_loose_octree_ops,
    [BP_METHOD_BVH] = &bp_bvh_ops,
    [BP_METHOD_SWEEP_AND_PRUNE] = &bp_sweep_and_prune_ops,
    [BP_METHOD_SPLIT] = &bp_split_ops,
    [BP_METHOD_TREE] = &bp_tree_ops,
    [BP_METHOD_STRIPS] = &bp_strips_ops,
};

const bp_method_ops *bp_method_get(bp_method method, const bp_method_setup *setup) {
    const bool is_linked = setup->settings.grid_form == BP_GRID_LINKED || setup->update == BP_UPDATE_INDIVIDUAL;
    return method == BP_METHOD_HIERARCHICAL_GRID && is_linked ? &bp_linked_grid_ops : table[method];
}

void *bp_method_create(const bp_method_ops *ops, const bp_method_setup *setup) {
    const bp_allocator *allocator = &setup->runtime.allocator;
    void *state = allocator->allocate(allocator->context, ops->state_bytes);
    if (state != NULL) {
        ops->init(state, setup);
    }
    return state;
}

void bp_method_destroy(const bp_method_ops *ops, const bp_allocator *allocator, void *state) {
    if (state != NULL) {
        ops->free(state);
        allocator->release(allocator->context, state, ops->state_bytes);
    }
}

size_t bp_method_count(void) {
    return sizeof table / sizeof table[0];
}

const char *bp_method_name(size_t index) {
    return index < bp_method_count() ? table[index]->name : NULL;
}

const char *bp_method_summary(size_t index) {
    return index < bp_method_count() ? table[index]->summary : NULL;
}

uint32_t bp_method_supports(size_t index) {
    return index < bp_method_count() ? table[index]->supports : 0;
}
