// Workers: the threads of a world, or of one call, where the caller has no executor; and those that the caller makes for
// several of them (bp_workers_create).
//
// Work is claimed, not assigned. The tasks of a section lie in lanes, one for each member (the caller and its workers),
// which it empties first; then it helps with the others. The caller returns when all tasks are claimed and done. So it
// never waits for a worker that has not begun: one that the system did not grant, that has no core, or that a fork has
// left behind.
//
//     lanes      caller | 0 1 2 3 |    worker 1 | 4 5 6 7 |    worker 2 | 8 9 10 11 |      unclaimed tasks
//     done       0 ... 2 ..... 12      a section is over when `done` has reached its count; only then the next one begins
//
// Idle workers watch for the next section as long as the caller is at work, and for a moment longer, and then sleep. Sleepers are
// woken, and threads started, only for work that is worth it: the caller does the first task, and then knows. Where the
// system takes a core from one of them for a while, others need the cores: then nobody spins, and few are woken.
#ifndef BP_WORKERS_H
#define BP_WORKERS_H

#include "base/runtime.h"

#include <stdbool.h>

// Where the caller has no executor and wants several threads: makes workers, and the executor that runs on them. Threads
// start when the caller has done the first task of a section and the others would take longer than starting them. If the
// system refuses one, those that there are do the work. If several threads use them at once, one has them, and the others
// do their work alone. False if memory is short.
bool bp_workers_open(bp_runtime *runtime);

// Stops and joins the workers of bp_workers_open, if it made any. In a child process of fork there are none to join.
void bp_workers_close(bp_runtime *runtime);

// The same for an executor, whoever owns it.
void bp_workers_end(bp_executor *executor);

// Between these, sections will follow each other: workers stay awake, and those that were useful last time are woken at
// once. Both do nothing for an executor of the caller's own.
void bp_workers_expect(const bp_executor *executor);
void bp_workers_rest(const bp_executor *executor);

// The caller's thread, and no other.
bp_executor bp_executor_alone(void);

// How many threads `config.threads` means on this machine.
uint32_t bp_workers_wanted(int32_t threads);

#endif
