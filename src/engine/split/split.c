// split: recursive splits at the planes that eliminate the most pairs.
//
//           plane                  Idea: a sample picks, over all axes, the plane that separates the most pairs of
//       [--]  |                    boxes. Those before it never meet those behind it. Those across it form a job of
//          [--|-----]              their own, and travel down with both sides as passengers. No grid and no classes of
//             |   [--]             sizes or shapes: so no input is bad.
//
// Layout: boxes are records of 32 bytes (base/records.h), which are partitioned in place; passengers are copied.
//
//     boxes ---> slabs ---> jobs: decide, partition, carry ---> leaves: sorted into columns and swept ---> pairs
//                split_slabs  split_job, split_plane         split_leaf, split_bins
//
// Jobs run first in rounds, so that there are many to share among threads, then each to its end:
//
//     rounds    one job ---> three ---> nine ---> ...         all jobs of a round in parallel, until they are small
//     units     | job | job | job | ...                       in parallel; each on a stack of its own, depth first
//
// What is decided depends on the boxes alone, and rounds keep the order in which jobs would run depth first. So the pairs
// are the same, in the same order, for any number of threads.
//
// Cost: about n log n and twice the time of the grid for uniform boxes; a small multiple of that for any others
// (measured, not proven: `broadphase bench --suite worst`). It keeps nothing from step to step, so it loses where grids
// do well, and where little moves.
//
// Source: our own; after A. Zomorodian and H. Edelsbrunner, "Fast software for box intersections", 2002, who part two
// sets at the medians of one axis after the other.
#include "base/boxes.h"
#include "base/parallel.h"
#include "engine/method.h"
#include "engine/split/split_slabs.h"

#include <string.h>

enum {
    JOB_MAX = 32768,   // records of a job that is not divided in rounds any more,
    JOBS_WANTED = 32,  // or one in this many of all
    ARENA_MIN = 4096,  // records
    USUAL_JOBS = 128,  // that wait
    SPLIT_ROUNDS = 32, // at most
    SPLIT_ARENAS = 32
};

// Memory for passengers, in arenas that double; taken and given back like a stack.
typedef struct split_stack {
    bp_buffer arenas[SPLIT_ARENAS]; // of bp_record
    size_t arena, used;             // where it ends
} split_stack;

// What one thread needs to run a job.
typedef struct split_bench {
    bp_buffer jobs;    // of waiting_job
    bp_buffer scratch; // of bp_record
    bp_buffer columns_buffer;
    bp_columns columns; // of a leaf
    split_stack stack;
} split_bench;

typedef struct split {
    const bp_method_setup *setup;
    const bp_box *boxes; // of the last build
    size_t count;
    bp_buffer records;               // of bp_record: all boxes, which are partitioned in place
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
} split;

// A search of one job.
typedef struct worker {
    const bp_method_setup *setup;
    split_bench *bench;
} worker;

// The order in which the children of a job run: those whose copies come last on the stack first.
static const int ORDER[SPLIT_CHILDREN] = {1, 0, 2};

// ---- depth first ----------------------------------------------------------------------------------------------------

// A place in a split_stack.
typedef struct stack_place {
    size_t arena, used;
} stack_place;

typedef struct waiting_job {
    split_job job;
    stack_place place; // where the stack ends when this job begins
} waiting_job;

// Room for `count` records at the end of the stack. NULL if memory is short.
static bp_record *stack_room(split_stack *stack, const bp_allocator *allocator, size_t count) {
    const size_t held = stack->arenas[stack->arena].bytes / sizeof(bp_record);
    if (held - stack->used >= count) {
        return (bp_record *)stack->arenas[stack->arena].data + stack->used;
    }
    const size_t next = stack->used == 0 ? stack->arena : stack->arena + 1;
    const size_t wanted = count > 2 * held ? count : 2 * held;
    if (next == SPLIT_ARENAS || !bp_buffer_reserve(&stack->arenas[next], allocator, 0,
                                                   wanted > ARENA_MIN ? wanted : ARENA_MIN, sizeof(bp_record))) {
        return NULL;
    }
    stack->arena = next;
    stack->used = 0;
    return stack->arenas[next].data;
}

static bool push_job(worker *w, size_t *waiting, const split_job *job, stack_place place) {
    if (!bp_buffer_reserve_slack(&w->bench->jobs, &w->setup->runtime.allocator, *waiting * sizeof(waiting_job),
                                 *waiting + 1, sizeof(waiting_job))) {
        return false;
    }
    ((waiting_job *)w->bench->jobs.data)[(*waiting)++] = (waiting_job){.job = *job, .place = place};
    return true;
}

// Divides a job into children that wait. False if memory is short.
static bool divide_job(worker *w, const split_job *job, const split_decision *decision, size_t *waiting) {
    split_bench *bench = w->bench;
    split_subsets subsets;
    split_job children[SPLIT_CHILDREN];
    bp_record *end[SPLIT_CHILDREN];
    bp_split_partition(job, decision, w->setup->kernels, bench->scratch.data, &subsets);
    const stack_place before = {bench->stack.arena, bench->stack.used};
    bp_record *memory = stack_room(&bench->stack, &w->setup->runtime.allocator, bp_split_room(job, decision, &subsets));
    if (memory == NULL) {
        return false;
    }
    const stack_place begin = {bench->stack.arena, bench->stack.used};
    bp_split_carry(job, decision, w->setup->kernels, &subsets, memory, children, end);
    bool pushed = true;
    for (int i = SPLIT_CHILDREN; i-- > 0 && pushed;) { // the last one that is pushed is the first to run
        const int child = ORDER[i];
        const stack_place place = {begin.arena, begin.used + (size_t)(end[child] - memory)};
        pushed = push_job(w, waiting, &children[child], child == 2 ? before : place);
    }
    return pushed;
}

static void run_unit(const void *context, bp_range_tester *tester, size_t index) {
    const split *s = context;
    worker w = {.setup = s->setup, .bench = (split_bench *)s->benches.data + tester->block};
    split_stack *stack = &w.bench->stack;
    size_t waiting = 0;
    tester->objects = &w.bench->columns;
    tester->candidates = &w.bench->columns;
    tester->failed = !push_job(&w, &waiting, (split_job *)s->jobs[0].data + index, (stack_place){0, 0});
    while (waiting > 0 && !tester->failed) {
        const waiting_job next = ((waiting_job *)w.bench->jobs.data)[--waiting];
        split_job job = next.job;
        stack->arena = next.place.arena;
        stack->used = next.place.used;
        split_decision decision = bp_split_decide(&job, s->setup);
        if (decision.way == SPLIT_TEST && job.within) {
            bp_split_test_within(tester, &job.a);
            job.within = false; // a with b is left
            decision.way = SPLIT_NOTHING;
            if (job.b.count > 0) {
                decision = bp_split_decide(&job, s->setup);
            }
        }
        switch (decision.way) {
        case SPLIT_NOTHING: break;
        case SPLIT_TEST: bp_split_test_between(tester, &job.a, &job.b); break;
        case SPLIT_SWEEP: bp_split_sweep(tester, &job, decision.plane.sweep_axis, decision.plane.overlap_share); break;
        case SPLIT_SEPARATE:
        case SPLIT_BOTH_SIDES:
        case SPLIT_ONE_SIDE:
        default: tester->failed = !divide_job(&w, &job, &decision, &waiting) || tester->failed; break;
        }
    }
}

// ---- rounds ---------------------------------------------------------------------------------------------------------

// What a job of a round does.
typedef struct round_step {
    split_decision decision;
    split_subsets subsets;
    size_t scratch_begin, room_begin, child_begin;
    bool divided;
} round_step;

typedef struct split_round {
    split *search;
    split_job *jobs, *next;
    round_step *steps;
    bp_record *carried;
} split_round;

static void task_partition(void *context, size_t index) {
    const split_round *r = context;
    split_job *job = &r->jobs[index];
    round_step *step = &r->steps[index];
    if (!step->divided) {
        return;
    }
    step->decision = bp_split_decide(job, r->search->setup);
    step->divided = step->decision.way > SPLIT_SWEEP;
    bp_split_partition(job, &step->decision, r->search->setup->kernels,
                       (bp_record *)r->search->scratch.data + step->scratch_begin, &step->subsets);
}

static void task_carry(void *context, size_t index) {
    const split_round *r = context;
    const round_step *step = &r->steps[index];
    split_job children[SPLIT_CHILDREN];
    bp_record *end[SPLIT_CHILDREN];
    if (step->divided) {
        bp_split_carry(&r->jobs[index], &step->decision, r->search->setup->kernels, &step->subsets,
                       r->carried + step->room_begin, children, end);
        for (size_t i = 0; i < SPLIT_CHILDREN; ++i) {
            r->next[step->child_begin + i] = children[ORDER[i]];
        }
    } else {
        r->next[step->child_begin] = r->jobs[index];
    }
}

// Divides all large jobs once. Sets *divided to their number.
static bp_status run_round(split *s, size_t index, size_t *divided) {
    const bp_allocator *allocator = &s->setup->runtime.allocator;
    const bp_executor *executor = &s->setup->runtime.executor;
    split_round r = {.search = s, .jobs = s->jobs[0].data};
    size_t scratch = 0, room = 0, children = 0;
    *divided = 0;
    if (!bp_buffer_reserve_slack(&s->steps, allocator, 0, s->job_count, sizeof(round_step))) {
        return BP_ERROR_MEMORY;
    }
    r.steps = s->steps.data;
    for (size_t i = 0; i < s->job_count; ++i) {
        const bool large = bp_split_job_size(&r.jobs[i]) > s->job_most;
        const size_t a = r.jobs[i].a.count, b = r.jobs[i].b.count;
        r.steps[i] = (round_step){.divided = large, .scratch_begin = scratch};
        scratch += !large ? 0 : a > b ? a : b;
    }
    if (!bp_buffer_reserve_slack(&s->scratch, allocator, 0, scratch, sizeof(bp_record))) {
        return BP_ERROR_MEMORY;
    }
    bp_parallel_for(executor, s->job_count, task_partition, &r);
    for (size_t i = 0; i < s->job_count; ++i) {
        round_step *step = &r.steps[i];
        step->room_begin = room;
        step->child_begin = children;
        room += step->divided ? bp_split_room(&r.jobs[i], &step->decision, &step->subsets) : 0;
        children += step->divided ? SPLIT_CHILDREN : 1;
        *divided += step->divided;
    }
    if (!bp_buffer_reserve_slack(&s->jobs[1], allocator, 0, children, sizeof(split_job)) ||
        !bp_buffer_reserve_slack(&s->carried[index], allocator, 0, room, sizeof(bp_record))) {
        return BP_ERROR_MEMORY;
    }
    r.next = s->jobs[1].data;
    r.carried = s->carried[index].data;
    bp_parallel_for(executor, s->job_count, task_carry, &r);
    bp_buffer_swap(&s->jobs[0], &s->jobs[1]);
    s->job_count = children;
    return BP_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

// The records of boxes that are not holes.
static bp_record_set load_records(const bp_method_setup *setup, bp_record *to, const split_slab_set *from) {
    bp_record_set set = bp_record_set_empty(to);
    for (size_t i = 0; i < from->count; ++i) {
        bp_split_record_put(&to[set.count], &from->boxes[i], setup->dimensions, (uint32_t)i);
        set.count += !bp_box_is_hole(&from->boxes[i]);
    }
    return bp_split_bounded_set(setup->kernels, to, set.count);
}

// A job for each slab. Sets *pays to false if there would be too many passengers.
static bp_status begin_slabs(split *s, split_slabs *slabs, bool *pays) {
    const bp_allocator *allocator = &s->setup->runtime.allocator;
    const size_t counts = bp_split_slabs_counts(slabs);
    size_t members = 0, passengers = 0;
    if (!bp_buffer_reserve_slack(&s->counts, allocator, 0, slabs->set_count * counts, sizeof(uint32_t))) {
        return BP_ERROR_MEMORY;
    }
    for (size_t i = 0; i < slabs->set_count; ++i) {
        slabs->sets[i].counts = (uint32_t *)s->counts.data + i * counts;
    }
    bp_split_slabs_count(slabs);
    for (size_t i = 0; i < slabs->set_count; ++i) {
        members += slabs->sets[i].member_begin[slabs->count];
        passengers += slabs->sets[i].passenger_begin[slabs->count];
    }
    *pays = passengers <= members;
    if (!*pays) {
        return BP_OK;
    }
    if (!bp_buffer_reserve_slack(&s->passengers, allocator, 0, passengers + 1, sizeof(bp_record))) {
        return BP_ERROR_MEMORY;
    }
    bp_record *member = s->records.data, *passenger = s->passengers.data;
    for (size_t i = 0; i < slabs->set_count; ++i) {
        slabs->sets[i].members = member;
        slabs->sets[i].passengers = passenger;
        member += slabs->sets[i].member_begin[slabs->count];
        passenger += slabs->sets[i].passenger_begin[slabs->count];
    }
    bp_split_slabs_fill(slabs, s->jobs[0].data);
    s->job_count = slabs->count;
    return BP_OK;
}

static bool reserve_benches(split *s, size_t count) {
    const bp_allocator *allocator = &s->setup->runtime.allocator;
    size_t scratch = 0; // of the largest job
    if (!bp_buffer_reserve(&s->benches, allocator, s->bench_count * sizeof(split_bench), count, sizeof(split_bench))) {
        return false;
    }
    split_bench *benches = s->benches.data;
    for (; s->bench_count < count; ++s->bench_count) {
        benches[s->bench_count] = (split_bench){0};
    }
    for (size_t i = 0; i < s->job_count; ++i) {
        const size_t size = bp_split_job_size((const split_job *)s->jobs[0].data + i);
        scratch = size > scratch ? size : scratch;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!bp_buffer_reserve_slack(&benches[i].scratch, allocator, 0, scratch, sizeof(bp_record)) ||
            !bp_buffer_reserve_slack(&benches[i].stack.arenas[0], allocator, 0, 2 * scratch, sizeof(bp_record)) ||
            !bp_buffer_reserve_slack(&benches[i].jobs, allocator, 0, USUAL_JOBS, sizeof(waiting_job)) ||
            !bp_columns_reserve(&benches[i].columns, &benches[i].columns_buffer, allocator, SPLIT_LEAF_COLUMNS)) {
            return false;
        }
    }
    return true;
}

static bp_status search_sets(split *s, split_slabs *slabs, bp_pair_ids pair_ids, bp_sink *sink) {
    const bp_runtime *runtime = &s->setup->runtime;
    const size_t count = slabs->sets[0].count + slabs->sets[1].count;
    bool in_slabs = bp_split_slabs_plan(slabs);
    s->job_most = count / JOBS_WANTED > JOB_MAX ? count / JOBS_WANTED : JOB_MAX;
    bp_status status = BP_OK;
    if (!bp_buffer_reserve_slack(&s->records, &runtime->allocator, 0, count + 1, sizeof(bp_record)) ||
        !bp_buffer_reserve_slack(&s->jobs[0], &runtime->allocator, 0, SPLIT_SLABS_MAX, sizeof(split_job))) {
        return BP_ERROR_MEMORY;
    }
    if (in_slabs) {
        status = begin_slabs(s, slabs, &in_slabs);
    }
    if (status == BP_OK && !in_slabs) { // one job for everything
        bp_record *records = s->records.data;
        const bp_record_set none = bp_record_set_empty(NULL);
        split_job *job = s->jobs[0].data;
        *job = (split_job){.within = slabs->set_count == 1, .b = none, .x = none, .y = none};
        job->a = load_records(s->setup, records, &slabs->sets[0]);
        if (!job->within) {
            job->b = load_records(s->setup, records + slabs->sets[0].count, &slabs->sets[1]);
        }
        s->job_count = 1;
    }
    // One thread needs no rounds: all jobs run in the same order without, and in less memory.
    size_t divided = runtime->executor.workers > 1;
    for (size_t index = 0; index < SPLIT_ROUNDS && divided > 0 && status == BP_OK; ++index) {
        status = run_round(s, index, &divided);
    }
    if (status != BP_OK || !reserve_benches(s, bp_range_search_blocks(runtime, s->job_count))) {
        return status == BP_OK ? BP_ERROR_MEMORY : status;
    }
    const bp_range_search search = {.runtime = runtime,
                                    .kernels = s->setup->kernels,
                                    .pair_ids = pair_ids,
                                    .unit_count = s->job_count,
                                    .unit = run_unit,
                                    .context = s};
    return bp_range_search_run(&search, &s->sinks, sink);
}

// ---- the method -----------------------------------------------------------------------------------------------------

static void split_init(void *state, const bp_method_setup *setup) {
    *(split *)state = (split){.setup = setup};
}

static bp_status split_build(void *state, const bp_box *boxes, size_t count) {
    split *s = state;
    s->boxes = boxes;
    s->count = count;
    return BP_OK;
}

static bp_status split_find(void *state, bp_sink *sink) {
    split *s = state;
    split_slabs slabs = {.setup = s->setup, .sets = {{.boxes = s->boxes, .count = s->count}}, .set_count = 1};
    return search_sets(s, &slabs, BP_IDS_ASCENDING, sink);
}

static bp_status split_find_between(void *state, const bp_box *boxes, size_t count, bp_sink *sink) {
    split *s = state;
    split_slabs slabs = {.setup = s->setup,
                         .sets = {{.boxes = boxes, .count = count}, {.boxes = s->boxes, .count = s->count}},
                         .set_count = 2};
    return search_sets(s, &slabs, BP_IDS_BY_ROLE, sink);
}

static void split_free(void *state) {
    split *s = state;
    const bp_allocator *allocator = &s->setup->runtime.allocator;
    for (size_t i = 0; i < s->bench_count; ++i) {
        split_bench *bench = (split_bench *)s->benches.data + i;
        bp_buffer_free(&bench->jobs, allocator);
        bp_buffer_free(&bench->scratch, allocator);
        bp_buffer_free(&bench->columns_buffer, allocator);
        for (size_t k = 0; k < SPLIT_ARENAS; ++k) {
            bp_buffer_free(&bench->stack.arenas[k], allocator);
        }
    }
    bp_buffer *buffers[] = {&s->records, &s->scratch, &s->jobs[0], &s->jobs[1],
                            &s->steps,   &s->benches, &s->counts,  &s->passengers};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    for (size_t i = 0; i < SPLIT_ROUNDS; ++i) {
        bp_buffer_free(&s->carried[i], allocator);
    }
    bp_block_sinks_free(&s->sinks, allocator);
}

static void split_stats(const void *state, bp_stats *stats) {
    const split *s = state;
    size_t bytes = sizeof *s + s->records.bytes + s->scratch.bytes + s->jobs[0].bytes + s->jobs[1].bytes +
                   s->steps.bytes + s->benches.bytes + s->counts.bytes + s->passengers.bytes +
                   bp_block_sinks_bytes(&s->sinks);
    for (size_t i = 0; i < SPLIT_ROUNDS; ++i) {
        bytes += s->carried[i].bytes;
    }
    for (size_t i = 0; i < s->bench_count; ++i) {
        const split_bench *bench = (const split_bench *)s->benches.data + i;
        bytes += bench->jobs.bytes + bench->scratch.bytes + bench->columns_buffer.bytes;
        for (size_t k = 0; k < SPLIT_ARENAS; ++k) {
            bytes += bench->stack.arenas[k].bytes;
        }
    }
    stats->update = BP_UPDATE_REBUILD;
    stats->bytes = bytes;
}

static bp_status split_validate(const void *state) {
    (void)state; // it holds nothing between searches
    return BP_OK;
}

const bp_method_ops bp_split_ops = {
    .name = "split",
    .summary = "recursive splits at the planes that eliminate most pairs: any shapes and sizes, no bad input",
    .supports = BP_SUPPORTS_2D | BP_SUPPORTS_BETWEEN | BP_SUPPORTS_THREADS,
    .state_bytes = sizeof(split),
    .init = split_init,
    .free = split_free,
    .build = split_build,
    .find = split_find,
    .find_between = split_find_between,
    .stats = split_stats,
    .validate = split_validate,
};
