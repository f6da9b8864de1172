#include "random.h"

#include <math.h>
#include <stddef.h>

#include "arithmetic.h"

// splitmix64 (Steele, Lea, Flood 2014): a counter and a good mixer. One word of state; every seed is a good seed.
static uint64_t mix(uint64_t word) {
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

// The seed is mixed first, so that consecutive seeds start far apart in the counter's cycle.
rng rng_seeded(uint64_t seed) {
    return (rng){.state = mix(seed + UINT64_C(0x9e3779b97f4a7c15))};
}

uint64_t rng_next(rng *random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random->state);
}

double rng_unit(rng *random) {
    return (double)(rng_next(random) >> 11) * 0x1p-53;
}

double rng_between(rng *random, double low, double high) {
    return low + (high - low) * rng_unit(random);
}

uint32_t rng_below(rng *random, uint32_t bound) {
    return (uint32_t)(((rng_next(random) >> 32) * bound) >> 32);
}

double rng_sign(rng *random) {
    return rng_next(random) >> 63 ? -1 : 1;
}

void rng_order(rng *random, size_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const size_t j = rng_below(random, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

// A random point of the unit ball, projected onto its surface: this needs no sine. Points near the centre are rejected
// because their direction is coarse.
void rng_direction(rng *random, uint32_t dimensions, double direction[3]) {
    double square = 0;
    do {
        direction[0] = rng_between(random, -1, 1);
        direction[1] = rng_between(random, -1, 1);
        direction[2] = dimensions == 3 ? rng_between(random, -1, 1) : 0;
        square = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
    } while (square > 1 || square < 1e-6);
    const double length = sqrt(square);
    for (size_t axis = 0; axis < 3; ++axis) {
        direction[axis] /= length;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The beta distribution

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double cell_middle(const beta_distribution *d, size_t cell) {
    return d->low + d->cell * ((double)cell + 0.5);
}

// The density in the middle of `to` / that in the middle of `from`. Only such ratios of neighbouring cells are
// computed: the density itself underflows, and so do its single factors when alpha and beta are large.
static double density_ratio(const beta_distribution *d, size_t from, size_t to) {
    const double x = cell_middle(d, from);
    const double y = cell_middle(d, to);
    return real_power(y / x, d->alpha - 1) * real_power((1 - y) / (1 - x), d->beta - 1);
}

// The hump as a histogram of the density over mean +- 16 standard deviations, 1 at its peak. This omits less than one
// part in a million even of the longest tail (alpha = 1).
static void prepare_hump(beta_distribution *d) {
    const double sum = d->alpha + d->beta;
    const double mean = d->alpha / sum;
    const double deviation = sqrt(d->alpha * d->beta / (sum + 1)) / sum;
    d->low = larger(0, mean - 16 * deviation);
    d->cell = (smaller(1, mean + 16 * deviation) - d->low) / BETA_CELLS;

    double *densities = d->cumulative + 1;
    const double peak = sum > 2 ? (d->alpha - 1) / (sum - 2) : mean;
    const size_t peak_cell = (size_t)smaller(floor((peak - d->low) / d->cell), BETA_CELLS - 1);
    densities[peak_cell] = 1;
    for (size_t i = peak_cell; i > 0; --i) {
        densities[i - 1] = densities[i] * density_ratio(d, i, i - 1);
    }
    for (size_t i = peak_cell; i + 1 < BETA_CELLS; ++i) {
        densities[i + 1] = densities[i] * density_ratio(d, i, i + 1);
    }
    d->cumulative[0] = 0;
    for (size_t i = 0; i < BETA_CELLS; ++i) {
        d->cumulative[i + 1] += d->cumulative[i];
    }
}

void beta_prepare(beta_distribution *distribution, double alpha, double beta) {
    distribution->alpha = alpha;
    distribution->beta = beta;
    if (alpha >= 1 && beta >= 1) {
        prepare_hump(distribution);
    }
}

static double draw_hump(const beta_distribution *d, rng *random) {
    const double target = rng_unit(random) * d->cumulative[BETA_CELLS];
    size_t low = 0;
    size_t high = BETA_CELLS;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (d->cumulative[middle] <= target) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double inside = (target - d->cumulative[low]) / (d->cumulative[high] - d->cumulative[low]);
    return d->low + d->cell * ((double)low + inside);
}

// Joehnk 1964: exact, and fast for exactly those parameters whose density is infinite at the ends, where a histogram
// fails.
static double draw_bathtub(const beta_distribution *d, rng *random) {
    for (;;) {
        const double x = real_power(rng_unit(random), 1 / d->alpha);
        const double y = real_power(rng_unit(random), 1 / d->beta);
        if (x + y <= 1 && x + y > 0) {
            return x / (x + y);
        }
    }
}

double beta_draw(const beta_distribution *distribution, rng *random) {
    if (distribution->alpha >= 1 && distribution->beta >= 1) {
        return draw_hump(distribution, random);
    }
    return draw_bathtub(distribution, random);
}
