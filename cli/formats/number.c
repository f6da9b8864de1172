// Reading follows Clinger's fast path: up to 2^53 as digits and 10^22 as power are exact in a double, so one
// multiplication or division rounds correctly. What does not fit goes to strtod, which is exact and slow. The tool
// never calls setlocale, so strtod's decimal point is '.'.
#include "formats/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EXACT_POWERS = 23 };

static const double POWER_OF_TEN[EXACT_POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The number digits * 10^exponent; `complete` unless there were more digits than fit.
typedef struct decimal {
    uint64_t digits;
    int exponent;
    bool negative, complete;
} decimal;

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static bool has_room(uint64_t digits, uint64_t digit) {
    return digits < UINT64_MAX / 10 || (digits == UINT64_MAX / 10 && digit <= UINT64_MAX % 10);
}

static const char *scan_digits(const char *text, decimal *number, bool fraction) {
    for (; is_digit(*text); text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        number->complete = number->complete && has_room(number->digits, digit);
        if (!number->complete) continue;
        number->digits = 10 * number->digits + digit;
        number->exponent -= fraction;
    }
    return text;
}

static const char *scan_exponent(const char *text, decimal *number) {
    const char *digits = text + 1;
    bool negative = *digits == '-';
    if (*digits == '-' || *digits == '+') digits++;
    if (!is_digit(*digits)) return text;
    int exponent = 0;
    for (; is_digit(*digits); digits++) {
        if (exponent < 100000) exponent = 10 * exponent + (*digits - '0');
    }
    number->exponent += negative ? -exponent : exponent;
    return digits;
}

// Returns the end of a decimal number, or NULL if there is none.
static const char *scan_decimal(const char *text, decimal *number) {
    *number = (decimal){.negative = *text == '-', .complete = true};
    if (*text == '-' || *text == '+') text++;
    const char *end = scan_digits(text, number, false);
    bool any = end != text;
    if (*end == '.') {
        const char *fraction = end + 1;
        end = scan_digits(fraction, number, true);
        any = any || end != fraction;
    }
    if (!any) return NULL;
    return *end == 'e' || *end == 'E' ? scan_exponent(end, number) : end;
}

static const char *scan_word(const char *text, double *value) {
    static const struct {
        const char *word;
        double value;
    } WORDS[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};

    double sign = *text == '-' ? -1.0 : 1.0;
    if (*text == '-' || *text == '+') text++;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        size_t length = strlen(WORDS[i].word);
        if (strncasecmp(text, WORDS[i].word, length) != 0) continue;
        *value = sign * WORDS[i].value;
        return text + length;
    }
    return NULL;
}

static bool fast_double(const decimal *number, double *value) {
    if (!number->complete || number->digits > (UINT64_C(1) << 53)) return false;
    if (number->exponent <= -EXACT_POWERS || number->exponent >= EXACT_POWERS) return false;
    double digits = (double)number->digits;
    double magnitude =
        number->exponent < 0 ? digits / POWER_OF_TEN[-number->exponent] : digits * POWER_OF_TEN[number->exponent];
    *value = number->negative ? -magnitude : magnitude;
    return true;
}

// A double rounded to the exact middle between two floats has lost on which side the number was.
static bool fast_float(const decimal *number, float *value) {
    const uint64_t below_float = (UINT64_C(1) << 29) - 1;
    double in_double;
    if (!fast_double(number, &in_double)) return false;
    uint64_t bits;
    memcpy(&bits, &in_double, sizeof bits);
    if ((bits & below_float) == UINT64_C(1) << 28) return false;
    if (in_double != 0.0 && fabs(in_double) < (double)FLT_MIN) return false;
    *value = (float)in_double;
    return true;
}

number_result number_read_float(const char *text, const char **end, float *value) {
    decimal number;
    *end = scan_decimal(text, &number);
    if (*end == NULL) {
        double word = 0.0;
        *end = scan_word(text, &word);
        *value = (float)word;
        return *end != NULL ? NUMBER_READ : NUMBER_NONE;
    }
    if (!fast_float(&number, value)) *value = strtof(text, NULL);
    return isinf(*value) ? NUMBER_OUT_OF_RANGE : NUMBER_READ;
}

number_result number_read_double(const char *text, const char **end, double *value) {
    decimal number;
    *end = scan_decimal(text, &number);
    if (*end == NULL) {
        *end = scan_word(text, value);
        return *end != NULL ? NUMBER_READ : NUMBER_NONE;
    }
    if (!fast_double(&number, value)) *value = strtod(text, NULL);
    return isinf(*value) ? NUMBER_OUT_OF_RANGE : NUMBER_READ;
}

bool number_parse_count(const char *text, uint64_t maximum, uint64_t *value) {
    decimal number;
    const char *end = scan_decimal(text, &number);
    if (end == NULL || *end != '\0' || number.negative || !number.complete) return false;
    for (; number.exponent < 0 && number.digits % 10 == 0 && number.digits != 0; number.exponent++) number.digits /= 10;
    if (number.digits == 0) number.exponent = 0;
    if (number.exponent < 0) return false;
    for (; number.exponent > 0; number.exponent--) {
        if (number.digits > maximum / 10) return false;
        number.digits *= 10;
    }
    *value = number.digits;
    return number.digits <= maximum;
}

bool number_parse_integer(const char *text, int32_t *value) {
    bool negative = *text == '-';
    uint64_t magnitude;
    if (!number_parse_count(text + negative, INT32_MAX, &magnitude)) return false;
    *value = negative ? -(int32_t)magnitude : (int32_t)magnitude;
    return true;
}

bool number_parse_double(const char *text, double *value) {
    const char *end;
    return number_read_double(text, &end, value) == NUMBER_READ && *end == '\0';
}

// Whether there is a digit other than 0 before the exponent.
static bool is_not_zero(const char *text) {
    return strcspn(text, "123456789") < strcspn(text, "eE");
}

bool number_parse_real(const char *text, double *value) {
    if (!number_parse_double(text, value)) return false;
    return *value != 0.0 || !is_not_zero(text);
}

bool number_parse_real_float(const char *text, float *value) {
    const char *end;
    if (number_read_float(text, &end, value) != NUMBER_READ || *end != '\0') return false;
    return *value != 0.0f || !is_not_zero(text);
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static char *write_u64(char *to, uint64_t value) {
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) *to++ = digits[--count];
    return to;
}

char *number_write_u32(char *to, uint32_t value) {
    return write_u64(to, value);
}

const char *number_grouped(char text[NUMBER_LENGTH_MAX], uint64_t value) {
    char digits[20];
    size_t count = (size_t)(write_u64(digits, value) - digits);
    char *to = text;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

static char *write_text(char *to, const char *text, size_t length) {
    memcpy(to, text, length);
    return to + length;
}

static char *write_zeros(char *to, int count) {
    for (; count > 0; count--) *to++ = '0';
    return to;
}

// Plain notation for numbers that people read at a glance, else d.ddde-12.
static char *write_decimal(char *to, uint64_t digits, int exponent) {
    enum { PLAIN_MIN = -5, PLAIN_MAX = 15 };
    for (; digits % 10 == 0; digits /= 10) exponent++;
    char text[20];
    int count = (int)(write_u64(text, digits) - text);
    int before_point = count + exponent;
    if (before_point > count && before_point <= PLAIN_MAX) {
        return write_zeros(write_text(to, text, (size_t)count), exponent);
    }
    if (before_point <= 0 && before_point > PLAIN_MIN) {
        to = write_zeros(write_text(to, "0.", 2), -before_point);
        return write_text(to, text, (size_t)count);
    }
    bool plain = before_point > 0 && before_point <= count;
    int lead = plain ? before_point : 1;
    to = write_text(to, text, (size_t)lead);
    if (lead < count) {
        *to++ = '.';
        to = write_text(to, text + lead, (size_t)(count - lead));
    }
    if (plain) return to;
    int power = before_point - 1;
    *to++ = 'e';
    if (power < 0) *to++ = '-';
    return write_u64(to, (uint64_t)abs(power));
}

static double power_of_ten(int exponent) {
    return exponent < 0 ? 1.0 / POWER_OF_TEN[-exponent] : POWER_OF_TEN[exponent];
}

// The power of ten of the first digit, for 1e-10 <= magnitude < 1e15.
static int decade_of(double magnitude) {
    const double log10_of_2 = 0.30102999566398120;
    int binary;
    frexp(magnitude, &binary);
    int decade = (int)floor((binary - 1) * log10_of_2);
    return magnitude >= power_of_ten(decade + 1) ? decade + 1 : decade;
}

// Tries 7, 8, then the 9 digits that always suffice, and takes the first that reads back as the same float.
static char *write_magnitude(char *to, float value) {
    double magnitude = (double)value;
    int decade = decade_of(magnitude);
    for (int count = 7; count <= 9; count++) {
        int shift = count - 1 - decade;
        double scaled = shift < 0 ? magnitude / POWER_OF_TEN[-shift] : magnitude * POWER_OF_TEN[shift];
        decimal number = {.digits = (uint64_t)(scaled + 0.5), .exponent = -shift, .complete = true};
        float back;
        if (fast_float(&number, &back) && back == value) return write_decimal(to, number.digits, number.exponent);
    }
    return to;
}

char *number_write_float(char *to, float value) {
    if (isnan(value)) return write_text(to, "nan", 3);
    if (signbit(value)) *to++ = '-';
    float magnitude = fabsf(value);
    if (isinf(magnitude)) return write_text(to, "inf", 3);
    if (magnitude == 0.0f) return write_text(to, "0", 1);
    if (magnitude >= 1e-10f && magnitude < 1e15f) {
        char *end = write_magnitude(to, magnitude);
        if (end != to) return end;
    }
    return to + snprintf(to, NUMBER_LENGTH_MAX - 1, "%.9g", (double)magnitude);
}
