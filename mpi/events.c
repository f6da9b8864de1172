// Begin and end events of the whole world, although pairs move from rank to rank.
//
// Each rank knows which pairs it reports now and did not before, and the other way round. A pair that has only changed
// its reporter is both: new on one rank, lost on another. Where that can happen, both send a claim to a third rank, the
// pair's home, and the two claims cancel out there. It cannot happen
//   - for an object that was added since: its pairs have begun, whatever an earlier object with the same id had;
//   - for an object that concerned this rank alone at both times: no other rank can have reported its pairs.
// So only pairs near the faces of regions are sent, and, after a new partition, all pairs that moved.
#include "world.h"

#include <stdlib.h>
#include <string.h>

typedef struct claim {
    bp_mpi_pair pair;
    uint32_t begun; // or ended
    uint32_t index; // where it has arrived
} claim;

static int home_of_pair(const bp_mpi_world *world, bp_mpi_pair pair) {
    return bp_mpi_home_of(world, bp_mpi_hash(pair.a) * 3 + pair.b);
}

static bool add_pair(bp_mpi_world *world, bp_mpi_pairs *list, bp_mpi_pair pair) {
    if (!bp_mpi_pairs_reserve(list, bp_mpi_allocator(world), list->count + 1)) {
        return false;
    }
    bp_mpi_pairs_data(list)[list->count++] = pair;
    return true;
}

// Adds an event where it is certain; else a claim for the pair's home.
static bool state(bp_mpi_world *world, bp_mpi_outbox *claims, bp_mpi_pair pair, bool begun, bool certain) {
    if (certain || world->comm.size == 1) {
        return add_pair(world, begun ? &world->next_begun : &world->next_ended, pair);
    }
    claim *item = bp_mpi_outbox_add(claims, bp_mpi_allocator(world), home_of_pair(world, pair));
    if (item != NULL) {
        *item = (claim){.pair = pair, .begun = begun};
    }
    return item != NULL;
}

// ---- from the events of the local world ----------------------------------------------------------------------------

static bool is_settled(unsigned flags) {
    return (flags & (BP_MPI_SHARED | BP_MPI_SHARED_BEFORE | BP_MPI_ARRIVED | BP_MPI_GONE | BP_MPI_PARKED)) == 0;
}

static bool state_found(bp_mpi_world *world, bp_mpi_outbox *claims, const bp_result *result) {
    const uint8_t *flags = world->local.flags.data;
    const uint64_t *ids = world->local.ids.data, *ids_before = world->local.ids_before.data;
    bool good = true;
    for (size_t i = 0; good && i < result->begun_count; ++i) {
        const bp_pair pair = result->begun[i];
        const unsigned a = flags[pair.a], b = flags[pair.b];
        good = state(world, claims, bp_mpi_pair_of(ids[pair.a], ids[pair.b]), true,
                     ((a | b) & BP_MPI_BORN) != 0 || is_settled(a) || is_settled(b));
    }
    for (size_t i = 0; good && i < result->ended_count; ++i) {
        const bp_pair pair = result->ended[i];
        const bool certain = is_settled(flags[pair.a]) || is_settled(flags[pair.b]);
        good = state(world, claims, bp_mpi_pair_of(ids_before[pair.a], ids_before[pair.b]), false, certain);
    }
    return good;
}

// ---- from the last pairs and the new ones, where the local world is new --------------------------------------------

static bool copy_sorted(bp_mpi_world *world, const bp_mpi_pairs *from, bp_mpi_pairs *to) {
    if (!bp_mpi_pairs_reserve(to, bp_mpi_allocator(world), from->count + 1)) {
        return false;
    }
    if (from->count > 0) {
        memcpy(to->memory.data, from->memory.data, from->count * sizeof(bp_mpi_pair));
    }
    to->count = from->count;
    return bp_mpi_sort_pairs(to, &world->scratch, bp_mpi_allocator(world));
}

// The ids of new objects.
static bool collect_born(bp_mpi_world *world, bp_mpi_map *born) {
    const bp_mpi_list *adds = &world->update.adds;
    const bp_mpi_addition *added = adds->memory.data;
    size_t count = 0;
    for (size_t i = 0; i < adds->count; ++i) count += (added[i].flags & BP_MPI_BORN) != 0;
    if (!bp_mpi_map_reserve(born, bp_mpi_allocator(world), count)) {
        return false;
    }
    for (size_t i = 0; i < adds->count; ++i) {
        if ((added[i].flags & BP_MPI_BORN) != 0) bp_mpi_map_put(born, added[i].id, 0);
    }
    return true;
}

static int compare(bp_mpi_pair a, bp_mpi_pair b) {
    return a.a != b.a ? (a.a < b.a ? -1 : 1) : (a.b > b.b) - (a.b < b.b);
}

static bool state_difference(bp_mpi_world *world, bp_mpi_outbox *claims, const bp_mpi_pairs *before,
                             const bp_mpi_pairs *after, const bp_mpi_map *born) {
    const bp_mpi_pair *old = bp_mpi_pairs_data(before), *new = bp_mpi_pairs_data(after);
    size_t i = 0, k = 0;
    bool good = true;
    while (good && (i < before->count || k < after->count)) {
        const int order = i == before->count ? 1 : k == after->count ? -1 : compare(old[i], new[k]);
        const bp_mpi_pair pair = order < 0 ? old[i] : new[k];
        const bool is_born = bp_mpi_map_find(born, pair.a) != NULL || bp_mpi_map_find(born, pair.b) != NULL;
        if (order < 0 || (order == 0 && is_born)) good = state(world, claims, pair, false, is_born);
        if (order > 0 || (order == 0 && is_born)) good = good && state(world, claims, pair, true, is_born);
        i += order <= 0;
        k += order >= 0;
    }
    return good;
}

static bool state_all(bp_mpi_world *world, bp_mpi_outbox *claims) {
    bp_mpi_pairs before = {0}, after = {0};
    bp_mpi_map born = {0};
    const bool good = copy_sorted(world, &world->pairs, &before) && copy_sorted(world, &world->next_pairs, &after) &&
                      collect_born(world, &born) && state_difference(world, claims, &before, &after, &born);
    bp_buffer_free(&before.memory, bp_mpi_allocator(world));
    bp_buffer_free(&after.memory, bp_mpi_allocator(world));
    bp_mpi_map_free(&born, bp_mpi_allocator(world));
    return good;
}

// ---- claims at the pair's home -------------------------------------------------------------------------------------

static int compare_claims(const void *a, const void *b) {
    const claim *x = a, *y = b;
    const int order = compare(x->pair, y->pair);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

// A pair that one rank has lost and another has found has only changed its reporter: both claims are dropped.
static void cancel_moved_pairs(claim *claims, size_t count, uint8_t *stands) {
    for (size_t i = 0; i < count; ++i) {
        claims[i].index = (uint32_t)i;
        stands[i] = 1;
    }
    if (count > 1) {
        qsort(claims, count, sizeof *claims, compare_claims);
    }
    for (size_t i = 1; i < count; ++i) {
        if (compare(claims[i - 1].pair, claims[i].pair) == 0 && claims[i - 1].begun != claims[i].begun) {
            stands[claims[i - 1].index] = stands[claims[i].index] = 0;
        }
    }
}

static bp_status settle_claims(bp_mpi_world *world, bp_status status, const bp_mpi_outbox *claims) {
    const bp_allocator *allocator = bp_mpi_allocator(world);
    bp_mpi_inbox in = {0};
    bp_buffer stands = {0}, answers = {0};
    status = bp_mpi_exchange(&world->comm, status, claims, &in);
    if (status == BP_OK) {
        const bool good = bp_buffer_reserve_slack(&stands, allocator, 0, in.count + 1, 1);
        if (good) cancel_moved_pairs(in.items.data, in.count, stands.data);
        status = bp_mpi_answer(&world->comm, good ? BP_OK : BP_ERROR_MEMORY, &in, stands.data, 1, &answers);
    }
    const claim *mine = claims->items.data;
    for (size_t i = 0; status == BP_OK && i < claims->count; ++i) {
        if (((const uint8_t *)answers.data)[i] != 0 &&
            !add_pair(world, mine[i].begun ? &world->next_begun : &world->next_ended, mine[i].pair)) {
            status = BP_ERROR_MEMORY;
        }
    }
    bp_mpi_inbox_free(&in, allocator);
    bp_buffer_free(&stands, allocator);
    bp_buffer_free(&answers, allocator);
    return status;
}

bp_status bp_mpi_find_events(bp_mpi_world *world, bp_status status, const bp_result *result) {
    bp_mpi_outbox claims = {0};
    bp_mpi_outbox_begin(&claims, sizeof(claim));
    world->next_begun.count = world->next_ended.count = 0;
    if (status == BP_OK) {
        const bool good = world->update.full ? state_all(world, &claims) : state_found(world, &claims, result);
        status = good ? BP_OK : claims.status != BP_OK ? claims.status : BP_ERROR_MEMORY;
    }
    if (world->comm.size > 1) {
        status = settle_claims(world, status, &claims);
    }
    bp_mpi_outbox_free(&claims, bp_mpi_allocator(world));
    if (status == BP_OK && (!bp_mpi_sort_pairs(&world->next_begun, &world->scratch, bp_mpi_allocator(world)) ||
                            !bp_mpi_sort_pairs(&world->next_ended, &world->scratch, bp_mpi_allocator(world)))) {
        status = BP_ERROR_MEMORY;
    }
    return status;
}
