// A program that has functions of its own, with names that the files of the library might use inside: it links, and neither
// side calls the other's.
#include <broadphase/broadphase.h>

#include <stdio.h>
#include <stdlib.h>

static int calls;

int bvh_tree_build(void *tree, int count);
int octree_insert(void *tree, int count);
int radix_sort(void *keys, int count);
int parallel_for(void *tasks, int count);

int bvh_tree_build(void *tree, int count) {
    return (void)tree, calls++, count;
}
int octree_insert(void *tree, int count) {
    return (void)tree, calls++, count;
}
int radix_sort(void *keys, int count) {
    return (void)keys, calls++, count;
}
int parallel_for(void *tasks, int count) {
    return (void)tasks, calls++, count;
}

enum { COUNT = 5000 };

static size_t count_pairs(const bp_box *boxes, bp_method method) {
    bp_config config = {.method = method, .threads = 2};
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs(boxes, COUNT, &config, &pairs);
    if (status != BP_OK) {
        printf("%s: %s\n", bp_method_name((size_t)method), bp_status_text(status));
        exit(1);
    }
    bp_pairs_free(&pairs, &config);
    return pairs.count;
}

int main(void) {
    static bp_box boxes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        for (int axis = 0; axis < 3; axis++) {
            boxes[i].min[axis] = (float)(rand() % 1000);
            boxes[i].max[axis] = boxes[i].min[axis] + 20;
        }
    }
    const size_t expected = count_pairs(boxes, BP_METHOD_BRUTE_FORCE);
    for (size_t method = 0; method < bp_method_count(); method++) {
        const size_t found = count_pairs(boxes, (bp_method)method);
        if (found == expected) continue;
        printf("%s: %zu pairs, brute force finds %zu\n", bp_method_name(method), found, expected);
        return 1;
    }
    if (calls != 0) return puts("the library called functions of the program"), 1;
    return bvh_tree_build(NULL, 1) + octree_insert(NULL, 1) + radix_sort(NULL, 1) + parallel_for(NULL, 1) == calls ? 0
                                                                                                                   : 1;
}
