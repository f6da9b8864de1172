// The key and the record of a box (see geometry.h), for both ways of building a grid.
#ifndef BP_CUDA_KEYS_CUH
#define BP_CUDA_KEYS_CUH

#include "context.cuh"

template <class Key> struct keyed_record {
    Key key;
    bp_cuda_record record;
};

// The usual kind: three dimensions, no period, floats suffice. Kernels are compiled for it specially.
static inline bool is_usual(bp_cuda_kind kind) {
    return kind.dimensions == 3 && kind.periodic == 0 && kind.narrow == 1;
}

template <bool USUAL> static __device__ __forceinline__ bp_cuda_kind kind_for(const bp_cuda_lattice &lattice) {
    const bp_cuda_kind usual = {3, 0, 1};
    return USUAL ? usual : lattice.kind;
}

// Loads a box that is not needed again.
static __device__ __forceinline__ bp_box load_box_once(const bp_box *box) {
    const float2 *parts = reinterpret_cast<const float2 *>(box);
    const float2 first = __ldcs(parts), second = __ldcs(parts + 1), third = __ldcs(parts + 2);
    return {{first.x, first.y, second.x}, {second.y, third.x, third.y}};
}

template <class Key, bool USUAL>
static __device__ __forceinline__ keyed_record<Key> keyed_record_of(const bp_cuda_lattice &lattice, const bp_box &box) {
    const bp_cuda_kind kind = kind_for<USUAL>(lattice);
    const uint32_t level = bp_cuda_level_of(kind, &lattice, &box);
    keyed_record<Key> result = {(Key)lattice.key_count, {0, 0}};
    if (level < lattice.level_count) {
        const bp_cuda_span span = bp_cuda_span_of(kind, &lattice, &lattice.levels[level], &box);
        result.key = (Key)bp_cuda_key_of(&lattice.levels[level], &span);
        result.record = bp_cuda_pack(kind, &span);
    }
    return result;
}

#endif
