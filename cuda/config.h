// The config of a context, checked and completed by the core.
#ifndef BP_CUDA_CONFIG_H
#define BP_CUDA_CONFIG_H

#include <broadphase/broadphase.h>

// Checks a config (NULL: all defaults) and fills in dimensions and allocator. The copy has no settings: nothing on a device
// reads them, and they may not outlive the call.
bp_status bp_cuda_complete_config(const bp_config *config, bp_config *complete);

#endif
