// Vectors and distances of neighbours, four at once: the coordinates of each are loaded into one vector, and for the
// distances four of these are transposed. Each is stored over the fourth, empty lane of the one before.
#ifndef BP_X86_MEASURE_H
#define BP_X86_MEASURE_H

#include "kernels/plain.h"

#include <immintrin.h>

typedef struct measure_lanes {
    __m256i three; // the lanes that count
    __m256d from;
} measure_lanes;

static inline __m256d vector_to(const bp_measure_job *job, const measure_lanes *lanes, size_t i) {
    const __m256d point = _mm256_maskload_pd(job->points + 3 * (size_t)job->of[i], lanes->three);
    return _mm256_add_pd(_mm256_sub_pd(point, lanes->from), _mm256_loadu_pd(job->moves[job->codes[i]]));
}

static inline __m256d distances_of(const __m256d v[4]) {
    const __m256d xz = _mm256_unpacklo_pd(v[0], v[1]), other_xz = _mm256_unpacklo_pd(v[2], v[3]);
    const __m256d y_ = _mm256_unpackhi_pd(v[0], v[1]), other_y = _mm256_unpackhi_pd(v[2], v[3]);
    const __m256d x = _mm256_permute2f128_pd(xz, other_xz, 0x20), y = _mm256_permute2f128_pd(y_, other_y, 0x20);
    const __m256d z = _mm256_permute2f128_pd(xz, other_xz, 0x31);
    const __m256d square = _mm256_add_pd(_mm256_mul_pd(x, x), _mm256_mul_pd(y, y));
    return _mm256_sqrt_pd(_mm256_add_pd(square, _mm256_mul_pd(z, z)));
}

static inline void x86_measure_vectors(const bp_measure_job *job) {
    const measure_lanes lanes = {.three = _mm256_setr_epi64x(-1, -1, -1, 0),
                                 .from = _mm256_setr_pd(job->from[0], job->from[1], job->from[2], 0.0)};
    size_t i = 0;
    for (; i + 4 <= job->count; i += 4) {
        const __m256d v[4] = {vector_to(job, &lanes, i), vector_to(job, &lanes, i + 1), vector_to(job, &lanes, i + 2),
                              vector_to(job, &lanes, i + 3)};
        if (job->distances != NULL) {
            _mm256_storeu_pd(job->distances + i, distances_of(v));
        }
        if (job->vectors != NULL) {
            double *to = job->vectors + 3 * i;
            _mm256_storeu_pd(to, v[0]);
            _mm256_storeu_pd(to + 3, v[1]);
            _mm256_storeu_pd(to + 6, v[2]);
            _mm256_maskstore_pd(to + 9, lanes.three, v[3]);
        }
    }
    for (; i < job->count; ++i) {
        plain_measure_one(job, i);
    }
}

static inline void x86_put_shifts(const bp_measure_job *job) {
    for (size_t i = 0; i + 1 < job->count; ++i) {
        const __m128i steps = _mm_loadu_si128((const __m128i *)(const void *)job->steps[job->codes[i]]);
        _mm_storeu_si128((__m128i *)(void *)(job->shifts + 3 * i), steps);
    }
    if (job->count > 0) {
        plain_put_shift(job, job->count - 1);
    }
}

static void x86_measure_near(const bp_measure_job *job) {
    if (job->distances != NULL || job->vectors != NULL) {
        x86_measure_vectors(job);
    }
    if (job->shifts != NULL) {
        x86_put_shifts(job);
    }
}

#endif
