// Running the jobs of a split: first in rounds, so that there are many to share among threads, then each to its end.
//
//     rounds    one job ---> three ---> nine ---> ...         all jobs of a round in parallel, until they are small
//     units     | job | job | job | ...                       in parallel; each on a stack of its own, depth first
//
// What is decided depends on the boxes alone, and rounds keep the order in which jobs would run depth first. So the pairs
// are the same, in the same order, for any number of threads.
#ifndef BP_SPLIT_SEARCH_H
#define BP_SPLIT_SEARCH_H

#include "engine/split/split_job.h"
#include "kernels/range_tester.h"

enum {
    SPLIT_ROUNDS = 32, // at most
    SPLIT_CHUNKS = 32
};

// Memory for passengers, in chunks that double; taken and given back like a stack.
typedef struct split_stack {
    bp_buffer chunks[SPLIT_CHUNKS]; // of bp_record
    size_t chunk, used;             // where it ends
} split_stack;

// What one thread needs to run a job.
typedef struct split_bench {
    bp_buffer jobs;    // of waiting_job
    bp_buffer scratch; // of bp_record
    bp_buffer columns_buffer;
    bp_columns columns; // of a leaf
    split_stack stack;
} split_bench;

typedef struct split_search {
    const bp_method_setup *setup;
    bp_buffer records;               // of bp_record: all boxes, which are parted in place
    bp_buffer scratch;               // as many
    bp_buffer jobs[2];               // of split_job: of this round and the next
    bp_buffer steps;                 // of what each job of a round does
    bp_buffer counts;                // of the slabs,
    bp_buffer passengers;            // of bp_record: and their passengers
    bp_buffer carried[SPLIT_ROUNDS]; // of bp_record: the passengers of each round
    size_t job_count;
    size_t job_most;   // records of a job that is not divided in rounds
    bp_buffer benches; // of split_bench
    size_t bench_count;
    bp_block_sinks sinks;
} split_search;

void bp_split_search_free(split_search *search);
size_t bp_split_search_bytes(const split_search *search);

// All pairs within boxes[0 .. count), as (smaller id, larger id).
bp_status bp_split_search_within(split_search *search, const bp_box *boxes, size_t count, bp_sink *sink);

// All pairs of two sets, as (id in first, id in second).
bp_status bp_split_search_between(split_search *search, const bp_box *first, size_t first_count, const bp_box *second,
                                  size_t second_count, bp_sink *sink);

#endif
