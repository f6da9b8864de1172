#include "contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void granular_contacts_begin(granular_contacts *c, const bp_config *config, double margin) {
    *c = (granular_contacts){.margin = margin};
    if (config != NULL) c->config = *config;
    c->config.pair_order = BP_ORDER_SORTED;
}

void granular_contacts_end(granular_contacts *c) {
    bp_pairs_free(&c->pairs, &c->config);
    free(c->boxes);
    free(c->places);
    free(c->lists[0]);
    free(c->lists[1]);
    memset(c, 0, sizeof *c);
}

static int make_room(granular_contacts *c, size_t box_count) {
    if (box_count <= c->box_capacity) return 1;
    free(c->boxes);
    free(c->places);
    c->boxes = malloc(box_count * sizeof *c->boxes);
    c->places = malloc(box_count * sizeof *c->places);
    c->box_capacity = c->boxes != NULL && c->places != NULL ? box_count : 0;
    return c->box_capacity > 0;
}

bp_box granular_box_of_grain(const granular_grain *g, double margin) {
    const double reach = g->radius + margin;
    bp_box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = (float)(g->place[axis] - reach);
        box.max[axis] = (float)(g->place[axis] + reach);
    }
    return box;
}

bp_box granular_box_of_wall(const granular_wall *w) {
    bp_box box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    *(w->side > 0.0 ? &box.max[w->axis] : &box.min[w->axis]) = (float)w->at;
    return box;
}

// A tenth of the margin is left for rounding to floats.
int granular_has_moved_far(const granular_grain *g, const double from[3], double margin) {
    double square = 0.0;
    for (int axis = 0; axis < 3; ++axis) square += pow(g->place[axis] - from[axis], 2);
    return square > 0.81 * margin * margin;
}

static void make_boxes(granular_contacts *c, const granular_system *s) {
    for (size_t i = 0; i < s->grain_count; ++i) c->boxes[i] = granular_box_of_grain(&s->grains[i], c->margin);
    for (size_t i = 0; i < s->wall_count; ++i) c->boxes[s->grain_count + i] = granular_box_of_wall(&s->walls[i]);
}

static int has_one_moved_far(const granular_contacts *c, const granular_system *s) {
    for (size_t i = 0; i < s->grain_count; ++i) {
        if (granular_has_moved_far(&s->grains[i], c->places[i], c->margin)) return 1;
    }
    return 0;
}

static bp_status find_pairs(granular_contacts *c, const granular_system *s) {
    const clock_t start = clock();
    for (int axis = 0; axis < 3; ++axis) c->config.period[axis] = (float)s->period[axis];
    const bp_status status = bp_find_pairs(c->boxes, s->grain_count + s->wall_count, &c->config, &c->pairs);
    c->search_time += (double)(clock() - start) / CLOCKS_PER_SEC;
    ++c->searches;
    return status;
}

// Pairs become contacts; both lists are sorted by (a, b), so those that were there are met on the way.
static bp_status merge_pairs(granular_contacts *c, granular_system *s) {
    if (c->capacities[1] < c->pairs.count) {
        const size_t capacity = c->pairs.count + c->pairs.count / 4;
        free(c->lists[1]);
        c->lists[1] = malloc(capacity * sizeof *c->lists[1]);
        c->capacities[1] = c->lists[1] != NULL ? capacity : 0;
        if (c->lists[1] == NULL) return BP_ERROR_MEMORY;
    }
    granular_contact *list = c->lists[1];
    const granular_contact *old = s->contacts, *const end = old + s->contact_count;
    size_t count = 0;
    for (size_t i = 0; i < c->pairs.count; ++i) {
        const bp_pair pair = c->pairs.data[i];
        if (pair.a >= s->grain_count) continue; // two walls
        while (old < end && (old->a < pair.a || (old->a == pair.a && old->b < pair.b))) ++old;
        const int is_old = old < end && old->a == pair.a && old->b == pair.b;
        list[count++] = is_old ? *old : (granular_contact){.a = pair.a, .b = pair.b};
    }
    c->lists[1] = c->lists[0];
    c->lists[0] = list;
    const size_t capacity = c->capacities[1];
    c->capacities[1] = c->capacities[0];
    c->capacities[0] = capacity;
    s->contacts = list;
    s->contact_count = count;
    return BP_OK;
}

bp_status granular_contacts_renew(granular_contacts *c, granular_system *s) {
    if (c->searches > 0 && !has_one_moved_far(c, s)) return BP_OK;
    if (!make_room(c, s->grain_count + s->wall_count)) return BP_ERROR_MEMORY;
    make_boxes(c, s);
    const bp_status status = find_pairs(c, s);
    if (status != BP_OK) return status;
    for (size_t i = 0; i < s->grain_count; ++i) memcpy(c->places[i], s->grains[i].place, sizeof c->places[i]);
    return merge_pairs(c, s);
}

bp_status granular_step(granular_contacts *c, granular_system *s) {
    granular_kick(s);
    granular_drift(s);
    const bp_status status = granular_contacts_renew(c, s);
    granular_find_forces(s);
    granular_kick(s);
    return status;
}
