#include "surface.h"

#include "arithmetic.h"

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Half a wave to 2 for each unit of length, then twice as many, ... Three waves for each octave.
surface_relief relief_draw(rng *random, uint32_t dimensions, double height) {
    surface_relief made = {0};
    for (size_t i = 0; i < RELIEF_WAVES; ++i) {
        surface_wave *wave = &made.waves[i];
        const double octave = (double)((size_t)1 << i / 3);
        rng_direction(random, dimensions, wave->direction);
        for (size_t axis = 0; axis < 3; ++axis) {
            wave->direction[axis] *= 0.5 * octave;
        }
        wave->phase = rng_unit(random);
        wave->amplitude = height / octave * (octave > 1 ? 0.5 : 1);
    }
    return made;
}

double relief_at(const surface_relief *self, const double place[3]) {
    double sum = 0;
    for (size_t i = 0; i < RELIEF_WAVES; ++i) {
        const surface_wave *wave = &self->waves[i];
        sum += wave->amplitude * sine_of_turns(dot(wave->direction, place) + wave->phase);
    }
    return sum;
}

// Each axis is moved by a wave that runs along another one, at a speed of its own.
void sway(double place[3], double turns, double height) {
    static const double waves_per_length = 1.5, speeds[3] = {1, 1.3, 0.7};
    const double before[3] = {place[0], place[1], place[2]};
    for (size_t axis = 0; axis < 3; ++axis) {
        place[axis] += height * sine_of_turns(waves_per_length * before[(axis + 1) % 3] + speeds[axis] * turns);
    }
}
