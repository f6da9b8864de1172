// broadphase trace: replays a trace in a world, step by step; or turns a recording into a .npy file.
#include "commands/command.h"
#include "commands/follower.h"
#include "commands/library.h"
#include "formats/box_files.h"
#include "formats/npy.h"
#include "formats/progress.h"
#include "formats/trace_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tool_option OPTIONS[] = {
    {"--verify", NULL, OPTION_FLAG, offsetof(command_line, verify), "compare the pairs of each step with brute force"},
    {"-o", "FILE.npy", OPTION_TEXT, offsetof(command_line, output),
     "convert the recording into this file instead of replaying it"},
};

typedef struct replay {
    trace_file trace;
    follower follower;
    bp_world *world;
    bp_config config;
    library_log log;
    bp_pairs pairs, expected;
} replay;

// ---------------------------------------------------------------------------------------------------------------------
// Replaying

static int compare_pairs(const void *a, const void *b) {
    const bp_pair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a ? 1 : -1) : (x->b > y->b) - (x->b < y->b);
}

// The pairs of the world as object numbers of the trace, sorted.
static bool translate(replay *r, const bp_result *result, failure *why) {
    bp_pair *data = realloc(r->pairs.data, (result->pair_count + 1) * sizeof *data);
    if (data == NULL) return failure_memory(why);
    r->pairs = (bp_pairs){.data = data, .count = result->pair_count};
    for (size_t i = 0; i < result->pair_count; i++) {
        const uint32_t a = r->follower.objects[result->pairs[i].a], b = r->follower.objects[result->pairs[i].b];
        data[i] = (bp_pair){a < b ? a : b, a < b ? b : a};
    }
    qsort(data, r->pairs.count, sizeof *data, compare_pairs);
    return true;
}

// The objects that are present: a single call accepts no absent ones.
static bool find_expected(replay *r, failure *why) {
    const size_t count = r->trace.count;
    bp_box *present = malloc((count + 1) * sizeof *present);
    uint32_t *objects = malloc((count + 1) * sizeof *objects);
    if (present == NULL || objects == NULL) {
        free(present);
        free(objects);
        return failure_memory(why);
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (r->follower.ids[i] == BP_NO_ID) continue;
        present[used] = r->trace.boxes[i];
        objects[used++] = (uint32_t)i;
    }
    bp_config config = r->config;
    config.method = BP_METHOD_BRUTE_FORCE;
    config.update = BP_UPDATE_AUTOMATIC;
    config.pair_order = BP_ORDER_SORTED;
    const bp_status status = bp_find_pairs(present, used, &config, &r->expected);
    for (size_t i = 0; status == BP_OK && i < r->expected.count; i++) {
        r->expected.data[i] = (bp_pair){objects[r->expected.data[i].a], objects[r->expected.data[i].b]};
    }
    free(present);
    free(objects);
    return library_done(status, &r->log, why);
}

static bool verify(replay *r, const char *path, const bp_result *result, failure *why) {
    if (!translate(r, result, why) || !find_expected(r, why)) return false;
    const bool same =
        r->pairs.count == r->expected.count &&
        (r->pairs.count == 0 || memcmp(r->pairs.data, r->expected.data, r->pairs.count * sizeof *r->pairs.data) == 0);
    return same || failure_set(why, STATUS_FAILED, "%s: step %llu: %zu pairs differ from the %zu of brute force", path,
                               (unsigned long long)(r->trace.done - 1), r->pairs.count, r->expected.count);
}

static bool replay_step(replay *r, const command_line *arguments, output_file *output, failure *why) {
    bp_result result = {0};
    const double start = seconds_now();
    bp_status status = follower_step(&r->follower, r->world, r->trace.boxes, r->trace.count);
    if (status == BP_OK) status = bp_update(r->world, &result);
    const double seconds = seconds_now() - start;
    if (!library_done(status, &r->log, why)) return false;
    output_text(output, "%llu,%zu,%zu,%s,%.6f\n", (unsigned long long)(r->trace.done - 1), result.stats.objects,
                result.pair_count, bp_method_name((size_t)result.stats.method), 1e3 * seconds);
    return !arguments->verify || verify(r, arguments->operands[0], &result, why);
}

static bool replay_all(replay *r, const command_line *arguments, failure *why) {
    output_file output;
    bool more = true, good = true;
    if (!output_open(&output, "-", why)) return false;
    output_text(&output, "step,objects,pairs,method,ms\n");
    while (good && more && (!output_broken(&output) || arguments->verify)) {
        good = trace_file_next(&r->trace, &more, why) && (!more || replay_step(r, arguments, &output, why));
    }
    return output_close(&output, why) && good;
}

static bool run_replay(const command_line *arguments, failure *why) {
    replay r = {.config = arguments->config};
    if (!trace_file_open(&r.trace, arguments->operands[0], why)) return false;
    r.config.log = library_log_hook(&r.log);
    bool good = library_done(bp_world_create(&r.config, &r.world), &r.log, why) && replay_all(&r, arguments, why);
    bp_world_destroy(r.world);
    follower_free(&r.follower);
    bp_pairs_free(&r.expected, &r.config);
    free(r.pairs.data);
    trace_file_close(&r.trace);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------
// Converting

// The shape has to be known before the first step is written: a first pass counts.
static bool count_steps(const char *path, size_t *steps, size_t *objects, failure *why) {
    trace_file trace;
    bool more = true, good = true;
    if (!trace_file_open(&trace, path, why)) return false;
    while (good && more) good = trace_file_next(&trace, &more, why);
    *steps = (size_t)trace.done;
    *objects = trace.count;
    trace_file_close(&trace);
    return good;
}

static void write_step(output_file *output, const trace_file *trace, size_t objects) {
    static const bp_box ABSENT = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    for (size_t i = 0; i < objects && !output_broken(output); i++) {
        uint32_t words[6];
        memcpy(words, i < trace->count ? &trace->boxes[i] : &ABSENT, sizeof words);
        npy_write_u32(output, words, 6);
    }
}

static bool convert(const command_line *arguments, failure *why) {
    size_t steps = 0, objects = 0;
    trace_file trace;
    output_file output;
    bool more = true, good = true;
    if (!count_steps(arguments->operands[0], &steps, &objects, why)) return false;
    if (!trace_file_open(&trace, arguments->operands[0], why)) return false;
    if (!output_open(&output, arguments->output, why)) {
        trace_file_close(&trace);
        return false;
    }
    npy_write_header_3d(&output, "<f4", steps, objects, 6);
    while (good && more) {
        good = trace_file_next(&trace, &more, why);
        if (good && more) write_step(&output, &trace, objects);
    }
    trace_file_close(&trace);
    if (good) return output_close(&output, why);
    output_abandon(&output);
    return false;
}

static bool run_trace(const command_line *arguments, failure *why) {
    if (arguments->operand_count != 1) {
        return failure_set(why, STATUS_WRONG_CALL, "expected one trace, found %zu files", arguments->operand_count);
    }
    file_format format = FORMAT_NPY;
    if (arguments->output != NULL && !file_format_of_output(arguments->output, &format, why)) return false;
    if (format != FORMAT_NPY && !file_is_device(arguments->output)) {
        return failure_set(why, STATUS_WRONG_CALL, "%s: expected a name ending in .npy for the trace",
                           arguments->output);
    }
    if (!output_spares(output_path(arguments), arguments->operands, 1, why)) return false;
    return arguments->output != NULL ? convert(arguments, why) : run_replay(arguments, why);
}

const tool_command command_trace = {
    .name = "trace",
    .summary = "Replays a trace in a world, or converts a recording into a .npy file.",
    .synopsis = "FILE [options]",
    .example =
        "  broadphase trace game.trace                   a line for each step: objects, pairs, time\n"
        "  broadphase trace game.trace --verify          and compares all pairs with brute force\n"
        "  broadphase trace game.trace -o game.npy       steps x objects x 6, NaN where an object is absent\n"
        "\n"
        "A trace is a .npy file like that (float32), or a recording made by bp_world_record, under any other name.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_SETTINGS | USES_QUIET,
    .settings = SETTINGS_FOR_WORLDS,
    .run = run_trace,
};
