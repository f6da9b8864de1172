// Workers that the caller makes, for several calls and worlds.
#include "api/config.h"
#include "base/log.h"
#include "base/workers.h"

bp_status bp_workers_create(const bp_config *config, bp_executor *workers) {
    if (workers == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    *workers = (bp_executor){0};
    bp_setup setup;
    const bp_status status = bp_setup_complete(config, &setup);
    if (status != BP_OK) {
        return status;
    }
    bp_runtime *runtime = &setup.methods.runtime;
    if (config != NULL && config->executor.run != NULL) {
        bp_log_write(&runtime->log, "config.executor: workers have threads of their own; leave it zero here");
        return BP_ERROR_ARGUMENT;
    }
    if (!bp_workers_open(runtime)) {
        return BP_ERROR_MEMORY;
    }
    *workers = runtime->owns_workers ? runtime->executor : bp_executor_alone();
    return BP_OK;
}

void bp_workers_destroy(bp_executor *workers) {
    if (workers != NULL) {
        bp_workers_end(workers);
    }
}
