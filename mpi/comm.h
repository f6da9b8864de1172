// Communication: agreeing on a status, and sending items of one size to their ranks.
//
//     outbox: item -> rank     grouped by rank     Zoltan's plan: who sends how much to whom     pieces below the limit
//     ------------------------>------------------>---------------------------------------------->---------------> inbox
//
// Zoltan makes the plan; the bytes are sent here, because Zoltan's own sending counts them in 32 bits and does not
// report MPI errors.
#ifndef BP_MPI_COMM_H
#define BP_MPI_COMM_H

#include "list.h"

#include <broadphase/broadphase_mpi.h>

typedef struct bp_mpi_comm {
    MPI_Comm handle;
    int rank, size;
    size_t limit; // bytes per message
    bp_allocator allocator;
    bp_log log;
    bool broken; // MPI has failed: nothing works any more
    uint64_t bytes_sent, messages;
} bp_mpi_comm;

// BP_OK, or BP_ERROR_MPI with a line in the log.
bp_status bp_mpi_check(bp_mpi_comm *comm, int code, const char *doing);

// The largest status of all ranks. Every rank must call it.
bp_status bp_mpi_agree(bp_mpi_comm *comm, bp_status status);
// The same, and the largest of some numbers: `values` are replaced.
bp_status bp_mpi_agree_most(bp_mpi_comm *comm, bp_status status, int64_t *values, int count);
// Sums numbers over all ranks. Every rank must call it.
bp_status bp_mpi_sum(bp_mpi_comm *comm, int64_t *values, int count);

// Items to send. Once adding has failed, `status` holds the error and further adding does nothing.
typedef struct bp_mpi_outbox {
    bp_buffer items, ranks;
    size_t item_size, count;
    bp_status status;
} bp_mpi_outbox;

void bp_mpi_outbox_begin(bp_mpi_outbox *outbox, size_t item_size);
// Room for one more item, or NULL.
void *bp_mpi_outbox_add(bp_mpi_outbox *outbox, const bp_allocator *allocator, int rank);
void bp_mpi_outbox_free(bp_mpi_outbox *outbox, const bp_allocator *allocator);

// The items that arrived, sorted by sender and then in the order of its outbox; and the way back for replies.
typedef struct bp_mpi_inbox {
    bp_buffer items;
    size_t item_size, count;

    // the plan: entry i is a rank, a number of items, and where they begin
    bp_buffer order; // of the outbox: where each item is after grouping
    bp_buffer grouped, to, from, requests;
    size_t to_count, from_count, sent_count;
} bp_mpi_inbox;

void bp_mpi_inbox_free(bp_mpi_inbox *inbox, const bp_allocator *allocator);

// Collective. `status` is this rank's status so far: if it is an error on any rank, nothing is sent, and all ranks
// return an error.
bp_status bp_mpi_exchange(bp_mpi_comm *comm, bp_status status, const bp_mpi_outbox *outbox, bp_mpi_inbox *inbox);

// Collective: sends a reply of `size` bytes for each item that has arrived back to its sender; `answers` gets the
// replies in the order of the outbox.
bp_status bp_mpi_answer(bp_mpi_comm *comm, bp_status status, bp_mpi_inbox *inbox, const void *replies, size_t size,
                        bp_buffer *answers);

// Collective: gathers the items of all ranks on all ranks, by rank. `all` gets `*all_count` items.
bp_status bp_mpi_gather(bp_mpi_comm *comm, bp_status status, const void *items, size_t count, size_t size,
                        bp_buffer *all, size_t *all_count);

#endif
