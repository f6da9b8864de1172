// The command line.
#include "core/bench.h"
#include "formats/about.h"
#include "peers/world_peer.h"

#include <hostile.h>
#include <stdlib.h>
#include <string.h>

void options_help(FILE *file) {
    fputs(
        "Usage: broadphase-bench [OPTION]...\n"
        "Measures this library beside other libraries, on the same boxes, in one run.\n\n"
        "  --suite NAME      what to run: quick (default), or another one of --list\n"
        "  --scenes LIST     these scenes, or parts of the suite, instead of all, e.g. uniform,long\n"
        "  -n LIST           these numbers of objects, e.g. 1e4,1e5\n"
        "  --threads LIST    also our rows with these numbers of threads; one thread always runs\n"
        "  --repeat R        timed steps per contestant (default: 11 up to 20,000 objects, else 5)\n"
        "  --warmup W        steps before them (default: 2)\n"
        "  --peers NAMES     all (default), none, or names: embree,bullet-dbvt; named ones are never left out\n"
        "  --csv FILE        a row per measurement, written as soon as its case is finished\n"
        "  --resume          keeps the rows that are in FILE and measures the rest; FILE must be of the same suite\n"
        "                    and commit\n"
        "  --budget SECONDS  keep to this time: slow peers run less often, then not at all, then the rest is left out\n"
        "  --file FILE       for the suite trace: a recording, T x N x 6, as .npy; for calibrate: lines of "
        "facts and times\n"
        "  --scene TEXT      for the suite worst: a scene by its parameters, as worst-search prints it\n"
        "  --method NAME     for the suites worst, surfaces and between: this method, beside the default\n"
        "  --limit SECONDS   for the suites worst and worst-search: a call that takes longer is ended\n"
        "  --seed S          for the suites worst, worst-search, worst-mixtures, calibrate and regret: of the random\n"
        "                    numbers (default: 1)\n"
        "  --list            the suites and peers, and which peers are not built\n"
        "  --help            this text\n\n"
        "Tables go to standard output, progress to standard error. Exit status: 0, 1 (a contestant failed or found\n"
        "wrong pairs, or the run was interrupted), 2 (the call was wrong).\n",
        file);
}

static bool complain(const char *what, const char *value) {
    fprintf(stderr, "broadphase-bench: %s '%s' (--help tells more)\n", what, value);
    return false;
}

static bool parse_number(const char *text, double low, double high, double *value) {
    char *end = NULL;
    *value = strtod(text, &end);
    return (end != text && *end == '\0' && *value >= low && *value <= high) ||
           complain("not a number in the allowed range:", text);
}

// Cuts the argument in place: the pieces live as long as argv.
static size_t split(char *text, const char **pieces) {
    size_t count = 0;
    for (char *piece = strtok(text, ","); piece && count + 1 < MAX_LIST; piece = strtok(NULL, ","))
        pieces[count++] = piece;
    return count;
}

static bool parse_counts(char *text, bench_options *options) {
    const char *pieces[MAX_LIST];
    options->count_count = split(text, pieces);
    for (size_t i = 0; i < options->count_count; i++) {
        double value;
        if (!parse_number(pieces[i], 2, 4e9, &value)) return false;
        options->counts[i] = (size_t)value;
    }
    return true;
}

static bool parse_threads(char *text, bench_options *options) {
    const char *pieces[MAX_LIST];
    options->thread_count = split(text, pieces);
    for (size_t i = 0; i < options->thread_count; i++) {
        double value;
        if (!parse_number(pieces[i], 1, 1024, &value)) return false;
        options->threads[i] = (int)value;
    }
    return true;
}

static bool parse_size(const char *text, double high, size_t *value) {
    double number;
    if (!parse_number(text, 1, high, &number)) return false;
    *value = (size_t)number;
    return true;
}

bool peer_has_name(const char *who, const char *method, const char *name) {
    const size_t length = strlen(who);
    if (strncmp(name, who, length) != 0) return false;
    return !name[length] || ((name[length] == '-' || name[length] == '/') && !strcmp(name + length + 1, method));
}

bool options_have_peer(const bench_options *options, const char *who, const char *method) {
    bool named = options->peer_count == 0;
    for (size_t i = 0; i < options->peer_count; i++) named = named || peer_has_name(who, method, options->peers[i]);
    return named && !options->no_peers;
}

bool options_have_library(const bench_options *options, const char *who) {
    bool named = options->peer_count == 0;
    for (size_t i = 0; i < options->peer_count; i++) named = named || strncmp(options->peers[i], who, strlen(who)) == 0;
    return named && !options->no_peers;
}

bool options_ask_for(const bench_options *options, const char *part) {
    bool asked = options->scene_count == 0;
    for (size_t i = 0; i < options->scene_count; i++) asked = asked || strcmp(options->scenes[i], part) == 0;
    return asked;
}

static bool is_peer_name(const char *name) {
    const bench_options only = {.peers = {name}, .peer_count = 1};
    for (size_t i = 0; i < bench_library_count; i++) {
        if (strcmp(bench_libraries[i].name, name) == 0) return true; // built or not
        for (const bench_peer *peer = bench_libraries[i].peers; peer && peer->who; peer++)
            if (options_have_peer(&only, peer->who, peer->method)) return true;
    }
    for (size_t i = 0; i < BENCH_WORLD_LIBRARIES; i++)
        for (const bench_world_peer *peer = bench_world_peers[i]; peer && peer->who; peer++)
            if (options_have_peer(&only, peer->who, peer->method)) return true;
    return complain("no such peer:", name);
}

static bool parse_peers(char *text, bench_options *options) {
    options->no_peers = strcmp(text, "none") == 0;
    if (options->no_peers || strcmp(text, "all") == 0) return true;
    options->peer_count = split(text, options->peers);
    for (size_t i = 0; i < options->peer_count; i++)
        if (!is_peer_name(options->peers[i])) return false;
    return true;
}

static bool parse_scene(const char *text, bench_options *options) {
    char why[HOSTILE_WHY] = "";
    hostile_scene hostile;
    options->scene = text;
    return hostile_parse(text, &hostile, why) || complain("the scene:", why);
}

static bool parse_method(const char *name, bench_options *options) {
    for (size_t i = 0; i < bp_method_count(); i++)
        if (strcmp(bp_method_name(i), name) == 0) {
            options->method = (bp_method)i;
            options->has_method = true;
            return true;
        }
    return complain("no such method ('broadphase methods' lists them):", name);
}

static bool parse_seed(const char *text, bench_options *options) {
    double value;
    if (!parse_number(text, 0, 9e15, &value)) return false;
    options->seed = (uint64_t)value;
    return true;
}

static bool parse_value(const char *name, char *value, bench_options *options) {
    if (strcmp(name, "--suite") == 0)
        options->suite = value;
    else if (strcmp(name, "--scenes") == 0)
        options->scene_count = split(value, options->scenes);
    else if (strcmp(name, "-n") == 0)
        return parse_counts(value, options);
    else if (strcmp(name, "--threads") == 0)
        return parse_threads(value, options);
    else if (strcmp(name, "--repeat") == 0)
        return parse_size(value, MAX_RUNS, &options->repeats);
    else if (strcmp(name, "--warmup") == 0)
        return parse_size(value, 1000, &options->warmups);
    else if (strcmp(name, "--peers") == 0)
        return parse_peers(value, options);
    else if (strcmp(name, "--csv") == 0)
        options->csv = value;
    else if (strcmp(name, "--file") == 0)
        options->file = value;
    else if (strcmp(name, "--scene") == 0)
        return parse_scene(value, options);
    else if (strcmp(name, "--method") == 0)
        return parse_method(value, options);
    else if (strcmp(name, "--seed") == 0)
        return parse_seed(value, options);
    else if (strcmp(name, "--limit") == 0)
        return parse_number(value, 0.001, 1e6, &options->limit);
    else if (strcmp(name, "--budget") == 0)
        return parse_number(value, 0.001, 1e9, &options->budget);
    else
        return complain("no such option:", name);
    return true;
}

static bool options_fit_together(const bench_options *options) {
    const bool is_trace = strcmp(options->suite, "trace") == 0;
    const bool is_calibrate = strcmp(options->suite, "calibrate") == 0,
               is_drawn = is_calibrate || strcmp(options->suite, "regret") == 0;
    if (options->help || options->list) return true;
    if (is_trace && !options->file) return complain("no recording: --suite trace needs", "--file FILE.npy");
    if (!is_trace && options->file && !is_calibrate)
        return complain("not an option, and only the suites trace and calibrate have a file:", options->file);
    const bool is_worst = strncmp(options->suite, "worst", 5) == 0;
    const bool takes_method = is_worst || !strcmp(options->suite, "surfaces") || !strcmp(options->suite, "between");
    if (!is_worst && (options->scene || (options->seed && !is_drawn) || options->limit > 0))
        return complain("--scene, --limit and --seed are for the suites worst and worst-search (--seed also for "
                        "calibrate), not for",
                        options->suite);
    if (!takes_method && options->has_method)
        return complain("--method is for the suites worst, surfaces and between, not for", options->suite);
    if (options->resume && !options->csv) return complain("no file to resume: --resume needs", "--csv FILE");
    return true;
}

bool options_parse(int argc, char **argv, bench_options *options) {
    *options = (bench_options){.suite = "quick"};
    about_call(argc, argv, options->command, COMMAND_SIZE); // before the arguments are cut to pieces
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0)
            options->list = true;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            options->help = true;
        else if (strcmp(argv[i], "--resume") == 0)
            options->resume = true;
        else if (argv[i][0] != '-' && !options->file)
            options->file = argv[i];
        else if (i + 1 == argc)
            return complain(argv[i][0] == '-' ? "no value after" : "not an option:", argv[i]);
        else if (!parse_value(argv[i], argv[i + 1], options))
            return false;
        else
            i++;
    }
    return options_fit_together(options);
}
