// Numbers as text: exact, independent of the locale, and fast enough for files of millions of rows.
#ifndef TOOL_NUMBER_H
#define TOOL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum number_result {
    NUMBER_READ,
    NUMBER_NONE,        // the text is not a number
    NUMBER_OUT_OF_RANGE // finite in the text, but beyond the type
} number_result;

// Read one number at `text`, which must end with '\0' somewhere; *end is set behind it. Decimal numbers, "inf",
// "infinity" and "nan" in any case, each with a sign if wanted; the result is correctly rounded.
number_result number_read_float(const char *text, const char **end, float *value);
number_result number_read_double(const char *text, const char **end, double *value);

// The whole of `text` as a number; a count may be written as 1e6.
bool number_parse_count(const char *text, uint64_t maximum, uint64_t *value);
bool number_parse_integer(const char *text, int32_t *value);
bool number_parse_double(const char *text, double *value);
// The same for options: what is too small for the type is refused, because it would become 0, which mostly means a
// default.
bool number_parse_real(const char *text, double *value);
bool number_parse_real_float(const char *text, float *value);

enum { NUMBER_LENGTH_MAX = 32 };

// Write a number at `to` (room for NUMBER_LENGTH_MAX characters) and return its end; no '\0' is written. A float gets
// as many digits as reading the same value back needs.
char *number_write_u32(char *to, uint32_t value);
char *number_write_float(char *to, float value);

// For people: 1,000,000. Returns `text`, which ends with '\0'.
const char *number_grouped(char text[NUMBER_LENGTH_MAX], uint64_t value);

#endif
