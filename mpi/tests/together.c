#include "together.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int my_rank, rank_count;
char test_context[256] = "";

void describe(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(test_context, sizeof test_context, format, arguments);
    va_end(arguments);
}

void run_test(const char *name, void (*test)(void), int argument_count, char **arguments) {
    bool wanted = argument_count < 2;
    for (int i = 1; i < argument_count; ++i) wanted |= strcmp(arguments[i], name) == 0;
    if (!wanted) {
        return;
    }
    const double start = MPI_Wtime();
    describe("%s", name);
    test();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0) {
        printf("%-40s passed on %d ranks, %.2f s\n", name, rank_count, MPI_Wtime() - start);
        fflush(stdout);
    }
}

bool is_quick(void) {
    const char *value = getenv("BP_TEST_QUICK");
    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

static void write_log(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "[%d] %s (%s)\n", my_rank, text, test_context);
}

bp_log test_log(void) {
    return getenv("BP_TEST_LOG") != NULL ? (bp_log){.write = write_log} : (bp_log){0};
}

uint64_t throw_dice(dice *self) {
    uint64_t z = self->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double throw_unit(dice *self) {
    return (double)(throw_dice(self) >> 11) * 0x1p-53;
}

size_t throw_below(dice *self, size_t limit) {
    return (size_t)(throw_dice(self) % limit);
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    const bp_mpi_pair *x = a, *y = b;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

pair_list gather_pairs(const bp_mpi_pair *pairs, size_t count) {
    int mine = (int)(count * sizeof *pairs), total = 0;
    int *counts = calloc((size_t)rank_count * 2, sizeof *counts), *places = counts + rank_count;
    CHECK(counts != NULL);
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < rank_count; ++r) {
        places[r] = total;
        total += counts[r];
    }
    pair_list list = {.data = malloc((size_t)total + 16), .count = (size_t)total / sizeof *pairs};
    CHECK(list.data != NULL);
    MPI_Gatherv(pairs, mine, MPI_BYTE, list.data, counts, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    qsort(list.data, list.count, sizeof *list.data, compare);
    free(counts);
    return list;
}

pair_list widen_pairs(const bp_pair *pairs, size_t count) {
    if (my_rank != 0) return (pair_list){0};
    pair_list list = {.data = malloc(count * sizeof(bp_mpi_pair) + 16), .count = count};
    CHECK(list.data != NULL);
    for (size_t i = 0; i < count; ++i) list.data[i] = (bp_mpi_pair){pairs[i].a, pairs[i].b};
    qsort(list.data, list.count, sizeof *list.data, compare);
    return list;
}

void check_same(const pair_list *found, const pair_list *expected, const char *what) {
    if (my_rank != 0) return;
    const size_t common = found->count < expected->count ? found->count : expected->count;
    size_t i = 0;
    while (i < common && compare(&found->data[i], &expected->data[i]) == 0) ++i;
    if (i < common || found->count != expected->count) {
        const bp_mpi_pair none = {BP_MPI_NO_ID, BP_MPI_NO_ID};
        const bp_mpi_pair x = i < found->count ? found->data[i] : none;
        const bp_mpi_pair y = i < expected->count ? expected->data[i] : none;
        fprintf(stderr,
                "%s (%s): rank %d: %zu pairs instead of %zu; number %zu is (%llu, %llu) instead of (%llu, %llu)\n",
                what, test_context, my_rank, found->count, expected->count, i, (unsigned long long)x.a,
                (unsigned long long)x.b, (unsigned long long)y.a, (unsigned long long)y.b);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void pair_list_free(pair_list *list) {
    free(list->data);
    *list = (pair_list){0};
}

// ---- worlds --------------------------------------------------------------------------------------------------------

bool is_my_share(sharing how, size_t index) {
    const size_t ranks = (size_t)rank_count;
    switch (how) {
    case SHARE_FIRST_RANK: return my_rank == 0;
    case SHARE_LAST_EMPTY: return (int)(index % (ranks > 1 ? ranks - 1 : 1)) == my_rank;
    default: return (int)(index % ranks) == my_rank;
    }
}

void add_share(bp_mpi_world *world, const bp_box *boxes, size_t count, sharing how) {
    bp_box *mine = malloc(count * sizeof *mine + 1);
    uint64_t *ids = malloc(count * sizeof *ids + 1);
    size_t used = 0;
    CHECK(mine != NULL && ids != NULL);
    for (size_t i = 0; i < count; ++i) {
        if (is_my_share(how, i)) {
            mine[used] = boxes[i];
            ids[used++] = i;
        }
    }
    CHECK(bp_mpi_add_many(world, used, ids, mine, NULL, NULL, NULL) == BP_OK);
    free(mine);
    free(ids);
}

pair_list update_and_gather(bp_mpi_world *world) {
    bp_mpi_result result;
    const bp_status status = bp_mpi_update(world, &result);
    if (status != BP_OK) fprintf(stderr, "update: %s\n", bp_mpi_status_text(status));
    CHECK(status == BP_OK);
    return gather_pairs(result.pairs, result.pair_count);
}

pair_list expected_pairs(const bp_box *boxes, size_t count, const bp_config *config) {
    bp_pairs pairs = {0};
    if (my_rank != 0) return (pair_list){0};
    CHECK(bp_find_pairs(boxes, count, config, &pairs) == BP_OK);
    pair_list list = widen_pairs(pairs.data, pairs.count);
    bp_pairs_free(&pairs, config);
    return list;
}
