// verify: finds the pairs of every scene on the device and on the CPU, and compares them.
//
//     up to 2 million boxes   compares both sorted lists; runs twice on the device and compares the bytes
//     above                   compares a sum of hashes of the pairs
//     too many pairs to list  compares only their number
#include "tool.h"

#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t LISTED_MOST = 2000000;
static const uint64_t PAIRS_MOST = 400000000;

typedef struct check {
    const char *scene;
    const bp_box *boxes;
    size_t count;
    bp_config config;
    bp_cuda_context *context;
} check;

static uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

static uint64_t hash_of(const bp_pair *pairs, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += mix((uint64_t)pairs[i].a << 32 | pairs[i].b);
    }
    return sum;
}

static int compare_pairs(const void *left, const void *right) {
    const bp_pair *a = left, *b = right;
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    return a->b < b->b ? -1 : a->b > b->b;
}

static bool report(const check *c, const char *what, bool good, uint64_t device, uint64_t host) {
    if (good) {
        printf("%-20s %10zu %-10s %12llu pairs  ok\n", c->scene, c->count, what, (unsigned long long)device);
    } else {
        printf("%-20s %10zu %-10s device %llu, host %llu  DIFFERENT\n", c->scene, c->count, what,
               (unsigned long long)device, (unsigned long long)host);
    }
    fflush(stdout);
    return good;
}

// Checks only the number of pairs: all boxes are identical, so all pairs overlap.
static bool check_number(const check *c, uint64_t found) {
    if (strcmp(c->scene, "identical") == 0) {
        const uint64_t all = (uint64_t)c->count * (c->count - 1) / 2;
        return report(c, "number", found == all, found, all);
    }
    bp_config config = c->config;
    bp_pairs none = {0};
    config.flags = BP_PAIRS_FIXED;
    (void)bp_find_pairs(c->boxes, c->count, &config, &none);
    return report(c, "number", found == none.count, found, none.count);
}

static bool same_lists(const check *c, bp_pair *device, uint64_t found, const bp_pairs *host) {
    if (found != host->count) {
        return false;
    }
    if (c->count > LISTED_MOST) {
        return hash_of(device, found) == hash_of(host->data, host->count);
    }
    qsort(device, found, sizeof *device, compare_pairs);
    return found == 0 || memcmp(device, host->data, found * sizeof *device) == 0;
}

// A second run must give the same bytes.
static bool is_repeated(const check *c, const bp_pair *pairs, uint64_t found) {
    uint64_t again = 0;
    bp_pair *other = malloc((found + 1) * sizeof *other);
    const bp_status status = other == NULL
                                 ? BP_ERROR_MEMORY
                                 : bp_cuda_find_pairs_host(c->context, c->boxes, c->count, other, found + 1, &again);
    const bool same = status == BP_OK && again == found && memcmp(pairs, other, found * sizeof *pairs) == 0;
    free(other);
    return same || report(c, "repeated", false, again, found);
}

static bool check_pairs(const check *c) {
    uint64_t found = 0, listed = 0;
    bp_status status = bp_cuda_find_pairs_host(c->context, c->boxes, c->count, NULL, 0, &found);
    if (status != BP_OK) {
        printf("%-20s %10zu %s  FAILED\n", c->scene, c->count, bp_status_text(status));
        return false;
    }
    if (found > PAIRS_MOST) {
        return check_number(c, found);
    }
    bp_pair *pairs = malloc((found + 1) * sizeof *pairs);
    bp_pairs host = {0};
    bool good = pairs != NULL && bp_find_pairs(c->boxes, c->count, &c->config, &host) == BP_OK;
    good = good && bp_cuda_find_pairs_host(c->context, c->boxes, c->count, pairs, found + 1, &listed) == BP_OK;
    good = good && listed == found && (c->count > LISTED_MOST || is_repeated(c, pairs, found));
    good = good && same_lists(c, pairs, found, &host);
    bp_pairs_free(&host, &c->config);
    free(pairs);
    return report(c, c->count > LISTED_MOST ? "hash" : "sorted", good, found, host.count);
}

// Between the first third of the boxes and the others.
static bool check_between(const check *c) {
    const size_t first = c->count / 3;
    const bp_box *others = c->boxes + first;
    uint64_t found = 0;
    bp_pairs host = {0};
    bool good = bp_find_pairs_between(c->boxes, first, others, c->count - first, &c->config, &host) == BP_OK;
    bp_pair *pairs = malloc((host.count + 1) * sizeof *pairs);
    good = good && pairs != NULL &&
           bp_cuda_find_pairs_between_host(c->context, c->boxes, first, others, c->count - first, pairs, host.count + 1,
                                           &found) == BP_OK;
    good = good && same_lists(c, pairs, found, &host);
    const size_t expected = host.count;
    bp_pairs_free(&host, &c->config);
    free(pairs);
    return report(c, "between", good, found, expected);
}

static bool check_scene(const char *name, size_t count, const tool_options *options) {
    const char *error = NULL;
    const scene_options wanted = {.count = count, .seed = options->seed};
    scene *s = scene_create(name, &wanted, &error);
    if (s == NULL) {
        printf("%-20s %10zu %s  FAILED\n", name, count, error);
        return false;
    }
    check c = {.scene = name, .boxes = scene_boxes(s), .count = scene_box_count(s)};
    c.config = (bp_config){.dimensions = scene_dimensions(s), .threads = -1, .log = {tool_log, NULL}};
    c.config.pair_order = count > LISTED_MOST ? BP_ORDER_FOUND : BP_ORDER_SORTED;
    bp_config device = {.dimensions = scene_dimensions(s), .log = {tool_log, NULL}};
    const bp_status status = bp_cuda_create(&device, &c.context);
    bool good = status == BP_OK && check_pairs(&c);
    if (good && !options->quick && count <= LISTED_MOST && strcmp(name, "identical") != 0) {
        good = check_between(&c);
    }
    bp_cuda_destroy(c.context);
    scene_destroy(s);
    return good;
}

int tool_verify(const tool_options *options) {
    const size_t usual[] = {10000, 100000, 1000000};
    const size_t count_count = options->count_count > 0 ? options->count_count : 3;
    const size_t scene_all = options->scene_count > 0 ? options->scene_count : scene_count();
    size_t failures = 0;
    for (size_t i = 0; i < count_count; ++i) {
        for (size_t s = 0; s < scene_all; ++s) {
            const char *name = options->scene_count > 0 ? options->scenes[s] : scene_name(s);
            failures += !check_scene(name, options->count_count > 0 ? options->counts[i] : usual[i], options);
        }
    }
    printf("%zu of %zu checks failed\n", failures, count_count * scene_all);
    return failures > 0;
}
