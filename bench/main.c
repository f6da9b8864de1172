// broadphase-bench: compares this library with others on the same boxes in one run.
#include "core/bench.h"
#include "formats/about.h"

#include <signal.h>
#include <string.h>

volatile int bench_interrupted;

static void interrupt(int number) {
    (void)number;
    bench_interrupted = 1;
}

static void catch_interrupt(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
}

static void print_head(const bench_options *options) {
    about_print(stdout, "", options->command);
    for (size_t i = 0; i < bench_library_count && !options->no_peers; i++)
        if (!bench_libraries[i].peers)
            printf("not built: %s (Debian: %s)\n", bench_libraries[i].name, bench_libraries[i].package);
    fflush(stdout);
}

static int run_suite(const bench_suite *suite, const bench_options *options) {
    bench_session *const session = session_begin(options);
    if (!session) return 2;
    catch_interrupt();
    print_head(options);
    cases_run(suite, options, session);
    if (suite->run) suite->run(options, session);
    return session_end(session);
}

int main(int argc, char **argv) {
    bench_options options;
    if (!options_parse(argc, argv, &options)) return 2;
    if (options.help || options.list) {
        (options.help ? options_help : suite_list)(stdout);
        return 0;
    }
    const bench_suite *const suite = suite_find(options.suite);
    if (!suite) {
        fprintf(stderr, "broadphase-bench: no such suite: '%s' (--list names them)\n", options.suite);
        return 2;
    }
    return cases_check(suite, &options) ? run_suite(suite, &options) : 2;
}
