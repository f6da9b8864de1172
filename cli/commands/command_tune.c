// broadphase tune: which method and parameters are the fastest for a file of boxes, or a trace?
#include "commands/command.h"
#include "commands/follower.h"
#include "commands/library.h"
#include "formats/box_files.h"
#include "formats/progress.h"
#include "formats/settings.h"
#include "formats/trace_file.h"

#include <broadphase/broadphase_tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKED_MAX = 64, SECONDS_USUAL = 20, SECONDS_MOST = 1000000 };

static const tool_option OPTIONS[] = {
    {"--budget", "SECONDS", OPTION_REAL, offsetof(command_line, budget), "time limit (default: 20)"},
    {"--source", "FILE", OPTION_TEXT, offsetof(command_line, source),
     "write the fastest config as a C initialiser; -: standard output"},
};

// All steps in memory, so that reading files is not timed.
typedef struct story {
    bp_box *boxes; // of all steps, one after the other
    size_t *begins;
    size_t steps, used, capacity;
    bp_box_double *doubles; // or one step of 64-bit boxes
    size_t double_count;
    bool is_flat; // rectangles, by their header
    follower follower;
} story;

static void free_story(story *s) {
    free(s->boxes);
    free(s->begins);
    free(s->doubles);
    follower_free(&s->follower);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static bool append_step(story *s, const bp_box *boxes, size_t count, failure *why) {
    if (s->used + count > s->capacity) {
        const size_t capacity = 2 * s->used + count;
        bp_box *grown = realloc(s->boxes, (capacity + 1) * sizeof *grown);
        if (grown == NULL) return failure_memory(why);
        s->boxes = grown;
        s->capacity = capacity;
    }
    size_t *begins = realloc(s->begins, (s->steps + 2) * sizeof *begins);
    if (begins == NULL) return failure_memory(why);
    s->begins = begins;
    if (count > 0) memcpy(s->boxes + s->used, boxes, count * sizeof *boxes);
    begins[s->steps++] = s->used;
    begins[s->steps] = s->used += count;
    return true;
}

static bool read_trace(const char *path, story *s, failure *why) {
    trace_file trace;
    bool more = true, good = true;
    if (!trace_file_open(&trace, path, why)) return false;
    while (good && more) {
        good = trace_file_next(&trace, &more, why) && (!more || append_step(s, trace.boxes, trace.count, why));
    }
    trace_file_close(&trace);
    if (good && s->steps == 0) good = failure_set(why, STATUS_FAILED, "%s: has no steps", path);
    return good;
}

static bool read_boxes(const char *path, uint32_t dimensions, story *s, failure *why) {
    box_list list;
    if (!box_file_read(path, dimensions, &list, why)) return false;
    s->is_flat = box_form_is_flat(list.form);
    if (!list.is_double) {
        const bool good = append_step(s, list.data, list.count, why);
        box_list_free(&list);
        return good;
    }
    s->doubles = list.doubles;
    s->double_count = list.count;
    s->steps = 1;
    return true;
}

static bool read_story(const command_line *arguments, story *s, failure *why) {
    const char *path = arguments->operands[0];
    bool is_trace = false;
    if (!trace_file_is_one(path, &is_trace, why)) return false;
    return is_trace ? read_trace(path, s, why) : read_boxes(path, arguments->config.dimensions == 2 ? 2 : 3, s, why);
}

static bp_status replay_step(void *context, bp_world *world, size_t step) {
    story *s = context;
    if (step == 0) follower_restart(&s->follower);
    if (s->doubles != NULL) return bp_add_many_double(world, s->double_count, s->doubles, NULL, NULL);
    if (s->steps == 1) return bp_add_many(world, s->begins[1], s->boxes, NULL, NULL);
    return follower_step(&s->follower, world, s->boxes + s->begins[step], s->begins[step + 1] - s->begins[step]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Output

// The settings that a candidate changes in the caller's config.
static void write_candidate(output_file *output, const bp_tuned *tuned, const bp_config *given) {
    bp_config own = tuned->config;
    bp_method_settings methods = tuned->settings;
    own.dimensions = 0;
    own.threads = 0;
    own.pair_order = BP_ORDER_FOUND;
    own.flags = 0;
    methods.simd = BP_SIMD_AUTO;
    own.shape = given->shape == own.shape ? BP_SHAPE_BOXES : own.shape;
    own.margin = 0.0f;
    memset(own.period, 0, sizeof own.period);
    settings_write(output, &own, &methods, SETTINGS_WORDS);
}

// The table of candidates, on standard error, unless --quiet.
static bool print_table(const bp_tuned *ranked, size_t count, const bp_config *given, failure *why) {
    output_file output;
    if (!output_open_error(&output, why)) return false;
    output_text(&output, "%4s %12s %7s %7s %5s %6s  %s\n", "rank", "ms a step", "/ best", "spread", "runs", "steps",
                "settings");
    for (size_t i = 0; i < count; i++) {
        if (ranked[i].runs > 0) {
            output_text(&output, "%4zu %12.4f %7.2f %6.0f%% %5u %6u ", i + 1, 1e3 * ranked[i].seconds,
                        ranked[i].seconds / ranked[0].seconds, 100.0 * ranked[i].spread, ranked[i].runs,
                        ranked[i].steps);
        } else {
            output_text(&output, "%4zu %12s %7s %7s %5s %6s ", i + 1, "not tried", "", "", "", "");
        }
        write_candidate(&output, &ranked[i], given);
        output_text(&output, "\n");
    }
    return output_close(&output, why);
}

static bool write_winner(const char *path, const bp_tuned *winner, settings_style style, failure *why) {
    output_file output;
    if (!output_open(&output, path, why)) return false;
    if (style == SETTINGS_C) {
        output_text(&output, "// %.4f ms a step\nbp_config config = {\n", 1e3 * winner->seconds);
    } else {
        output_text(&output, "# %.4f ms a step\n", 1e3 * winner->seconds);
    }
    settings_write(&output, &winner->config, &winner->settings, style);
    if (style == SETTINGS_C) output_text(&output, "};\n");
    return output_close(&output, why);
}

// The hooks of this program are not part of the result.
static bp_config without_hooks(bp_config config) {
    config.log = (bp_log){0};
    return config;
}

static bool tune(const command_line *arguments, story *s, failure *why) {
    bp_tuned ranked[RANKED_MAX];
    size_t count = 0;
    library_log log = {0};
    bp_config config = arguments->config;
    if (s->is_flat) config.dimensions = 2;
    config.log = library_log_hook(&log);
    const bp_scenario scenario = {.step = replay_step, .context = s, .steps = s->steps};
    progress_begin("tuning", 0);
    const bp_status status = bp_tune(&config, &scenario, arguments->budget > 0.0 ? arguments->budget : SECONDS_USUAL,
                                     ranked, RANKED_MAX, &count);
    progress_end();
    if (!library_done(status, &log, why)) return false;
    count = count < RANKED_MAX ? count : RANKED_MAX;
    ranked[0].config = without_hooks(ranked[0].config);
    return (arguments->quiet || print_table(ranked, count, &arguments->config, why)) &&
           (arguments->source == NULL || write_winner(arguments->source, &ranked[0], SETTINGS_C, why)) &&
           write_winner(output_path(arguments), &ranked[0], SETTINGS_LINES, why);
}

static bool run_tune(const command_line *arguments, failure *why) {
    story s = {0};
    if (arguments->operand_count != 1) {
        return failure_set(why, STATUS_WRONG_CALL, "expected one file of boxes or a trace, found %zu",
                           arguments->operand_count);
    }
    if (!(arguments->budget >= 0.0 && arguments->budget <= SECONDS_MOST)) {
        return failure_set(why, STATUS_WRONG_CALL, "--budget: expected 0 (for %d) to %d seconds, found %g",
                           SECONDS_USUAL, SECONDS_MOST, arguments->budget);
    }
    const bool spared = output_spares(output_path(arguments), arguments->operands, 1, why) &&
                        (arguments->source == NULL || output_spares(arguments->source, arguments->operands, 1, why));
    bool good = spared && read_story(arguments, &s, why) && tune(arguments, &s, why);
    free_story(&s);
    return good;
}

const tool_command command_tune = {
    .name = "tune",
    .summary = "Finds the fastest method and parameters for a file of boxes, or for a trace.",
    .synopsis = "FILE [options]",
    .example =
        "  broadphase tune boxes.npy --budget 10 -o fast.conf     then: broadphase pairs boxes.npy --config fast.conf\n"
        "  broadphase tune game.trace --source fast.h             the fastest config as C source, too\n"
        "\n"
        "FILE: boxes (.csv, .npy, .npz), a mesh (.ply, .obj, .stl), or a trace: steps x objects x 6 (.npy), or a\n"
        "recording of bp_world_record.\n"
        "-o writes the fastest config as a file for --config; the ranking goes to standard error.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_ALL,
    .settings = SETTINGS_FOR_WORLDS,
    .run = run_tune,
};
