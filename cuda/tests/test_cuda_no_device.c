// Without a device (the test hides those present), every call reports it and nothing breaks.
#include "checks.h"

int main(void) {
    char log[512] = "";
    const bp_config config = {.log = {keep_log, log}};
    bp_cuda_context *context = (bp_cuda_context *)&config;
    const bp_box box = {{0, 0, 0}, {1, 1, 1}};
    uint64_t found = 0, offsets[2];
    const float point[3] = {0, 0, 0};
    CHECK(bp_cuda_create(&config, &context) == BP_ERROR_UNSUPPORTED, "created without a device");
    CHECK(context == NULL, "the context is not NULL");
    CHECK(strstr(log, "no CUDA device") != NULL, "the log says: %s", log);
    CHECK(bp_cuda_find_pairs(NULL, &box, 1, NULL, NULL, 0, &found) == BP_ERROR_ARGUMENT, "no context");
    CHECK(bp_cuda_find_pairs_host(NULL, &box, 1, NULL, 0, &found) == BP_ERROR_ARGUMENT, "no context");
    CHECK(bp_cuda_find_pairs_between(NULL, &box, 1, &box, 1, NULL, NULL, 0, &found) == BP_ERROR_ARGUMENT, "no context");
    CHECK(bp_cuda_find_neighbors(NULL, point, 1, 1.0f, NULL, offsets, NULL, 0, &found) == BP_ERROR_ARGUMENT,
          "no context");
    CHECK(bp_cuda_find_neighbors_between(NULL, point, 1, point, 1, 1.0f, NULL, offsets, NULL, 0, &found) ==
              BP_ERROR_ARGUMENT,
          "no context");
    CHECK(bp_cuda_find_neighbors_variable(NULL, point, 1, point, NULL, offsets, NULL, 0, &found) == BP_ERROR_ARGUMENT,
          "no context");
    CHECK(bp_cuda_measure(NULL, 1) == BP_ERROR_ARGUMENT, "no context");
    bp_cuda_destroy(NULL);
    CHECK(bp_cuda_memory_needed(1000000) > 1000000, "memory for a million boxes");
    CHECK(bp_cuda_create(NULL, NULL) == BP_ERROR_ARGUMENT, "nowhere to put it");
    int device = 7;
    void *data = log;
    CHECK(bp_cuda_use_device(0, &device) == BP_ERROR_UNSUPPORTED, "used a device");
    CHECK(bp_cuda_device_of(log, &device) == BP_ERROR_UNSUPPORTED && device == 7, "found a device");
    CHECK(bp_cuda_allocate(8, &data) == BP_ERROR_UNSUPPORTED && data == NULL, "memory without a device");
    CHECK(bp_cuda_allocate(8, NULL) == BP_ERROR_ARGUMENT, "nowhere to put it");
    CHECK(bp_cuda_device_of(log, NULL) == BP_ERROR_ARGUMENT, "nowhere to put it");
    bp_cuda_release(NULL);
    return failures > 0;
}
