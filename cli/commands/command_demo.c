// broadphase demo: a million moving boxes, every method that fits, a table and a picture.
//
// Brute force would take minutes a step at a million boxes, so it runs at a smaller number, and the others run there
// too to be compared with it. Its time at a million is estimated from that, and methods that are left out are listed.
#include "commands/command.h"
#include "commands/demo_picture.h"
#include "commands/library.h"
#include "formats/number.h"
#include "formats/platform.h"
#include "formats/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_OBJECTS = 1000000, SMALL_OBJECTS = 20000, DEFAULT_STEPS = 10 };

static const double LONGEST_STEP = 1.0; // seconds

static const char SCENE[] = "uniform";

static const tool_option OPTIONS[] = {
    {"-n", "N", OPTION_COUNT, offsetof(command_line, scene.count), "boxes (default: 1000000)"},
    {"--steps", "K", OPTION_COUNT, offsetof(command_line, steps), "steps of motion (default: 10)"},
    {"--seed", "S", OPTION_NUMBER, offsetof(command_line, scene.seed), "seed of the scene"},
    {"-o", "FILE.svg", OPTION_TEXT, offsetof(command_line, output), "the picture (default: demo.svg)"},
};

typedef struct demo_run {
    const command_line *arguments;
    scene_options options; // of the whole demo
    size_t steps;
    uint32_t cores;
    demo_results results;
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

// A world that follows the scene step by step.
typedef struct demo_world {
    scene *moving;
    bp_world *world;
    library_log log;
} demo_world;

static bool open_world(const demo_run *demo, bp_config config, size_t objects, demo_world *opened, failure *why) {
    *opened = (demo_world){0};
    config.log = library_log_hook(&opened->log);
    if (!make_scene(demo, objects, &opened->moving, why) ||
        !library_done(bp_world_create(&config, &opened->world), &opened->log, why)) {
        return false;
    }
    size_t count = scene_box_count(opened->moving);
    bp_status status = bp_add_many(opened->world, count, scene_boxes(opened->moving), NULL, NULL);
    return library_done(status, &opened->log, why);
}

static void close_world(demo_world *opened) {
    bp_world_destroy(opened->world);
    scene_destroy(opened->moving);
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

static bool run_steps(const demo_run *demo, demo_world *opened, step_time *times, bp_result *result, failure *why) {
    const bp_box *boxes = scene_boxes(opened->moving);
    size_t count = scene_box_count(opened->moving);
    for (size_t step = 0; step < demo->steps; step++) {
        scene_step(opened->moving);
        double start = seconds_now();
        bp_status status = bp_move_many(opened->world, count, NULL, boxes);
        if (status == BP_OK) status = bp_update(opened->world, result);
        if (!library_done(status, &opened->log, why)) return false;
        times[step] = (step_time){.total = seconds_now() - start, .find = result->stats.find_seconds};
        progress_at(step + 1);
    }
    return true;
}

// The first update builds the structure and is not counted. A method that takes seconds for it is too slow for so many
// boxes and is left out.
static bool run_world(const demo_run *demo, demo_world *opened, step_time *times, demo_row *row, failure *why) {
    bp_result result = {0};
    double begin = seconds_now();
    if (!library_done(bp_update(opened->world, &result), &opened->log, why)) return false;
    double first = seconds_now() - begin;
    if (row->objects > SMALL_OBJECTS && first > LONGEST_STEP) {
        row->left_out_ms = 1e3 * first;
        return true;
    }
    if (!run_steps(demo, opened, times, &result, why)) return false;
    fill_row(row, &result, times, demo->steps);
    return true;
}

static bool measure_row(const demo_run *demo, demo_row *row, failure *why) {
    bp_config config = demo->arguments->config;
    config.method = row->method;
    config.threads = (int32_t)row->threads;
    demo_world opened;
    step_time *times = calloc(demo->steps, sizeof *times);
    if (times == NULL) return failure_memory(why);
    progress_begin(bp_method_name(row->method), demo->steps);
    bool good = open_world(demo, config, row->objects, &opened, why) && run_world(demo, &opened, times, row, why);
    progress_end();
    close_world(&opened);
    free(times);
    return good;
}

static void tell_row(const demo_row *row) {
    char objects[NUMBER_LENGTH_MAX], text[DEMO_TEXT_MAX];
    fprintf(stderr, "  %s boxes, %s, %u thread%s: %s\n", number_grouped(objects, row->objects),
            bp_method_name(row->method), row->threads, row->threads == 1 ? "" : "s",
            row->left_out_ms > 0.0 ? demo_left_out_text(text, row) : demo_time_text(text, demo_total_ms(row)));
}

static bool measure(demo_run *demo, size_t method, uint32_t threads, size_t objects, failure *why) {
    demo_row *row = &demo->results.rows[demo->results.row_count];
    *row = (demo_row){.method = (bp_method)method, .threads = threads, .objects = objects};
    if (!measure_row(demo, row, why)) return false;
    demo->results.row_count++;
    if (!demo->arguments->quiet) tell_row(row);
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
    if (!measure(demo, method, 1, objects, why)) return false;
    if (demo->results.rows[demo->results.row_count - 1].left_out_ms > 0.0) return true;
    bool more = demo->cores > 1 && (bp_method_supports(method) & BP_SUPPORTS_THREADS) != 0 && objects > SMALL_OBJECTS;
    return !more || measure(demo, method, demo->cores, objects, why);
}

static bool same_pairs(const demo_row *rows, size_t count, failure *why) {
    const demo_row *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].left_out_ms > 0.0) continue;
        if (first == NULL) first = &rows[i];
        if (rows[i].pairs == first->pairs) continue;
        return failure_set(why, STATUS_FAILED, "%s and %s found different pairs; please report this",
                           bp_method_name(first->method), bp_method_name(rows[i].method));
    }
    return true;
}

// The choice depends on the boxes alone, so any world with these boxes shows it.
static bool mark_default(const demo_run *demo, demo_row *rows, size_t count, failure *why) {
    if (count == 0) return true;
    bp_config config = demo->arguments->config;
    config.method = BP_METHOD_AUTO;
    demo_world opened;
    bp_result result = {0};
    bool good = open_world(demo, config, rows[0].objects, &opened, why) &&
                library_done(bp_update(opened.world, &result), &opened.log, why);
    for (size_t i = 0; good && i < count; i++) rows[i].is_default = rows[i].method == result.stats.method;
    close_world(&opened);
    return good;
}

static bool measure_group(demo_run *demo, size_t objects, failure *why) {
    const size_t first = demo->results.row_count;
    for (size_t method = BP_METHOD_AUTO + 1; method < bp_method_count(); method++) {
        if (!is_wanted(demo, method) || demo->results.row_count + 2 > DEMO_ROWS_MAX) continue;
        if (method == BP_METHOD_BRUTE_FORCE && objects > SMALL_OBJECTS) continue;
        if (!measure_method(demo, method, objects, why)) return false;
    }
    demo_row *rows = &demo->results.rows[first];
    const size_t count = demo->results.row_count - first;
    return same_pairs(rows, count, why) && mark_default(demo, rows, count, why);
}

// ---------------------------------------------------------------------------------------------------------------------
// Beside brute force

static const demo_row *find_brute_force(const demo_run *demo) {
    for (size_t i = 0; i < demo->results.row_count; i++) {
        const demo_row *row = &demo->results.rows[i];
        if (row->method == BP_METHOD_BRUTE_FORCE && row->left_out_ms <= 0.0) return row;
    }
    return NULL;
}

// It tests every pair, so its time grows with the square of the boxes.
static double brute_force_ms(const demo_row *measured, size_t objects) {
    double growth = (double)objects / (double)measured->objects;
    return demo_total_ms(measured) * growth * growth;
}

static void compare_with_brute_force(demo_run *demo) {
    const demo_row *found = find_brute_force(demo);
    if (found == NULL) return;
    const demo_row measured = *found;
    for (size_t i = 0; i < demo->results.row_count; i++) {
        demo_row *row = &demo->results.rows[i];
        if (row->left_out_ms > 0.0) continue;
        // A single box may take no time that the clock can see.
        row->speed_up = brute_force_ms(&measured, row->objects) / fmax(demo_total_ms(row), 1e-6);
    }
    if (measured.objects == demo->options.count) return;
    demo->results.rows[demo->results.row_count++] = (demo_row){
        .method = BP_METHOD_BRUTE_FORCE,
        .threads = measured.threads,
        .objects = demo->options.count,
        .left_out_ms = brute_force_ms(&measured, demo->options.count),
        .speed_up = 1.0,
    };
}

// The whole scene first, then the small one; in each the fastest first, and last those left out.
static int compare_rows(const void *a, const void *b) {
    const demo_row *left = a, *right = b;
    if (left->objects != right->objects) return left->objects < right->objects ? 1 : -1;
    if ((left->left_out_ms > 0.0) != (right->left_out_ms > 0.0)) return left->left_out_ms > 0.0 ? 1 : -1;
    double left_ms = left->left_out_ms + demo_total_ms(left), right_ms = right->left_out_ms + demo_total_ms(right);
    return (left_ms > right_ms) - (left_ms < right_ms);
}

static bool measure_all(demo_run *demo, failure *why) {
    size_t objects = demo->options.count;
    if (objects > SMALL_OBJECTS && is_wanted(demo, BP_METHOD_BRUTE_FORCE)) {
        if (!measure_group(demo, SMALL_OBJECTS, why)) return false;
    }
    if (!measure_group(demo, objects, why)) return false;
    compare_with_brute_force(demo);
    qsort(demo->results.rows, demo->results.row_count, sizeof *demo->results.rows, compare_rows);
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sentences below the table and the picture

static char *next_note(demo_results *results) {
    return results->notes[results->note_count++];
}

static void note_brute_force(demo_run *demo) {
    char objects[NUMBER_LENGTH_MAX], small[NUMBER_LENGTH_MAX], time[DEMO_TEXT_MAX], estimate[DEMO_TEXT_MAX];
    const demo_row *measured = find_brute_force(demo);
    if (measured == NULL || measured->objects == demo->options.count) return;
    snprintf(
        next_note(&demo->results), DEMO_NOTE_LENGTH_MAX,
        "Brute force tests every pair: with %s boxes it would take about %s a step, estimated from %s with %s on %u "
        "thread%s.",
        number_grouped(objects, demo->options.count),
        demo_time_text(estimate, brute_force_ms(measured, demo->options.count)),
        demo_time_text(time, demo_total_ms(measured)), number_grouped(small, measured->objects), measured->threads,
        measured->threads == 1 ? "" : "s");
    snprintf(next_note(&demo->results), DEMO_NOTE_LENGTH_MAX,
             "It is therefore not run there, and the others are compared with this estimate.");
}

static void note_slow_methods(demo_run *demo) {
    for (size_t i = 0; i < demo->results.row_count; i++) {
        const demo_row *row = &demo->results.rows[i];
        if (row->left_out_ms <= 0.0 || row->method == BP_METHOD_BRUTE_FORCE) continue;
        snprintf(next_note(&demo->results), DEMO_NOTE_LENGTH_MAX,
                 "A method whose first step takes more than %.0f s is skipped.", LONGEST_STEP);
        return;
    }
}

static void write_notes(demo_run *demo) {
    bp_method only = demo->arguments->config.method;
    snprintf(next_note(&demo->results), DEMO_NOTE_LENGTH_MAX, "Each time is the median of %zu step%s.%s", demo->steps,
             demo->steps == 1 ? "" : "s", only == BP_METHOD_AUTO ? " All methods found the same number of pairs." : "");
    note_brute_force(demo);
    note_slow_methods(demo);
    if (only == BP_METHOD_AUTO) return;
    snprintf(next_note(&demo->results), DEMO_NOTE_LENGTH_MAX, "Only %s was run, as requested%s.",
             bp_method_name((size_t)only),
             only == BP_METHOD_BRUTE_FORCE ? "" : "; there is no brute force to compare it with");
}

// ---------------------------------------------------------------------------------------------------------------------
// What is shown

static void print_row(output_file *output, const demo_row *row) {
    char objects[NUMBER_LENGTH_MAX], pairs[NUMBER_LENGTH_MAX], text[DEMO_TEXT_MAX];
    output_text(output, "%-17s %7u %9s ", bp_method_name(row->method), row->threads,
                number_grouped(objects, row->objects));
    if (row->left_out_ms > 0.0) {
        output_text(output, "%9s %9s %9s %9s %12s %9s  %s\n", "-", "-", "-", "-", "-", "-",
                    demo_left_out_text(text, row));
        return;
    }
    output_text(output, "%9.2f %9.2f %9.2f %9s %12.1f %9s%s\n", row->update_ms, row->find_ms, demo_total_ms(row),
                number_grouped(pairs, row->pairs), row->bytes_per_object, demo_speed_up_text(text, row),
                row->is_default ? "  default" : "");
}

static bool print_table(const demo_run *demo, failure *why) {
    output_file output;
    if (!output_open(&output, "-", why)) return false;
    output_text(&output, "%-17s %7s %9s %9s %9s %9s %9s %12s %9s\n", "method", "threads", "boxes", "update ms",
                "find ms", "total ms", "pairs", "bytes/object", "speed-up");
    for (size_t i = 0; i < demo->results.row_count; i++) print_row(&output, &demo->results.rows[i]);
    return output_close(&output, why);
}

static bool write_picture(const demo_run *demo, const char *path, failure *why) {
    scene *moving;
    if (!make_scene(demo, demo->options.count, &moving, why)) return false;
    for (size_t step = 0; step < demo->steps; step++) scene_step(moving);
    bool good = demo_picture_write(path, &demo->results, scene_boxes(moving), scene_box_count(moving), why);
    scene_destroy(moving);
    return good;
}

static void print_beginning(const demo_run *demo) {
    char objects[NUMBER_LENGTH_MAX];
    fprintf(stderr, "%s moving boxes; in each step all move, and each method finds all pairs anew:\n",
            number_grouped(objects, demo->options.count));
}

// The first row of the library's own choice is its fastest, and of the whole scene.
static void print_default(const demo_run *demo) {
    char objects[NUMBER_LENGTH_MAX], time[DEMO_TEXT_MAX], speed_up[DEMO_TEXT_MAX];
    for (size_t i = 0; i < demo->results.row_count; i++) {
        const demo_row *row = &demo->results.rows[i];
        if (!row->is_default || row->left_out_ms > 0.0) continue;
        fprintf(stderr, "\nDefault: the library chooses %s here. With %u thread%s it takes %s a step for %s boxes",
                bp_method_name(row->method), row->threads, row->threads == 1 ? "" : "s",
                demo_time_text(time, demo_total_ms(row)), number_grouped(objects, row->objects));
        if (row->speed_up > 0.0) {
            fprintf(stderr, ",\nabout %s times as fast as brute force (the column speed-up)",
                    demo_speed_up_text(speed_up, row));
        }
        fprintf(stderr, ".\n");
        return;
    }
}

static void print_remarks(const demo_run *demo, const char *picture) {
    const char *program = demo->arguments->program;
    print_default(demo);
    for (size_t i = 0; i < demo->results.note_count; i++) fprintf(stderr, "%s\n", demo->results.notes[i]);
    fprintf(stderr, "\nThe picture is in %s.\n\nTry next:\n", picture);
    fprintf(stderr, "  %s scene mixed -n 100000 --seed 7 -o boxes.npy\n", program);
    fprintf(stderr, "  %s pairs boxes.npy --stats -o pairs.csv\n", program);
    fprintf(stderr, "  %s demo -n 200000 --steps 50\n", program);
}

static bool run_demo(const command_line *arguments, failure *why) {
    const char *picture = arguments->output == NULL ? "demo.svg" : arguments->output;
    if (arguments->operand_count != 0) {
        return failure_set(why, STATUS_WRONG_CALL, "unexpected word '%.100s'", arguments->operands[0]);
    }
    if (strcmp(picture, "-") == 0) {
        return failure_set(why, STATUS_WRONG_CALL, "-o: the picture needs a file; standard output has the table");
    }
    demo_run demo = {.arguments = arguments, .options = arguments->scene, .cores = platform_cores()};
    if (demo.options.count == 0) demo.options.count = DEFAULT_OBJECTS;
    demo.steps = arguments->steps == 0 ? DEFAULT_STEPS : arguments->steps;
    if (!arguments->quiet) print_beginning(&demo);
    if (!measure_all(&demo, why)) return false;
    write_notes(&demo);
    if (!print_table(&demo, why) || !write_picture(&demo, picture, why)) return false;
    if (!arguments->quiet) print_remarks(&demo, picture);
    return true;
}

const tool_command command_demo = {
    .name = "demo",
    .summary =
        "Runs every suitable method on one million moving boxes; prints a table, fastest first, and draws demo.svg.",
    .synopsis = "[-n N] [--steps K] [-o FILE.svg] [options]",
    .example = "  broadphase demo\n"
               "  broadphase demo -n 100000 --method hierarchical-grid -o small.svg\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_SETTINGS | USES_QUIET,
    .settings = SETTINGS_FOR_WORLDS,
    .run = run_demo,
};
