// Roots, powers and sines from + - * / sqrt only. The C library's cbrt(), pow() and sin() differ in the last bit between machines,
// and one bit in the size of a domain moves every object of a scene.
#ifndef BP_SCENES_ARITHMETIC_H
#define BP_SCENES_ARITHMETIC_H

// The cube root of a value >= 0.
double cube_root(double value);

// base^exponent for base >= 0 and exponent >= 0. Underflows to 0 and overflows to infinity, as pow() does.
double real_power(double base, double exponent);

// The sine of an angle in turns: 1/4 is a right angle. Off by less than 4e-6.
double sine_of_turns(double turns);

#endif
