// Random programs of public calls, run with every method and on the naive model.
//
//     test_programs                         the seeds that the tests always run
//     test_programs --seed N --programs M   others: N, N + 1, ...
//     test_programs --defect K              with a mistake made on purpose (1 to 4): prints the short program as C
//
// A program that fails is made short and printed as C.
#include "programs/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS = 1500, PROGRAMS_QUICK = 150, SHORT = 8 };

static uint64_t first_seed = 1;
static size_t program_count; // 0: as many as always

// ---- crashes -------------------------------------------------------------------------------------------------------

static char now[128];

// Nothing can be made short after a crash; but what ran can be told.
static void tell_and_die(int number) {
    (void)!write(STDERR_FILENO, now, (unsigned)strlen(now));
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void watch_for_crashes(void) {
    (void)signal(SIGABRT, tell_and_die);
    (void)signal(SIGSEGV, tell_and_die);
    (void)signal(SIGFPE, tell_and_die);
}

// ---- programs ------------------------------------------------------------------------------------------------------

static void fail_with(program *p, bp_method method, uint64_t seed) {
    const size_t calls = p->count, tries = program_shrink(p, method, DEFECT_NONE);
    const outcome found = program_run(p, method, DEFECT_NONE);
    program_print(p, method, &found, stderr);
    fail_msg("seed %llu, method %s: %s; %zu of %zu calls are left after %zu tries", (unsigned long long)seed,
             bp_method_name((size_t)method), found.text, p->count, calls, tries);
}

// With every method that can; returns with how many.
static size_t run_seed(uint64_t seed) {
    source from = source_seeded(seed);
    program p = program_draw(&from);
    size_t runs = 0;
    for (size_t method = 1; method < bp_method_count(); ++method) {
        (void)snprintf(now, sizeof now, "test_programs: died in seed %llu with %s\n", (unsigned long long)seed,
                       bp_method_name(method));
        if (program_suits(&p, (bp_method)method)) {
            ++runs;
            if (program_run(&p, (bp_method)method, DEFECT_NONE).failed) {
                fail_with(&p, (bp_method)method, seed);
            }
        }
    }
    program_free(&p);
    return runs;
}

static void worlds_do_what_the_model_does(void **state) {
    (void)state;
    const size_t usual = quick() ? PROGRAMS_QUICK : PROGRAMS, count = program_count > 0 ? program_count : usual;
    size_t runs = 0;
    for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        runs += run_seed(seed);
    }
    print_message("%zu programs, %zu runs\n", count, runs);
    report("random programs x methods", "%zu", runs);
}

// ---- defects -------------------------------------------------------------------------------------------------------

// The first program that shows a defect, made short.
static program find_defect(defect made, outcome *found) {
    for (uint64_t seed = first_seed; seed < first_seed + 200; ++seed) {
        source from = source_seeded(seed);
        program p = program_draw(&from);
        if (program_run(&p, BP_METHOD_BVH, made).failed) {
            (void)program_shrink(&p, BP_METHOD_BVH, made);
            *found = program_run(&p, BP_METHOD_BVH, made);
            return p;
        }
        program_free(&p);
    }
    fail_msg("defect %d is not found by 200 programs", (int)made);
    return (program){.count = 0};
}

static void every_defect_is_found_and_made_short(void **state) {
    (void)state;
    for (int made = DEFECT_NONE + 1; made < DEFECT_COUNT; ++made) {
        outcome found;
        program p = find_defect((defect)made, &found);
        assert_true(found.failed);
        if (p.count > SHORT || program_objects(&p) > SHORT) {
            program_print(&p, BP_METHOD_BVH, &found, stderr);
            fail_msg("defect %d: %zu calls are left, and %zu objects", made, p.count, program_objects(&p));
        }
        assert_false(program_run(&p, BP_METHOD_BVH, DEFECT_NONE).failed);
        print_message("defect %d: %zu calls: %s\n", made, p.count, found.text);
        program_free(&p);
    }
}

static void a_program_can_be_taken_apart(void **state) {
    (void)state;
    source from = source_seeded(first_seed);
    program p = program_draw(&from), copy = program_copy(&p);
    assert_int_equal(copy.count, p.count);
    assert_memory_equal(copy.steps, p.steps, p.count * sizeof *p.steps);
    program_free(&copy);
    program_free(&p);
    from = source_of_bytes(NULL, 0);
    from.bytes = (const uint8_t *)"";
    p = program_draw(&from);
    assert_int_equal(p.count, 0); // no bytes, no calls
    program_free(&p);
}

static int print_defect(defect made) {
    outcome found;
    program p = find_defect(made, &found);
    program_print(&p, BP_METHOD_BVH, &found, stdout);
    program_free(&p);
    return 0;
}

int main(int argument_count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_do_what_the_model_does),
        cmocka_unit_test(every_defect_is_found_and_made_short),
        cmocka_unit_test(a_program_can_be_taken_apart),
    };
    watch_for_crashes();
    for (int i = 1; i + 1 < argument_count; i += 2) {
        const uint64_t value = strtoull(arguments[i + 1], NULL, 0);
        if (strcmp(arguments[i], "--defect") == 0) {
            return print_defect((defect)value);
        }
        first_seed = strcmp(arguments[i], "--seed") == 0 ? value : first_seed;
        program_count = strcmp(arguments[i], "--programs") == 0 ? (size_t)value : program_count;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
