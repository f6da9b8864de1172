// The pairs of some boxes by native scalar kernels, in the order found.
// usage: native_pairs METHOD...      boxes on standard input; on standard output, for each method, the count and the pairs
#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bp_box *read_boxes(size_t *count) {
    size_t capacity = 1 << 16;
    bp_box *boxes = malloc(capacity * sizeof *boxes);
    *count = 0;
    while (boxes != NULL) {
        *count += fread(boxes + *count, sizeof *boxes, capacity - *count, stdin);
        if (*count < capacity) break;
        capacity *= 2;
        boxes = realloc(boxes, capacity * sizeof *boxes);
    }
    return boxes;
}

static bp_method method_of(const char *name) {
    size_t i = 0;
    while (i < bp_method_count() && strcmp(bp_method_name(i), name) != 0) ++i;
    return (bp_method)i;
}

int main(int argc, char **argv) {
    size_t count;
    bp_box *boxes = read_boxes(&count);
    bp_pairs pairs = {0};
    if (boxes == NULL) return 1;
    for (int i = 1; i < argc; ++i) {
        const bp_config config = {.method = method_of(argv[i]),
                                  .settings = &(const bp_method_settings){.simd = BP_SIMD_SCALAR}};
        const bp_status status = bp_find_pairs(boxes, count, &config, &pairs);
        if (status != BP_OK) {
            fprintf(stderr, "%s: %s\n", argv[i], bp_status_text(status));
            return 1;
        }
        const uint32_t found = (uint32_t)pairs.count;
        fwrite(&found, sizeof found, 1, stdout);
        fwrite(pairs.data, sizeof *pairs.data, pairs.count, stdout);
    }
    bp_pairs_free(&pairs, NULL);
    free(boxes);
    return 0;
}
