// Chooses the kernels: the best that both the build and the processor have, unless settings.simd or BP_SIMD says
// otherwise.
#include "base/log.h"
#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#endif

typedef struct instruction_set {
    const char *name;
    const bp_kernels *kernels; // NULL: not in this build
    bool (*available)(void);   // NULL: always
} instruction_set;

// By bp_simd; a higher one is better.
static const instruction_set sets[] = {
    [BP_SIMD_AUTO] = {.name = "auto"},
    [BP_SIMD_SCALAR] = {"scalar", &bp_kernels_scalar, NULL},
#if defined(__x86_64__) && defined(__GNUC__)
    [BP_SIMD_AVX2] = {"avx2", &bp_kernels_avx2, has_avx2},
    [BP_SIMD_AVX512] = {"avx512", &bp_kernels_avx512, has_avx512},
#else
    [BP_SIMD_AVX2] = {.name = "avx2"}, [BP_SIMD_AVX512] = {.name = "avx512"},
#endif
#if defined(__ARM_NEON) && defined(__aarch64__)
    [BP_SIMD_NEON] = {"neon", &bp_kernels_neon, NULL},
#else
    [BP_SIMD_NEON] = {.name = "neon"},
#endif
#if defined(__wasm_simd128__)
    [BP_SIMD_WASM] = {"wasm", &bp_kernels_wasm, NULL},
#else
    [BP_SIMD_WASM] = {.name = "wasm"},
#endif
};

enum { SET_COUNT = sizeof sets / sizeof sets[0] };

static bool is_usable(size_t simd) {
    return sets[simd].kernels != NULL && (sets[simd].available == NULL || sets[simd].available());
}

bp_status bp_kernels_choose(bp_simd wanted, const bp_log *log, const bp_kernels **kernels) {
    const char *name = wanted == BP_SIMD_AUTO ? getenv("BP_SIMD") : NULL;
    size_t simd = (size_t)wanted, best = SET_COUNT - 1;
    while (!is_usable(best)) {
        --best;
    }
    if (name != NULL && name[0] != '\0') {
        simd = 0;
        while (simd < SET_COUNT && strcmp(name, sets[simd].name) != 0) {
            ++simd;
        }
        if (simd == SET_COUNT) {
            bp_log_write(log, "BP_SIMD=%s: expected auto, scalar, avx2, avx512, neon or wasm", name);
            return BP_ERROR_ARGUMENT;
        }
    }
    simd = simd == BP_SIMD_AUTO ? best : simd;
    if (!is_usable(simd)) {
        bp_log_write(log, "settings.simd: this processor or build has no %s; the best here is %s", sets[simd].name,
                     sets[best].name);
        return BP_ERROR_UNSUPPORTED;
    }
    *kernels = sets[simd].kernels;
    return BP_OK;
}

void bp_columns_fill(const bp_columns *columns, const bp_kernels *kernels, uint32_t dimensions, size_t begin,
                     size_t end, const bp_box *boxes) {
    kernels->gather(columns, begin, end, boxes);
    if (dimensions == 2) {
        memset(columns->min[2] + begin, 0, (end - begin) * sizeof(float));
        memset(columns->max[2] + begin, 0, (end - begin) * sizeof(float));
    }
}
