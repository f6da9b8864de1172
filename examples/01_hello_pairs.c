// Boxes in, pairs out: the smallest program.
#include <broadphase/broadphase.h>
#include <stdio.h>

int main(void) {
    const bp_box boxes[] = {
        {{0, 0, 0}, {2, 2, 2}},
        {{1, 1, 1}, {3, 3, 3}}, // overlaps the first
        {{3, 1, 1}, {4, 2, 2}}, // touches the second: that counts
        {{9, 9, 9}, {9, 9, 9}}, // a point, far away
    };
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs(boxes, 4, NULL, &pairs);
    if (status != BP_OK) {
        fprintf(stderr, "%s\n", bp_status_text(status));
        return 1;
    }
    for (size_t i = 0; i < pairs.count; ++i) {
        printf("%u overlaps %u\n", (unsigned)pairs.data[i].a, (unsigned)pairs.data[i].b);
    }
    const int as_expected = pairs.count == 2;
    bp_pairs_free(&pairs, NULL);
    return as_expected ? 0 : 1;
}
