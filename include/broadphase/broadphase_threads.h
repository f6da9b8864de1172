/// broadphase: threads. Workers that several calls and worlds share, and what the default executor does.
///
///     bp_executor workers;
///     bp_config config = {.threads = -1};
///     bp_workers_create(&config, &workers);
///     config.executor = workers; // for any number of calls and worlds
///     ...
///     bp_workers_destroy(&workers);
///
/// Without this and without an executor of yours, a world has workers of its own until bp_world_destroy joins them, and any other
/// call joins its workers before it returns. So no thread is left at exit, or when a plug-in is unloaded. In both cases:
///   - Workers start and wake when there is enough work for them, and sleep between calls. While other programs need the cores,
///     they do not spin.
///   - They have 1 MiB of stack and block all signals. If the system refuses a thread, the remaining threads do the work, and the
///     log says so.
///   - After a fork between two calls, the child may use and destroy the world: it gets workers of its own. The child of a fork
///     inside a callback may only exec or exit.
///   - A library built without threads always uses one.
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_THREADS_H
#define BROADPHASE_THREADS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Makes workers that several calls and worlds share: give *workers to each as config.executor. Of the config, only threads,
/// allocator and log count. If two threads need the workers at once, one has them and the other works alone; neither waits,
/// and the results are the same. A task may itself call the library with the same workers.
BP_API bp_status bp_workers_create(const bp_config *config, bp_executor *workers);

/// Joins the workers when nothing uses them any more, and sets *workers to zero. In a child process of fork they start again.
BP_API void bp_workers_destroy(bp_executor *workers);

#ifdef __cplusplus
}
#endif

#endif
