// A program outside the project: three boxes, of which two touch.
#include <broadphase/broadphase.h>
#include <stdio.h>

int main(void) {
    const bp_box boxes[] = {{{0, 0, 0}, {1, 1, 1}}, {{5, 5, 5}, {6, 6, 6}}, {{1, 1, 1}, {2, 2, 2}}};
    bp_pairs pairs = {0};
    const bp_status status = bp_find_pairs(boxes, 3, NULL, &pairs);
    const int good = status == BP_OK && pairs.count == 1 && pairs.data[0].a == 0 && pairs.data[0].b == 2;
    printf("broadphase %s: %s, %zu pair(s)\n", bp_version(), bp_status_text(status), pairs.count);
    bp_pairs_free(&pairs, NULL);
    return good ? 0 : 1;
}
