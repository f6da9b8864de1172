// Random numbers that are the same on every machine.
#ifndef BP_SCENES_RANDOM_H
#define BP_SCENES_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

rng rng_seeded(uint64_t seed);
uint64_t rng_next(rng *random);
// Uniform in [0, 1).
double rng_unit(rng *random);
// Uniform in [low, high].
double rng_between(rng *random, double low, double high);
// Uniform in 0 .. bound-1.
uint32_t rng_below(rng *random, uint32_t bound);
double rng_sign(rng *random);
// 0 .. count-1 in random order.
void rng_order(rng *random, size_t *order, size_t count);
// A vector of length 1, all directions equally likely. In two dimensions its z is 0.
void rng_direction(rng *random, uint32_t dimensions, double direction[3]);

// The beta distribution on (0, 1), prepared for drawing. Alpha and beta must both be at least 1 (a hump) or both at
// most 1 (a bathtub).
enum { BETA_CELLS = 2048 };
typedef struct beta_distribution {
    double alpha, beta;
    double low, cell;                  // cell i covers low + i * cell .. low + (i + 1) * cell
    double cumulative[BETA_CELLS + 1]; // mass below cell i, not normalised
} beta_distribution;

void beta_prepare(beta_distribution *distribution, double alpha, double beta);
double beta_draw(const beta_distribution *distribution, rng *random);

#endif
