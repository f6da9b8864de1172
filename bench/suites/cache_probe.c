// broadphase-cache-probe ORDER KEYS ENTRIES: asks the question of locality.h once and prints how many pairs and candidates
// there were. Small enough for a simulator (core/callgrind.c).
#include "suites/locality.h"

#include <broadphase/broadphase_methods.h>
#include <stdio.h>
#include <string.h>

static bool find_order(const char *name, locality_order *order) {
    for (int i = 0; i < LOCALITY_ORDERS; i++)
        if (strcmp(locality_orders[i], name) == 0) {
            *order = (locality_order)i;
            return true;
        }
    return false;
}

int main(int argc, char **argv) {
    locality_order order;
    const bool z_curve = argc == 4 && strcmp(argv[2], "z-curve") == 0;
    const bool prints = argc == 4 && strcmp(argv[3], "footprint") == 0;
    if (argc != 4 || !find_order(argv[1], &order) || (!z_curve && strcmp(argv[2], "row-major") != 0) ||
        (!prints && strcmp(argv[3], "corner") != 0)) {
        fprintf(stderr, "Usage: broadphase-cache-probe mesh|random|z-curve row-major|z-curve corner|footprint\n");
        return 2;
    }
    locality_question q = locality_ask(order);
    bp_stats stats = {0};
    bp_pairs pairs = {0};
    const bp_method_settings settings = {.compact_keys = z_curve ? BP_KEYS_Z_CURVE : BP_KEYS_ROW_MAJOR,
                                         .grid_entries = prints ? BP_ENTRIES_FOOTPRINT : BP_ENTRIES_CORNER,
                                         .cell_size = q.cell_size};
    const bp_config config = {.method = BP_METHOD_COMPACT_GRID, .stats = &stats, .settings = &settings};
    const bp_status status =
        bp_find_pairs_between(q.edges, q.edge_count, q.triangles, q.triangle_count, &config, &pairs);
    if (status == BP_OK)
        printf("pairs %zu tests %llu\n", pairs.count, (unsigned long long)stats.tests);
    else
        fprintf(stderr, "broadphase-cache-probe: %s\n", bp_status_text(status));
    bp_pairs_free(&pairs, &config);
    locality_free(&q);
    return status == BP_OK ? 0 : 1;
}
