// Numbers as text: read exactly, and written so short that they come back.
#include "formats/number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void numbers_are_read_exactly(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1",
                                        ".5",
                                        "5.",
                                        "0.1",
                                        "1e0",
                                        "1E+2",
                                        "1e-2",
                                        "16777217",
                                        "16777217.0000001",
                                        "0.3",
                                        "1e22",
                                        "1e23",
                                        "18446744073709551616",
                                        "18446744073709551619000",
                                        "9007199254740993",
                                        "123456789012345678901234567890",
                                        "3.4028235e38",
                                        "1.17549435e-38",
                                        "1e-45",
                                        "7.0064923216240853e-46",
                                        "1e-400",
                                        "8388609.5",
                                        "8388610.5",
                                        "0.000000000000000000000000000001",
                                        "1.5e",
                                        "2.00000011920928955078125",
                                        "2.000000119209289550781250000001",
                                        "33554434.999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *end;
        char *end_expected;
        float narrow;
        double wide;
        assert_int_equal(number_read_float(texts[i], &end, &narrow), NUMBER_READ);
        float narrow_expected = strtof(texts[i], &end_expected);
        assert_ptr_equal(end, end_expected);
        assert_memory_equal(&narrow, &narrow_expected, sizeof narrow);
        assert_int_equal(number_read_double(texts[i], &end, &wide), NUMBER_READ);
        double wide_expected = strtod(texts[i], NULL);
        assert_memory_equal(&wide, &wide_expected, sizeof wide);
    }
}

static void what_is_no_number_is_not_read(void **state) {
    (void)state;
    static const char *const texts[] = {"", "-", "+", ".", "e5", "-.e1", "x", " 1", "- 1", "--1", "in", "na"};
    const char *end;
    float value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(number_read_float(texts[i], &end, &value), NUMBER_NONE);
    }
    assert_int_equal(number_read_float("1e39", &end, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(number_read_float("-Inf", &end, &value), NUMBER_READ);
    assert_true(isinf(value) && value < 0.0f);
    assert_int_equal(number_read_float("NaN", &end, &value), NUMBER_READ);
    assert_true(isnan(value));
    assert_int_equal(number_read_float("0x10", &end, &value), NUMBER_READ);
    assert_int_equal(*end, 'x');
}

static void floats_come_back_from_text(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < 400000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t bits = (uint32_t)(random >> 16);
        float value, back;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) value = (float)(bits >> 4) / 1048576.0f;
        if (!isfinite(value)) continue;
        char text[NUMBER_LENGTH_MAX + 1];
        char *end = number_write_float(text, value);
        *end = '\0';
        const char *read_end;
        assert_int_equal(number_read_float(text, &read_end, &back), NUMBER_READ);
        if (memcmp(&value, &back, sizeof value) != 0 || read_end != end)
            fail_msg("%a was written as %s", (double)value, text);
    }
}

static void floats_are_written_short(void **state) {
    (void)state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0.1f, "0.1"},     {1.0f, "1"},       {-2.5f, "-2.5"},           {1e6f, "1000000"},
                 {0.001f, "0.001"}, {1e-7f, "1e-7"},   {16777216.0f, "16777216"}, {0.0f, "0"},
                 {-0.0f, "-0"},     {INFINITY, "inf"}, {-INFINITY, "-inf"},       {123456.789f, "123456.79"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_LENGTH_MAX + 1];
        *number_write_float(text, cases[i].value) = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

static void counts_are_whole(void **state) {
    (void)state;
    uint64_t value;
    assert_true(number_parse_count("1e6", 1000000, &value) && value == 1000000);
    assert_true(number_parse_count("1.5e3", 10000, &value) && value == 1500);
    assert_true(number_parse_count("18446744073709551615", UINT64_MAX, &value) && value == UINT64_MAX);
    assert_false(number_parse_count("18446744073709551616", UINT64_MAX, &value));
    assert_false(number_parse_count("184467440737095516150", UINT64_MAX, &value));
    assert_true(number_parse_count("0", 0, &value) && value == 0);
    static const char *const bad[] = {"", "-1", "1.5", "1x", "x", "1e30", "1000001", "inf", "1e-1", " 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(number_parse_count(bad[i], 1000000, &value));
}

static void options_are_not_rounded_to_zero(void **state) {
    (void)state;
    double real = 0.0;
    float narrow = 0.0f;
    assert_true(number_parse_real("0.0e9", &real) && real == 0.0);
    assert_true(number_parse_real("-5e-324", &real) && real < 0.0);
    assert_true(number_parse_real("inf", &real) && isinf(real));
    assert_false(number_parse_real("1e-400", &real));
    assert_false(number_parse_real("0.0000000001e-330", &real));
    assert_false(number_parse_real("1e400", &real));
    assert_false(number_parse_real("1s", &real));
    assert_true(number_parse_real_float("1e-45", &narrow) && narrow > 0.0f);
    assert_true(number_parse_real_float("000e-400", &narrow) && narrow == 0.0f);
    assert_false(number_parse_real_float("1e-46", &narrow));
    assert_false(number_parse_real_float("-1e-300", &narrow));
    assert_false(number_parse_real_float("1e39", &narrow));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_exactly),   cmocka_unit_test(what_is_no_number_is_not_read),
        cmocka_unit_test(floats_come_back_from_text), cmocka_unit_test(floats_are_written_short),
        cmocka_unit_test(counts_are_whole),           cmocka_unit_test(options_are_not_rounded_to_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
