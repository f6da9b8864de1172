#include "config.h"

#include "api/config.h"

bp_status bp_cuda_complete_config(const bp_config *config, bp_config *complete) {
    bp_setup setup;
    const bp_status status = bp_setup_complete(config, &setup);
    if (status != BP_OK) {
        return status;
    }
    *complete = config != NULL ? *config : (bp_config){0};
    complete->dimensions = setup.overlap.dimensions;
    complete->allocator = setup.methods.runtime.allocator;
    complete->executor = setup.methods.runtime.executor;
    complete->settings = NULL;
    return BP_OK;
}
