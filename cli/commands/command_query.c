// broadphase query: what boxes, rays or points of one file meet among the boxes of another.
#include "commands/inputs.h"
#include "commands/library.h"
#include "formats/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tool_option OPTIONS[] = {
    {"--boxes", "FILE", OPTION_TEXT, offsetof(command_line, question_boxes), "which boxes does each of these overlap?"},
    {"--rays", "FILE", OPTION_TEXT, offsetof(command_line, question_rays),
     "which boxes does each of these hit, and where?"},
    {"--points", "FILE", OPTION_TEXT, offsetof(command_line, question_points),
     "which boxes are nearest to each of these?"},
    {"-k", "N", OPTION_COUNT, offsetof(command_line, most),
     "at most this many results for each point or ray (default: 1 for points, all for rays)"},
    {"--max-t", "T", OPTION_REAL, offsetof(command_line, max_t),
     "length of the rays, as a multiple of their direction (default: infinite)"},
};

typedef struct query {
    const command_line *arguments;
    input_named inputs[2]; // the boxes; the questions
    box_list lists[2];
    bp_config config;
    bp_world *world;
    library_log log;
    output_file output;
    size_t question; // at hand
    size_t answers;  // to it, so far
} query;

// ---------------------------------------------------------------------------------------------------------------------
// Asking

// NOLINTBEGIN(readability-non-const-parameter): the form is the library's
static int write_box(void *context, bp_id id, double t, double *max_t) {
    query *q = context;
    (void)t, (void)max_t;
    output_text(&q->output, "%zu,%lu\n", q->question, (unsigned long)id);
    return !output_broken(&q->output);
}

static int write_hit(void *context, bp_id id, double t, double *max_t) {
    query *q = context;
    (void)max_t;
    output_text(&q->output, "%zu,%lu,%.9g\n", q->question, (unsigned long)id, t);
    q->answers++;
    return !output_broken(&q->output) && (q->arguments->most == 0 || q->answers < q->arguments->most);
}

// NOLINTEND(readability-non-const-parameter)

static bp_status ask_box(query *q, const bp_box_double *box) {
    return bp_query_box_each_double(q->world, box, NULL, write_box, q);
}

static bp_status ask_ray(query *q, const bp_box_double *row) {
    bp_ray_double ray = {.max_t = q->arguments->max_t == 0.0 ? INFINITY : q->arguments->max_t};
    memcpy(ray.origin, row->min, sizeof ray.origin);
    memcpy(ray.direction, row->max, sizeof ray.direction);
    return bp_query_ray_each_double(q->world, &ray, NULL, write_hit, q);
}

// The library takes this point in 32 bits.
static bp_status ask_point(query *q, const bp_box_double *row) {
    const float point[3] = {(float)row->min[0], (float)row->min[1], (float)row->min[2]};
    const size_t most = q->arguments->most == 0 ? 1 : q->arguments->most;
    const size_t room = most < q->lists[0].count ? most : q->lists[0].count;
    bp_near *near = room == 0 ? NULL : calloc(room, sizeof *near);
    size_t found = 0;
    if (room == 0) return BP_OK;
    if (near == NULL) return BP_ERROR_MEMORY;
    const bp_status status = bp_query_nearest(q->world, point, room, NULL, near, &found);
    for (size_t i = 0; status == BP_OK && i < found; i++) {
        output_text(&q->output, "%zu,%lu,%.9g\n", q->question, (unsigned long)near[i].id, (double)near[i].distance);
    }
    free(near);
    return status;
}

static bool ask_all(query *q, failure *why) {
    const box_list *questions = &q->lists[1];
    bp_status (*const ask)(query *, const bp_box_double *) = q->inputs[1].kind == BOX_KIND_RAYS     ? ask_ray
                                                             : q->inputs[1].kind == BOX_KIND_POINTS ? ask_point
                                                                                                    : ask_box;
    progress_begin("asking", questions->count);
    bp_status status = BP_OK;
    for (q->question = 0; status == BP_OK && q->question < questions->count && !output_broken(&q->output);) {
        q->answers = 0;
        status = ask(q, &questions->doubles[q->question]);
        if (status == BP_OK) progress_at(q->question++);
    }
    progress_end();
    return library_done(status, &q->log, why) ||
           failure_prefix(why, "%s: row %zu (from 0): ", q->inputs[1].path, q->question);
}

// ---------------------------------------------------------------------------------------------------------------------
// Before and after

static bool make_world(query *q, failure *why) {
    const box_list *boxes = &q->lists[0];
    q->config.log = library_log_hook(&q->log);
    progress_begin("building", 0);
    bp_status status = bp_world_create(&q->config, &q->world);
    if (status == BP_OK) {
        status = boxes->is_double ? bp_add_many_double(q->world, boxes->count, boxes->doubles, NULL, NULL)
                                  : bp_add_many(q->world, boxes->count, boxes->data, NULL, NULL);
    }
    progress_end();
    return library_done(status, &q->log, why);
}

static bool write_answers(query *q, failure *why) {
    static const char *const HEADERS[] = {[BOX_KIND_BOXES] = "query,box\n",
                                          [BOX_KIND_POINTS] = "query,box,distance\n",
                                          [BOX_KIND_RAYS] = "query,box,t\n"};
    if (!output_open(&q->output, output_path(q->arguments), why)) return false;
    output_text(&q->output, "%s", HEADERS[q->inputs[1].kind]);
    if (ask_all(q, why)) return output_close(&q->output, why);
    output_abandon(&q->output);
    return false;
}

static bool check_output(const command_line *arguments, const input_named inputs[2], failure *why) {
    file_format format = FORMAT_CSV;
    char *paths[2] = {(char *)inputs[0].path, (char *)inputs[1].path};
    if (arguments->output != NULL && !file_format_of_output(arguments->output, &format, why)) return false;
    if (format != FORMAT_CSV) {
        return failure_set(why, STATUS_WRONG_CALL, "%s: results are written as CSV; expected a name ending in .csv",
                           arguments->output);
    }
    return output_spares(output_path(arguments), paths, 2, why);
}

static bool find_inputs(const command_line *arguments, input_named inputs[2], failure *why) {
    const input_named questions[] = {{arguments->question_boxes, BOX_KIND_BOXES},
                                     {arguments->question_rays, BOX_KIND_RAYS},
                                     {arguments->question_points, BOX_KIND_POINTS}};
    size_t given = 0;
    for (size_t i = 0; i < 3; i++) {
        if (questions[i].path == NULL) continue;
        inputs[1] = questions[i];
        given++;
    }
    if (arguments->operand_count != 1) {
        return failure_set(why, STATUS_WRONG_CALL, "expected one file of boxes, found %zu", arguments->operand_count);
    }
    if (given != 1) {
        return failure_set(why, STATUS_WRONG_CALL,
                           "expected one of --boxes FILE, --rays FILE, --points FILE, found %zu", given);
    }
    inputs[0] = (input_named){arguments->operands[0], BOX_KIND_BOXES};
    return inputs_check(inputs, 2, why) && check_output(arguments, inputs, why);
}

static bool run_query(const command_line *arguments, failure *why) {
    query q = {.arguments = arguments, .config = arguments->config};
    const bool good = find_inputs(arguments, q.inputs, why) &&
                      inputs_read(q.inputs, 2, q.lists, &q.config.dimensions, why) &&
                      box_list_to_double(&q.lists[1], why) && make_world(&q, why) && write_answers(&q, why);
    bp_world_destroy(q.world);
    box_list_free(&q.lists[0]);
    box_list_free(&q.lists[1]);
    return good;
}

const tool_command command_query = {
    .name = "query",
    .summary = "Finds which boxes of a file other boxes overlap, rays hit, or points are nearest to.",
    .synopsis = "FILE --boxes|--rays|--points FILE [options]",
    .example =
        "  broadphase query boxes.npy --rays shots.csv -k 1\n"
        "  broadphase query boxes.npy --points places.csv -k 5 -o nearest.csv\n"
        "  broadphase query body.ply --boxes windows.csv\n"
        "\n"
        "Files of boxes are as for 'broadphase pairs', points as for 'broadphase neighbors'. A row of rays has\n"
        "x,y,z,dx,dy,dz, or with --set dimensions=2 x,y,dx,dy.\n"
        "Results are CSV: query and box are row numbers from 0. A ray enters a box at its origin plus t times its\n"
        "direction. The boxes of a ray are sorted by t, those of a point by distance.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_ALL,
    .settings = SETTINGS_FOR_WORLDS,
    .run = run_query,
};
