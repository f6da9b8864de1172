// broadphase demo: a million moving boxes, every method that fits, a table and a picture.
//
// Brute force would take minutes a step at a million boxes, so it runs at a smaller number, and the others run there too
// to be compared with it.
#include "commands/command.h"
#include "commands/demo_picture.h"
#include "commands/library.h"
#include "formats/number.h"
#include "formats/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_OBJECTS = 1000000, SMALL_OBJECTS = 20000, DEFAULT_STEPS = 10, ROWS_MAX = 64 };

static const double LONGEST_STEP = 1.0; // seconds

static const char SCENE[] = "uniform";

static const tool_option OPTIONS[] = {
    {"-n", "N", OPTION_COUNT, offsetof(command_line, scene.count), "boxes (default: 1000000)"},
    {"--steps", "K", OPTION_COUNT, offsetof(command_line, steps), "steps of motion (default: 10)"},
    {"--seed", "S", OPTION_NUMBER, offsetof(command_line, scene.seed), "another number, another scene"},
};

typedef struct demo_run {
    const command_line *arguments;
    scene_options options; // of the whole demo
    size_t steps;
    uint32_t cores;
    demo_row rows[ROWS_MAX];
    size_t row_count;
} demo_run;

// ---------------------------------------------------------------------------------------------------------------------
// One row of the table

static bool make_scene(const demo_run *demo, size_t objects, scene **made, failure *why) {
    scene_options options = demo->options;
    const char *error = "";
    options.count = objects;
    *made = scene_create(SCENE, &options, &error);
    return *made != NULL || failure_set(why, STATUS_FAILED, "scene %s: %s", SCENE, error);
}

typedef struct step_time {
    double total, find; // seconds
} step_time;

static int compare_steps(const void *a, const void *b) {
    double left = ((const step_time *)a)->total, right = ((const step_time *)b)->total;
    return (left > right) - (left < right);
}

static void fill_row(demo_row *row, const bp_result *result, step_time *times, size_t count) {
    qsort(times, count, sizeof *times, compare_steps);
    const step_time median = times[count / 2];
    row->update_ms = 1e3 * (median.total - median.find);
    row->find_ms = 1e3 * median.find;
    row->pairs = result->pair_count;
    row->bytes_per_object = (double)result->stats.bytes / (double)row->objects;
}

// The first update builds the structure and is not counted. A method that takes seconds for it does not fit so many
// boxes, and is left out.
static bool run_steps(const demo_run *demo, scene *moving, bp_world *world, step_time *times, bp_result *result,
                      bool *left_out, const library_log *log, failure *why) {
    const bp_box *boxes = scene_boxes(moving);
    size_t count = scene_box_count(moving);
    if (!library_done(bp_add_many(world, count, boxes, NULL, NULL), log, why)) return false;
    double begin = seconds_now();
    if (!library_done(bp_update(world, result), log, why)) return false;
    *left_out = count > SMALL_OBJECTS && seconds_now() - begin > LONGEST_STEP;
    for (size_t step = 0; step < demo->steps && !*left_out; step++) {
        scene_step(moving);
        double start = seconds_now();
        bp_status status = bp_move_many(world, count, NULL, boxes);
        if (status == BP_OK) status = bp_update(world, result);
        if (!library_done(status, log, why)) return false;
        times[step] = (step_time){.total = seconds_now() - start, .find = result->stats.find_seconds};
        progress_at(step + 1);
    }
    return true;
}

static bool measure_row(const demo_run *demo, const bp_config *base, demo_row *row, bool *left_out, failure *why) {
    library_log log = {0};
    bp_config config = *base;
    config.log = library_log_hook(&log);
    scene *moving = NULL;
    bp_world *world = NULL;
    bp_result result = {0};
    step_time *times = calloc(demo->steps, sizeof *times);
    if (times == NULL) return failure_memory(why);
    progress_begin(bp_method_name(row->method), demo->steps);
    bool good = make_scene(demo, row->objects, &moving, why) &&
                library_done(bp_world_create(&config, &world), &log, why) &&
                run_steps(demo, moving, world, times, &result, left_out, &log, why);
    progress_end();
    if (good && !*left_out) fill_row(row, &result, times, demo->steps);
    bp_world_destroy(world);
    scene_destroy(moving);
    free(times);
    return good;
}

static bool measure(demo_run *demo, size_t method, uint32_t threads, size_t objects, failure *why) {
    char text[NUMBER_LENGTH_MAX];
    demo_row *row = &demo->rows[demo->row_count];
    *row = (demo_row){.method = (bp_method)method, .threads = threads, .objects = objects};
    if (!demo->arguments->quiet) {
        fprintf(stderr, "%s, %s boxes, %u thread%s ...\n", bp_method_name(method), number_grouped(text, objects),
                threads, threads == 1 ? "" : "s");
    }
    bp_config config = demo->arguments->config;
    config.method = row->method;
    config.threads = (int32_t)threads;
    bool left_out = false;
    if (!measure_row(demo, &config, row, &left_out, why)) return false;
    demo->row_count += !left_out;
    if (left_out && !demo->arguments->quiet) fprintf(stderr, "  left out: it takes seconds for a step\n");
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which rows

static bool is_wanted(const demo_run *demo, size_t method) {
    bp_method chosen = demo->arguments->config.method;
    return chosen == BP_METHOD_AUTO || chosen == (bp_method)method;
}

static bool measure_method(demo_run *demo, size_t method, size_t objects, failure *why) {
    int32_t chosen = demo->arguments->config.threads;
    if (chosen != 0) {
        uint32_t threads = chosen < 0 ? demo->cores : (uint32_t)chosen;
        return measure(demo, method, threads, objects, why);
    }
    const size_t before = demo->row_count;
    if (!measure(demo, method, 1, objects, why)) return false;
    if (demo->row_count == before) return true; // left out
    bool more = demo->cores > 1 && (bp_method_supports(method) & BP_SUPPORTS_THREADS) != 0 && objects > SMALL_OBJECTS;
    return !more || measure(demo, method, demo->cores, objects, why);
}

static bool measure_group(demo_run *demo, size_t objects, failure *why) {
    size_t first = demo->row_count;
    for (size_t method = BP_METHOD_AUTO + 1; method < bp_method_count() && demo->row_count + 2 <= ROWS_MAX; method++) {
        if (!is_wanted(demo, method)) continue;
        if (method == BP_METHOD_BRUTE_FORCE && objects > SMALL_OBJECTS) continue;
        if (!measure_method(demo, method, objects, why)) return false;
    }
    for (size_t i = first + 1; i < demo->row_count; i++) {
        if (demo->rows[i].pairs == demo->rows[first].pairs) continue;
        return failure_set(why, STATUS_FAILED, "%s and %s found different pairs; please report this",
                           bp_method_name(demo->rows[first].method), bp_method_name(demo->rows[i].method));
    }
    return true;
}

static bool measure_all(demo_run *demo, failure *why) {
    size_t objects = demo->options.count;
    if (objects > SMALL_OBJECTS && is_wanted(demo, BP_METHOD_BRUTE_FORCE)) {
        if (!measure_group(demo, SMALL_OBJECTS, why)) return false;
    }
    return measure_group(demo, objects, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// What is shown

static bool print_table(const demo_run *demo, failure *why) {
    output_file output;
    if (!output_open(&output, "-", why)) return false;
    output_text(&output, "%-18s %7s %10s %10s %10s %10s %10s %13s\n", "method", "threads", "boxes", "update ms",
                "find ms", "total ms", "pairs", "bytes/object");
    for (size_t i = 0; i < demo->row_count; i++) {
        const demo_row *row = &demo->rows[i];
        char objects[NUMBER_LENGTH_MAX], pairs[NUMBER_LENGTH_MAX];
        output_text(&output, "%-18s %7u %10s %10.2f %10.2f %10.2f %10s %13.1f\n", bp_method_name(row->method),
                    row->threads, number_grouped(objects, row->objects), row->update_ms, row->find_ms,
                    demo_total_ms(row), number_grouped(pairs, row->pairs), row->bytes_per_object);
    }
    return output_close(&output, why);
}

static bool write_picture(const demo_run *demo, const char *path, failure *why) {
    scene *moving;
    if (!make_scene(demo, demo->options.count, &moving, why)) return false;
    for (size_t step = 0; step < demo->steps; step++) scene_step(moving);
    bool good =
        demo_picture_write(path, demo->rows, demo->row_count, scene_boxes(moving), scene_box_count(moving), why);
    scene_destroy(moving);
    return good;
}

static void print_remarks(const demo_run *demo, const char *picture) {
    char objects[NUMBER_LENGTH_MAX];
    const demo_row *first = &demo->rows[0];
    double growth = (double)demo->options.count / (double)first->objects;
    fprintf(stderr, "\nMilliseconds a step, the median of %zu steps.", demo->steps);
    if (growth > 1.0 && first->method == BP_METHOD_BRUTE_FORCE) {
        double seconds = 1e-3 * demo_total_ms(first) * growth * growth;
        bool minutes = seconds > 120.0;
        fprintf(stderr, " At %s boxes %s would take about %.0f %s a step.",
                number_grouped(objects, demo->options.count), bp_method_name(first->method),
                minutes ? seconds / 60.0 : seconds, minutes ? "minutes" : "seconds");
    }
    const char *program = demo->arguments->program;
    fprintf(stderr, "\nThe picture is in %s.\n\nTry next:\n", picture);
    fprintf(stderr, "  %s scene mixed -n 100000 --seed 7 -o boxes.npy\n", program);
    fprintf(stderr, "  %s pairs boxes.npy --stats -o pairs.csv\n", program);
    fprintf(stderr, "  %s demo -n 200000 --steps 50\n", program);
}

static bool run(const command_line *arguments, failure *why) {
    const char *picture = arguments->output == NULL ? "demo.svg" : arguments->output;
    if (arguments->operand_count != 0) {
        return failure_set(why, STATUS_WRONG_CALL, "unexpected word '%.100s'", arguments->operands[0]);
    }
    if (strcmp(picture, "-") == 0) {
        return failure_set(why, STATUS_WRONG_CALL, "-o: the picture needs a file; standard output has the table");
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    demo_run demo = {.arguments = arguments, .options = arguments->scene, .cores = cores < 1 ? 1 : (uint32_t)cores};
    if (demo.options.count == 0) demo.options.count = DEFAULT_OBJECTS;
    demo.steps = arguments->steps == 0 ? DEFAULT_STEPS : arguments->steps;
    if (!measure_all(&demo, why) || !print_table(&demo, why) || !write_picture(&demo, picture, why)) return false;
    if (!arguments->quiet) print_remarks(&demo, picture);
    return true;
}

const tool_command command_demo = {
    .name = "demo",
    .summary = "One million moving boxes, every method that fits: a table, and a picture (demo.svg).",
    .synopsis = "[-n N] [--steps K] [-o FILE.svg] [options]",
    .example = "  broadphase demo\n"
               "  broadphase demo -n 100000 --method hierarchical-grid -o small.svg\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses_library = true,
    .run = run,
};
