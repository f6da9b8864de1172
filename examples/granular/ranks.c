#include "ranks.h"

#include "contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A contact on its way to the owners of its grains.
typedef struct courier {
    uint64_t a, b; // ids; b may be a wall, whose owner is then that of a
    double stretch[3];
    int a_owner, b_owner;
} courier;

typedef struct courier_list {
    courier *data;
    size_t count;
} courier_list;

static void *get_memory(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
        abort();
    }
    return memory;
}

#define NOWHERE UINT32_MAX

static int is_mine(const granular_ranks *r, size_t grain) {
    return r->owners[grain] == r->rank;
}

static int is_wall(const granular_ranks *r, uint64_t id) {
    return id >= r->whole_count;
}

// ---- messages -------------------------------------------------------------------------------------------------------

static MPI_Datatype type_of_bytes(size_t size) {
    MPI_Datatype type;
    MPI_Type_contiguous((int)size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

// Turns counts into offsets, and returns the sum.
static size_t add_up(const int *counts, int *offsets, int rank_count) {
    int sum = 0;
    for (int rank = 0; rank < rank_count; ++rank) {
        offsets[rank] = sum;
        sum += counts[rank];
    }
    return (size_t)sum;
}

// Each one goes to the owners of both grains. Takes the list, and returns what has come.
static courier_list deliver(const granular_ranks *r, courier_list list) {
    const size_t ranks = (size_t)r->rank_count;
    int *counts = get_memory(5 * ranks, sizeof *counts), *offsets = counts + ranks, *cursors = offsets + ranks;
    int *counts_in = cursors + ranks, *offsets_in = counts_in + ranks;
    for (size_t i = 0; i < list.count; ++i) {
        ++counts[list.data[i].a_owner];
        if (list.data[i].b_owner != list.data[i].a_owner) ++counts[list.data[i].b_owner];
    }
    courier *sorted = get_memory(add_up(counts, offsets, r->rank_count), sizeof *sorted);
    memcpy(cursors, offsets, ranks * sizeof *cursors);
    for (size_t i = 0; i < list.count; ++i) {
        const courier *c = &list.data[i];
        sorted[cursors[c->a_owner]++] = *c;
        if (c->b_owner != c->a_owner) sorted[cursors[c->b_owner]++] = *c;
    }
    MPI_Alltoall(counts, 1, MPI_INT, counts_in, 1, MPI_INT, r->communicator);
    courier_list in = {.count = add_up(counts_in, offsets_in, r->rank_count)};
    in.data = get_memory(in.count, sizeof *in.data);
    MPI_Datatype type = type_of_bytes(sizeof *sorted);
    MPI_Alltoallv(sorted, counts, offsets, type, in.data, counts_in, offsets_in, type, r->communicator);
    MPI_Type_free(&type);
    free(sorted);
    free(counts);
    free(list.data);
    return in;
}

// The grains of other ranks as they are there now.
static void exchange_states(granular_ranks *r) {
    const granular_traffic *out = &r->sent, *in = &r->received;
    for (size_t i = 0; i < out->count; ++i) out->grains[i] = r->system.grains[out->indices[i]];
    MPI_Alltoallv(out->grains, out->counts, out->offsets, r->grain_type, in->grains, in->counts, in->offsets,
                  r->grain_type, r->communicator);
    for (size_t i = 0; i < in->count; ++i) r->system.grains[in->indices[i]] = in->grains[i];
}

// ---- the search -----------------------------------------------------------------------------------------------------

// Boxes and state of what this rank owns; the state is the object's user data, and goes where the object goes.
static bp_status move_boxes(granular_ranks *r) {
    const size_t most = r->system.grain_count;
    uint64_t *ids = get_memory(most, sizeof *ids);
    bp_box *boxes = get_memory(most, sizeof *boxes);
    granular_grain *grains = get_memory(most, sizeof *grains);
    size_t count = 0;
    for (size_t i = 0; i < most; ++i) {
        if (!is_mine(r, i)) continue;
        ids[count] = r->ids[i];
        grains[count] = r->system.grains[i];
        boxes[count++] = granular_box_of_grain(&r->system.grains[i], r->margin);
    }
    bp_status status = bp_mpi_set_many(r->world, count, ids, NULL, grains);
    if (status == BP_OK) status = bp_mpi_move_many(r->world, count, ids, boxes);
    free(ids);
    free(boxes);
    free(grains);
    return status;
}

// Bits are kept: -0 is not slack.
static int is_slack(const granular_contact *contact) {
    for (int axis = 0; axis < 3; ++axis) {
        if (contact->stretch[axis] != 0.0 || signbit(contact->stretch[axis])) return 0;
    }
    return 1;
}

// The springs that are stretched, each from the rank that has owned its first grain, and the pairs that were found here.
static courier_list list_contacts(const granular_ranks *r, const bp_mpi_result *found) {
    const granular_system *s = &r->system;
    courier_list list = {.data = get_memory(s->contact_count + found->pair_count, sizeof *list.data)};
    for (size_t i = 0; i < s->contact_count; ++i) {
        const granular_contact *c = &s->contacts[i];
        if (!is_mine(r, c->a) || is_slack(c)) continue;
        courier *next = &list.data[list.count++];
        next->a = r->ids[c->a];
        next->b = c->b < s->grain_count ? r->ids[c->b] : r->whole_count + (c->b - s->grain_count);
        memcpy(next->stretch, c->stretch, sizeof next->stretch);
    }
    for (size_t i = 0; i < found->pair_count; ++i) {
        if (is_wall(r, found->pairs[i].a)) continue; // two walls
        list.data[list.count++] = (courier){.a = found->pairs[i].a, .b = found->pairs[i].b};
    }
    return list;
}

// Most are this rank's own, and marked. Only for the others the world has to be asked.
static bp_status find_owners(const granular_ranks *r, courier_list *list) {
    uint64_t *ids = get_memory(2 * list->count, sizeof *ids);
    int *owners = get_memory(2 * list->count, sizeof *owners), **asked = get_memory(2 * list->count, sizeof *asked);
    size_t count = 0;
    for (size_t i = 0; i < 2 * list->count; ++i) {
        courier *c = &list->data[i / 2];
        int *owner = i % 2 == 0 ? &c->a_owner : &c->b_owner;
        const uint64_t id = i % 2 == 0 || is_wall(r, c->b) ? c->a : c->b;
        *owner = r->rank;
        if (r->indices[id] != NOWHERE) continue;
        ids[count] = id;
        asked[count++] = owner;
    }
    const bp_status status = bp_mpi_find_owners(r->world, count, ids, owners);
    for (size_t i = 0; i < count && status == BP_OK; ++i) *asked[i] = owners[i];
    free(ids);
    free(owners);
    free(asked);
    return status;
}

// ---- what a rank knows ----------------------------------------------------------------------------------------------

static int compare_numbers(const void *x, const void *y) {
    const uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;
    return (p > q) - (p < q);
}

static size_t sort_and_unite(uint64_t *numbers, size_t count) {
    size_t kept = 0;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; ++i) {
        if (kept == 0 || numbers[kept - 1] != numbers[i]) numbers[kept++] = numbers[i];
    }
    return kept;
}

static void forget_traffic(granular_traffic *t) {
    free(t->counts);
    free(t->indices);
    free(t->grains);
    *t = (granular_traffic){0};
}

static void forget(granular_ranks *r) {
    for (size_t i = 0; i < r->system.grain_count; ++i) r->indices[r->ids[i]] = NOWHERE;
    free(r->system.grains);
    free(r->system.contacts);
    free(r->ids);
    free(r->owners);
    free(r->places);
    r->system.grains = NULL;
    r->system.contacts = NULL;
    r->system.grain_count = r->system.contact_count = 0;
    r->ids = NULL;
    r->owners = NULL;
    r->places = NULL;
    forget_traffic(&r->sent);
    forget_traffic(&r->received);
}

// Grains owned here are marked, by any index.
static void mark(granular_ranks *r, const bp_mpi_objects *mine) {
    for (size_t i = 0; i < mine->count; ++i) {
        if (!is_wall(r, mine->ids[i])) r->indices[mine->ids[i]] = 0;
    }
}

// Those owned here and their partners elsewhere.
static void learn_ids(granular_ranks *r, const bp_mpi_objects *mine, const courier_list *list) {
    size_t count = 0;
    r->ids = get_memory(mine->count + list->count, sizeof *r->ids); // one partner at most is elsewhere
    for (size_t i = 0; i < mine->count; ++i) {
        if (!is_wall(r, mine->ids[i])) r->ids[count++] = mine->ids[i];
    }
    for (size_t i = 0; i < list->count; ++i) {
        const courier *c = &list->data[i];
        if (c->a_owner != r->rank) r->ids[count++] = c->a;
        if (c->b_owner != r->rank) r->ids[count++] = c->b;
    }
    r->system.grain_count = sort_and_unite(r->ids, count);
    for (uint32_t i = 0; i < r->system.grain_count; ++i) r->indices[r->ids[i]] = i;
}

// The state of those owned here comes from their user data. That of the others comes with the next exchange.
static void learn_grains(granular_ranks *r, const bp_mpi_objects *mine) {
    const size_t count = r->system.grain_count;
    r->system.grains = get_memory(count, sizeof *r->system.grains);
    r->owners = get_memory(count, sizeof *r->owners);
    r->places = get_memory(count, sizeof *r->places);
    for (size_t i = 0; i < mine->count; ++i) {
        if (is_wall(r, mine->ids[i])) continue;
        const uint32_t at = r->indices[mine->ids[i]];
        granular_grain *g = &r->system.grains[at];
        memcpy(g, (const unsigned char *)mine->user + i * sizeof *g, sizeof *g);
        memcpy(r->places[at], g->place, sizeof g->place);
        r->owners[at] = r->rank;
    }
}

static granular_contact contact_of(const granular_ranks *r, const courier *c) {
    granular_contact contact = {.a = r->indices[c->a]};
    contact.b = is_wall(r, c->b) ? (uint32_t)(r->system.grain_count + (c->b - r->whole_count)) : r->indices[c->b];
    memcpy(contact.stretch, c->stretch, sizeof contact.stretch);
    return contact;
}

// Sorts the contacts of one grain by partner, and returns how many are left: a spring and a pair are one contact.
static size_t sort_row(granular_contact *row, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const granular_contact contact = row[i];
        size_t at = kept;
        while (at > 0 && row[at - 1].b > contact.b) --at;
        if (at > 0 && row[at - 1].b == contact.b) {
            if (is_slack(&row[at - 1])) row[at - 1] = contact;
            continue;
        }
        memmove(&row[at + 1], &row[at], (kept - at) * sizeof *row);
        row[at] = contact;
        ++kept;
    }
    return kept;
}

// Ascending by both indices: each goes into the row of its first grain, then rows are sorted.
static void learn_contacts(granular_ranks *r, const courier_list *list) {
    granular_system *s = &r->system;
    size_t *ends = get_memory(s->grain_count + 1, sizeof *ends), begin = 0;
    s->contacts = get_memory(list->count, sizeof *s->contacts);
    for (size_t i = 0; i < list->count; ++i) ++ends[r->indices[list->data[i].a] + 1];
    for (size_t i = 0; i < s->grain_count; ++i) ends[i + 1] += ends[i]; // so far where rows begin
    for (size_t i = 0; i < list->count; ++i) {
        const granular_contact contact = contact_of(r, &list->data[i]);
        s->contacts[ends[contact.a]++] = contact;
        r->owners[contact.a] = list->data[i].a_owner;
        if (contact.b < s->grain_count) r->owners[contact.b] = list->data[i].b_owner;
    }
    for (size_t i = 0; i < s->grain_count; ++i) {
        const size_t count = sort_row(&s->contacts[begin], ends[i] - begin);
        memmove(&s->contacts[s->contact_count], &s->contacts[begin], count * sizeof *s->contacts);
        s->contact_count += count;
        begin = ends[i];
    }
    free(ends);
}

// ---- who sends what to whom -----------------------------------------------------------------------------------------

// `parcels` are ranks (upper half) and indices (lower half), in any order and some of them twice. Takes them.
static granular_traffic traffic_of(const granular_ranks *r, uint64_t *parcels, size_t count) {
    const size_t ranks = (size_t)r->rank_count;
    granular_traffic t = {.count = sort_and_unite(parcels, count)};
    t.counts = get_memory(2 * ranks, sizeof *t.counts);
    t.offsets = t.counts + ranks;
    t.indices = get_memory(t.count, sizeof *t.indices);
    t.grains = get_memory(t.count, sizeof *t.grains);
    for (size_t i = 0; i < t.count; ++i) {
        ++t.counts[parcels[i] >> 32];
        t.indices[i] = (uint32_t)parcels[i];
    }
    (void)add_up(t.counts, t.offsets, r->rank_count);
    free(parcels);
    return t;
}

// Two grains that may touch, one here and one there: each side owes the other the state of its own.
static void plan_traffic(granular_ranks *r) {
    const granular_system *s = &r->system;
    uint64_t *out = get_memory(s->contact_count, sizeof *out), *in = get_memory(s->contact_count, sizeof *in);
    size_t count = 0;
    for (size_t i = 0; i < s->contact_count; ++i) {
        const granular_contact *c = &s->contacts[i];
        if (c->b >= s->grain_count || r->owners[c->a] == r->owners[c->b]) continue;
        const uint32_t mine = is_mine(r, c->a) ? c->a : c->b, other = is_mine(r, c->a) ? c->b : c->a;
        const uint64_t rank = (uint64_t)r->owners[other] << 32;
        out[count] = rank | mine;
        in[count++] = rank | other;
    }
    r->sent = traffic_of(r, out, count);
    r->received = traffic_of(r, in, count);
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static void learn(granular_ranks *r, const bp_mpi_objects *mine, courier_list list) {
    list = deliver(r, list);
    learn_ids(r, mine, &list);
    learn_grains(r, mine);
    learn_contacts(r, &list);
    plan_traffic(r);
    free(list.data);
}

static bp_status search(granular_ranks *r) {
    bp_mpi_result found;
    bp_mpi_objects mine;
    bp_status status = move_boxes(r);
    if (status == BP_OK) status = bp_mpi_update(r->world, &found);
    if (status == BP_OK) status = bp_mpi_owned(r->world, &mine);
    if (status != BP_OK) return status;
    courier_list list = list_contacts(r, &found);
    forget(r);
    mark(r, &mine);
    status = find_owners(r, &list);
    if (status != BP_OK) {
        free(list.data);
        return status;
    }
    learn(r, &mine, list);
    if (r->searches++ > 0) r->migrants += found.stats.migrated;
    return BP_OK;
}

static int has_one_moved_far(const granular_ranks *r) {
    int has_moved = 0;
    for (size_t i = 0; i < r->system.grain_count && !has_moved; ++i) {
        has_moved = is_mine(r, i) && granular_has_moved_far(&r->system.grains[i], r->places[i], r->margin);
    }
    MPI_Allreduce(MPI_IN_PLACE, &has_moved, 1, MPI_INT, MPI_LOR, r->communicator);
    return has_moved;
}

static bp_status renew(granular_ranks *r) {
    if (r->searches > 0 && !has_one_moved_far(r)) return BP_OK;
    const double start = MPI_Wtime();
    const bp_status status = search(r);
    r->search_time += MPI_Wtime() - start;
    return status;
}

// Copies of other ranks' grains are kicked and drift too, by forces that lack some of their contacts: no harm is done, as
// they are replaced before anyone looks at them.
bp_status granular_ranks_step(granular_ranks *r) {
    granular_kick(&r->system);
    granular_drift(&r->system);
    const bp_status status = renew(r);
    if (status != BP_OK) return status;
    exchange_states(r);
    granular_find_forces(&r->system);
    granular_kick(&r->system);
    return BP_OK;
}

// Grains are dealt out in turn; the first search sends them to their owners. The walls come from rank 0.
static bp_status add_all(granular_ranks *r, const granular_system *whole) {
    const size_t most = whole->grain_count + whole->wall_count;
    uint64_t *ids = get_memory(most, sizeof *ids);
    bp_box *boxes = get_memory(most, sizeof *boxes);
    granular_grain *grains = get_memory(most, sizeof *grains);
    size_t count = 0;
    for (size_t i = (size_t)r->rank; i < whole->grain_count; i += (size_t)r->rank_count) {
        ids[count] = i;
        grains[count] = whole->grains[i];
        boxes[count++] = granular_box_of_grain(&whole->grains[i], r->margin);
    }
    for (size_t i = 0; i < whole->wall_count && r->rank == 0; ++i) {
        ids[count] = whole->grain_count + i;
        boxes[count++] = granular_box_of_wall(&whole->walls[i]);
    }
    const bp_status status = bp_mpi_add_many(r->world, count, ids, boxes, NULL, grains, NULL);
    free(ids);
    free(boxes);
    free(grains);
    return status;
}

bp_status granular_ranks_begin(granular_ranks *r, MPI_Comm communicator, const bp_mpi_config *config,
                               const granular_system *whole, double margin) {
    *r = (granular_ranks){
        .system = *whole, .communicator = communicator, .whole_count = whole->grain_count, .margin = margin};
    r->system.grains = NULL; // none yet
    r->system.contacts = NULL;
    r->system.grain_count = r->system.contact_count = 0;
    MPI_Comm_rank(communicator, &r->rank);
    MPI_Comm_size(communicator, &r->rank_count);
    r->grain_type = type_of_bytes(sizeof(granular_grain));
    r->indices = get_memory(r->whole_count, sizeof *r->indices);
    for (size_t i = 0; i < r->whole_count; ++i) r->indices[i] = NOWHERE;
    bp_mpi_config own = config != NULL ? *config : (bp_mpi_config){0};
    own.user_bytes = sizeof(granular_grain);
    for (int axis = 0; axis < 3; ++axis) own.local.period[axis] = (float)whole->period[axis];
    bp_status status = bp_mpi_world_create(communicator, &own, &r->world);
    if (status == BP_OK) status = add_all(r, whole);
    if (status == BP_OK) status = renew(r);
    if (status != BP_OK) {
        granular_ranks_end(r);
        return status;
    }
    exchange_states(r);
    granular_find_forces(&r->system);
    return BP_OK;
}

void granular_ranks_end(granular_ranks *r) {
    forget(r);
    free(r->indices);
    bp_mpi_world_destroy(r->world);
    MPI_Type_free(&r->grain_type);
    memset(r, 0, sizeof *r);
}

void granular_ranks_gather(const granular_ranks *r, granular_grain *grains) {
    typedef struct entry {
        uint64_t id;
        granular_grain grain;
    } entry;
    const size_t ranks = (size_t)r->rank_count;
    int *counts = get_memory(2 * ranks, sizeof *counts), *offsets = counts + ranks, count = 0;
    entry *mine = get_memory(r->system.grain_count, sizeof *mine);
    entry *all = r->rank == 0 ? get_memory(r->whole_count, sizeof *all) : NULL;
    for (size_t i = 0; i < r->system.grain_count; ++i) {
        if (is_mine(r, i)) mine[count++] = (entry){r->ids[i], r->system.grains[i]};
    }
    MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, r->communicator);
    MPI_Datatype type = type_of_bytes(sizeof *mine);
    const size_t sum = r->rank == 0 ? add_up(counts, offsets, r->rank_count) : 0;
    MPI_Gatherv(mine, count, type, all, counts, offsets, type, 0, r->communicator);
    for (size_t i = 0; i < sum; ++i) grains[all[i].id] = all[i].grain;
    MPI_Type_free(&type);
    free(mine);
    free(all);
    free(counts);
}
