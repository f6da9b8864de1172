#include "comm.h"

#include "base/log.h"

#include <limits.h>
#include <string.h>
#include <zoltan_comm.h>
#include <zoltan_types.h>

enum { TAG_PLAN = 7, TAG_DATA = 8, TAG_ANSWER = 9 };

// ---- statuses ------------------------------------------------------------------------------------------------------

bp_status bp_mpi_check(bp_mpi_comm *comm, int code, const char *doing) {
    if (code == MPI_SUCCESS) {
        return BP_OK;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    bp_log_write(&comm->log, "MPI failed while %s: %s", doing, text);
    comm->broken = true;
    return BP_ERROR_MPI;
}

bp_status bp_mpi_agree_most(bp_mpi_comm *comm, bp_status status, int64_t *values, int count) {
    enum { MOST = 16 };
    if (comm->broken) {
        return BP_ERROR_MPI;
    }
    if (comm->size == 1) {
        return status;
    }
    int64_t mine[MOST] = {(int64_t)status}, all[MOST];
    memcpy(mine + 1, values, (size_t)count * sizeof *values);
    const bp_status sent = bp_mpi_check(comm, MPI_Allreduce(mine, all, count + 1, MPI_INT64_T, MPI_MAX, comm->handle),
                                        "agreeing on a status");
    if (sent != BP_OK) {
        return sent;
    }
    memcpy(values, all + 1, (size_t)count * sizeof *values);
    return (bp_status)all[0];
}

bp_status bp_mpi_agree(bp_mpi_comm *comm, bp_status status) {
    int64_t none = 0;
    return bp_mpi_agree_most(comm, status, &none, 0);
}

bp_status bp_mpi_sum(bp_mpi_comm *comm, int64_t *values, int count) {
    return comm->size == 1
               ? BP_OK
               : bp_mpi_check(comm, MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, comm->handle),
                              "adding up");
}

// ---- boxes of items ------------------------------------------------------------------------------------------------

void bp_mpi_outbox_begin(bp_mpi_outbox *outbox, size_t item_size) {
    outbox->item_size = item_size;
    outbox->count = 0;
    outbox->status = BP_OK;
}

void *bp_mpi_outbox_add(bp_mpi_outbox *outbox, const bp_allocator *allocator, int rank) {
    const size_t count = outbox->count, size = outbox->item_size;
    if (outbox->status == BP_OK &&
        (!bp_buffer_reserve_slack(&outbox->items, allocator, count * size, count + 1, size) ||
         !bp_buffer_reserve_slack(&outbox->ranks, allocator, count * sizeof rank, count + 1, sizeof rank))) {
        outbox->status = BP_ERROR_MEMORY;
    }
    if (outbox->status == BP_OK && count >= INT_MAX) {
        outbox->status = BP_ERROR_CAPACITY; // Zoltan's plans count items in 32 bits
    }
    if (outbox->status != BP_OK) {
        return NULL;
    }
    ((int *)outbox->ranks.data)[count] = rank;
    ++outbox->count;
    return (char *)outbox->items.data + count * size;
}

void bp_mpi_outbox_free(bp_mpi_outbox *outbox, const bp_allocator *allocator) {
    bp_buffer_free(&outbox->items, allocator);
    bp_buffer_free(&outbox->ranks, allocator);
}

void bp_mpi_inbox_free(bp_mpi_inbox *inbox, const bp_allocator *allocator) {
    bp_buffer *arrays[] = {&inbox->items, &inbox->order, &inbox->grouped, &inbox->to, &inbox->from, &inbox->requests};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        bp_buffer_free(arrays[i], allocator);
    }
}

// ---- the plan ------------------------------------------------------------------------------------------------------

// So many items from here on go to, or come from, a rank.
typedef struct stretch {
    int rank;
    size_t first, count;
} stretch;

// Brings the items into the order of their ranks; those of one rank stay in their order.
static bp_status group(const bp_mpi_comm *comm, const bp_mpi_outbox *outbox, bp_mpi_inbox *inbox) {
    const size_t count = outbox->count, size = outbox->item_size, ranks = (size_t)comm->size;
    const bp_allocator *allocator = &comm->allocator;
    if (!bp_buffer_reserve_slack(&inbox->grouped, allocator, 0, count, size) ||
        !bp_buffer_reserve_slack(&inbox->order, allocator, 0, count, sizeof(size_t)) ||
        !bp_buffer_reserve_slack(&inbox->to, allocator, 0, ranks + 1, sizeof(stretch)) ||
        !bp_buffer_reserve_slack(&inbox->from, allocator, 0, ranks + 1, sizeof(stretch))) {
        return BP_ERROR_MEMORY;
    }
    const int *rank_of = outbox->ranks.data;
    stretch *to = inbox->to.data;
    size_t *order = inbox->order.data;
    for (size_t r = 0; r < ranks; ++r) to[r] = (stretch){.rank = (int)r};
    for (size_t i = 0; i < count; ++i) ++to[rank_of[i]].count;
    for (size_t r = 1; r < ranks; ++r) to[r].first = to[r - 1].first + to[r - 1].count;
    for (size_t r = 0; r < ranks; ++r) to[r].count = 0;
    for (size_t i = 0; i < count; ++i) {
        stretch *stretch_of = &to[rank_of[i]];
        const size_t place = stretch_of->first + stretch_of->count++;
        memcpy((char *)inbox->grouped.data + place * size, (const char *)outbox->items.data + i * size, size);
        order[place] = i;
    }
    inbox->to_count = 0;
    for (size_t r = 0; r < ranks; ++r) {
        if (to[r].count > 0) to[inbox->to_count++] = to[r];
    }
    inbox->sent_count = count;
    return BP_OK;
}

static size_t pieces_of(const bp_mpi_comm *comm, const stretch *list, size_t count, size_t size) {
    size_t pieces = 0;
    for (size_t i = 0; i < count; ++i) pieces += (list[i].count * size + comm->limit - 1) / comm->limit;
    return pieces;
}

// Asks Zoltan which ranks send how much to this rank. `ranks` has room for all of them, twice.
static int invert(const bp_mpi_comm *comm, bp_mpi_inbox *inbox, int *destinations, int *ranks) {
    int arriving = 0, received = 0, to_itself = 0;
    ZOLTAN_COMM_OBJ *plan = NULL;
    int code = Zoltan_Comm_Create(&plan, (int)inbox->sent_count, destinations, comm->handle, TAG_PLAN, &arriving);
    if (code != ZOLTAN_OK) {
        return code;
    }
    int *lengths = ranks + comm->size;
    code = Zoltan_Comm_Info(plan, NULL, NULL, NULL, NULL, NULL, NULL, &received, ranks, lengths, NULL, NULL, NULL,
                            &to_itself);
    received += to_itself; // the lists include the rank itself
    (void)Zoltan_Comm_Destroy(&plan);
    stretch *from = inbox->from.data;
    inbox->count = 0;
    inbox->from_count = (size_t)received;
    for (int i = 0; i < received; ++i) {
        from[i] = (stretch){.rank = ranks[i], .first = inbox->count, .count = (size_t)lengths[i]};
        inbox->count += (size_t)lengths[i];
    }
    return code;
}

// Sorts senders by rank; the plan may have another order.
static void sort_senders(bp_mpi_inbox *inbox) {
    stretch *from = inbox->from.data;
    size_t first = 0;
    for (size_t i = 1; i < inbox->from_count; ++i) {
        const stretch moved = from[i];
        size_t place = i;
        for (; place > 0 && from[place - 1].rank > moved.rank; --place) from[place] = from[place - 1];
        from[place] = moved;
    }
    for (size_t i = 0; i < inbox->from_count; ++i) {
        from[i].first = first;
        first += from[i].count;
    }
}

static bp_status make_plan(bp_mpi_comm *comm, const bp_mpi_outbox *outbox, bp_mpi_inbox *inbox) {
    bp_buffer scratch = {0}; // destinations in order, then two numbers for each rank
    const size_t count = outbox->count;
    bp_status status =
        bp_buffer_reserve_slack(&scratch, &comm->allocator, 0, count + 2 * (size_t)comm->size + 1, sizeof(int))
            ? BP_OK
            : BP_ERROR_MEMORY;
    status = bp_mpi_agree(comm, status);
    if (status == BP_OK) {
        int *destinations = scratch.data;
        const size_t *order = inbox->order.data;
        for (size_t i = 0; i < count; ++i) destinations[i] = ((const int *)outbox->ranks.data)[order[i]];
        const int code = invert(comm, inbox, destinations, destinations + count);
        if (code != ZOLTAN_OK) {
            bp_log_write(&comm->log, "Zoltan could not plan an exchange of %zu items (code %d)", count, code);
            status = code == ZOLTAN_MEMERR ? BP_ERROR_MEMORY : BP_ERROR_INTERNAL;
        } else {
            sort_senders(inbox);
        }
    }
    bp_buffer_free(&scratch, &comm->allocator);
    return status;
}

// ---- sending -------------------------------------------------------------------------------------------------------

typedef struct transfer {
    char *bytes; // of the first item
    const stretch *list;
    size_t count;
} transfer;

// Posts one message for each piece; returns the first MPI error.
static int post(bp_mpi_comm *comm, const transfer *move, size_t size, int tag, bool sends, MPI_Request *requests,
                int *used) {
    for (size_t i = 0; i < move->count; ++i) {
        const stretch *one = &move->list[i];
        char *bytes = move->bytes + one->first * size;
        for (size_t left = one->rank == comm->rank ? 0 : one->count * size, piece; left > 0;
             left -= piece, bytes += piece) {
            piece = left < comm->limit ? left : comm->limit;
            MPI_Request *request = &requests[*used];
            const int code = sends ? MPI_Isend(bytes, (int)piece, MPI_BYTE, one->rank, tag, comm->handle, request)
                                   : MPI_Irecv(bytes, (int)piece, MPI_BYTE, one->rank, tag, comm->handle, request);
            if (code != MPI_SUCCESS) return code;
            ++*used;
            comm->bytes_sent += sends ? piece : 0;
            comm->messages += sends;
        }
    }
    return MPI_SUCCESS;
}

// Copies what a rank sends to itself.
static void copy_own_items(const bp_mpi_comm *comm, const transfer *out, const transfer *in, size_t size) {
    for (size_t i = 0; i < out->count; ++i) {
        for (size_t k = 0; out->list[i].rank == comm->rank && k < in->count; ++k) {
            if (in->list[k].rank == comm->rank) {
                memcpy(in->bytes + in->list[k].first * size, out->bytes + out->list[i].first * size,
                       out->list[i].count * size);
            }
        }
    }
}

static bp_status transmit(bp_mpi_comm *comm, const transfer *out, const transfer *in, size_t size, int tag,
                          bp_buffer *requests) {
    int used = 0;
    copy_own_items(comm, out, in, size);
    int code = post(comm, in, size, tag, false, requests->data, &used);
    if (code == MPI_SUCCESS) {
        code = post(comm, out, size, tag, true, requests->data, &used);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Waitall(used, requests->data, MPI_STATUSES_IGNORE);
    }
    return bp_mpi_check(comm, code, "exchanging items");
}

static bool reserve_requests(const bp_mpi_comm *comm, bp_mpi_inbox *inbox, size_t size) {
    const size_t pieces = pieces_of(comm, inbox->to.data, inbox->to_count, size) +
                          pieces_of(comm, inbox->from.data, inbox->from_count, size);
    return pieces < INT_MAX &&
           bp_buffer_reserve_slack(&inbox->requests, &comm->allocator, 0, pieces + 1, sizeof(MPI_Request));
}

bp_status bp_mpi_exchange(bp_mpi_comm *comm, bp_status status, const bp_mpi_outbox *outbox, bp_mpi_inbox *inbox) {
    inbox->count = inbox->to_count = inbox->from_count = inbox->sent_count = 0;
    inbox->item_size = outbox->item_size;
    status = status == BP_OK ? outbox->status : status;
    status = status == BP_OK ? group(comm, outbox, inbox) : status;
    int64_t most = (int64_t)outbox->count;
    status = bp_mpi_agree_most(comm, status, &most, 1);
    if (status != BP_OK || most == 0) {
        return status;
    }
    status = make_plan(comm, outbox, inbox);
    if (status == BP_OK &&
        (!bp_buffer_reserve_slack(&inbox->items, &comm->allocator, 0, inbox->count, inbox->item_size) ||
         !reserve_requests(comm, inbox, inbox->item_size))) {
        status = BP_ERROR_MEMORY;
    }
    status = bp_mpi_agree(comm, status);
    if (status != BP_OK) {
        return status;
    }
    const transfer out = {.bytes = inbox->grouped.data, .list = inbox->to.data, .count = inbox->to_count};
    const transfer in = {.bytes = inbox->items.data, .list = inbox->from.data, .count = inbox->from_count};
    return transmit(comm, &out, &in, inbox->item_size, TAG_DATA, &inbox->requests);
}

bp_status bp_mpi_answer(bp_mpi_comm *comm, bp_status status, bp_mpi_inbox *inbox, const void *replies, size_t size,
                        bp_buffer *answers) {
    bp_buffer returned = {0};
    if (status == BP_OK && (!bp_buffer_reserve_slack(&returned, &comm->allocator, 0, inbox->sent_count, size) ||
                            !bp_buffer_reserve_slack(answers, &comm->allocator, 0, inbox->sent_count, size) ||
                            !reserve_requests(comm, inbox, size))) {
        status = BP_ERROR_MEMORY;
    }
    status = bp_mpi_agree(comm, status);
    if (status == BP_OK) {
        const transfer out = {.bytes = (char *)replies, .list = inbox->from.data, .count = inbox->from_count};
        const transfer in = {.bytes = returned.data, .list = inbox->to.data, .count = inbox->to_count};
        status = transmit(comm, &out, &in, size, TAG_ANSWER, &inbox->requests);
    }
    const size_t *order = inbox->order.data;
    for (size_t i = 0; status == BP_OK && i < inbox->sent_count; ++i) {
        memcpy((char *)answers->data + order[i] * size, (char *)returned.data + i * size, size);
    }
    bp_buffer_free(&returned, &comm->allocator);
    return status;
}

// ---- from all to all -----------------------------------------------------------------------------------------------

// One round of at most `limit` bytes from all ranks together, of the concatenation of what all ranks send.
typedef struct round_plan {
    int *counts, *places;
} round_plan;

static int gather_round(const bp_mpi_comm *comm, const char *bytes, const uint64_t *starts, uint64_t first,
                        uint64_t last, round_plan plan, char *all) {
    for (int r = 0; r < comm->size; ++r) {
        const uint64_t low = starts[r] > first ? starts[r] : first, high = starts[r + 1] < last ? starts[r + 1] : last;
        plan.counts[r] = high > low ? (int)(high - low) : 0;
        plan.places[r] = high > low ? (int)(low - first) : 0;
    }
    const uint64_t mine = starts[comm->rank], from = first > mine ? first - mine : 0;
    return MPI_Allgatherv(plan.counts[comm->rank] > 0 ? bytes + from : bytes, plan.counts[comm->rank], MPI_BYTE,
                          all + first, plan.counts, plan.places, MPI_BYTE, comm->handle);
}

static bp_status gather_rounds(bp_mpi_comm *comm, const void *items, uint64_t *starts, round_plan plan, void *all) {
    bp_status status = BP_OK;
    const uint64_t total = starts[comm->size];
    for (uint64_t first = 0; status == BP_OK && first < total; first += comm->limit) {
        const uint64_t last = total - first < comm->limit ? total : first + comm->limit;
        status = bp_mpi_check(comm, gather_round(comm, items, starts, first, last, plan, all), "broadcasting boxes");
    }
    return status;
}

bp_status bp_mpi_gather(bp_mpi_comm *comm, bp_status status, const void *items, size_t count, size_t size,
                        bp_buffer *all, size_t *all_count) {
    int64_t most = (int64_t)count;
    *all_count = 0;
    status = bp_mpi_agree_most(comm, status, &most, 1);
    if (status != BP_OK || most == 0) {
        return status;
    }
    bp_buffer scratch = {0}, counts = {0};
    const size_t ranks = (size_t)comm->size;
    const bool good = bp_buffer_reserve_slack(&scratch, &comm->allocator, 0, ranks + 1, sizeof(uint64_t)) &&
                      bp_buffer_reserve_slack(&counts, &comm->allocator, 0, 2 * ranks, sizeof(int));
    status = bp_mpi_agree(comm, good ? BP_OK : BP_ERROR_MEMORY);
    uint64_t *starts = scratch.data;
    const uint64_t mine = (uint64_t)count * size;
    if (status == BP_OK) {
        starts[0] = 0;
        status = bp_mpi_check(comm, MPI_Allgather(&mine, 1, MPI_UINT64_T, starts + 1, 1, MPI_UINT64_T, comm->handle),
                              "broadcasting boxes");
        for (size_t r = 0; status == BP_OK && r < ranks; ++r) starts[r + 1] += starts[r];
    }
    if (status == BP_OK) {
        *all_count = (size_t)starts[ranks] / size;
        status = bp_mpi_agree(
            comm, bp_buffer_reserve_slack(all, &comm->allocator, 0, *all_count, size) ? BP_OK : BP_ERROR_MEMORY);
    }
    if (status == BP_OK) {
        const round_plan plan = {.counts = counts.data, .places = (int *)counts.data + ranks};
        status = gather_rounds(comm, items, starts, plan, all->data);
        comm->bytes_sent += comm->size > 1 ? mine : 0;
        comm->messages += count > 0 && comm->size > 1;
    }
    bp_buffer_free(&scratch, &comm->allocator);
    bp_buffer_free(&counts, &comm->allocator);
    return status;
}
