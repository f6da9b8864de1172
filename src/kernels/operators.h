// What is the same for all vector types: floats and ids alone, and vectors of them as GCC and Clang know them. The including
// file has vec, vec_ids and vec_mask.
#include <string.h>

static inline vec vec_load(const float *from) {
    vec values;
    memcpy(&values, from, sizeof values);
    return values;
}

static inline void vec_store(float *to, vec values) {
    memcpy(to, &values, sizeof values);
}

static inline vec vec_add(vec a, vec b) {
    return a + b;
}

static inline vec vec_subtract(vec a, vec b) {
    return a - b;
}

static inline vec vec_multiply(vec a, vec b) {
    return a * b;
}

static inline vec_ids vec_bits(vec values) {
    vec_ids bits;
    memcpy(&bits, &values, sizeof bits);
    return bits;
}

static inline vec_ids vec_ids_load(const uint32_t *from) {
    vec_ids ids;
    memcpy(&ids, from, sizeof ids);
    return ids;
}

static inline void vec_ids_store(uint32_t *to, vec_ids ids) {
    memcpy(to, &ids, sizeof ids);
}

static inline vec_mask vec_both(vec_mask a, vec_mask b) {
    return a & b;
}
