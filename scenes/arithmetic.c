#include "arithmetic.h"

#include <math.h>

// Newton's method from above: the iterates decrease until rounding stops them.
double cube_root(double value) {
    if (value <= 0) {
        return 0;
    }
    double root = value > 1 ? value : 1;
    for (;;) {
        double next = (2 * root + value / (root * root)) / 3;
        if (next >= root) {
            return root;
        }
        root = next;
    }
}

static double whole_power(double base, double whole) {
    double result = 1;
    while (whole >= 1) {
        double half = floor(whole / 2);
        if (whole - 2 * half >= 1) {
            result *= base;
        }
        base *= base;
        whole = half;
    }
    return result;
}

// The binary digits of the exponent select factors from base^(1/2), base^(1/4), ...; at most a few dozen digits of a
// double matter, and the loop ends with the last one.
static double fraction_power(double base, double fraction) {
    double result = 1;
    while (fraction > 0 && base != 1) {
        base = sqrt(base);
        fraction *= 2;
        if (fraction >= 1) {
            result *= base;
            fraction -= 1;
        }
    }
    return result;
}

double real_power(double base, double exponent) {
    double whole = floor(exponent);
    return whole_power(base, whole) * fraction_power(base, exponent - whole);
}

// Taylor's polynomial within a quarter of a turn to either side; beyond, the sine goes back the way it came.
double sine_of_turns(double turns) {
    const double from_zero = turns - floor(turns + 0.5);
    const double folded = from_zero > 0.25 ? 0.5 - from_zero : from_zero < -0.25 ? -0.5 - from_zero : from_zero;
    const double x = 6.283185307179586 * folded, square = x * x;
    return x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))));
}
