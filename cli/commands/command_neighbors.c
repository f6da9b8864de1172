// broadphase neighbors: points within a radius of each other, of one file or between two.
#include "commands/inputs.h"
#include "commands/library.h"
#include "formats/pair_files.h"
#include "formats/progress.h"

#include <math.h>
#include <stdlib.h>

static const tool_option OPTIONS[] = {
    {"--radius", "R", OPTION_REAL, offsetof(command_line, radius),
     "the largest distance between neighbours; not for points with a radius each"},
};

// Points as the library takes them.
typedef struct point_set {
    double *places; // x, y, z one after the other
    double *radii;  // NULL: none
    size_t count;
} point_set;

static void free_points(point_set *points) {
    free(points->places);
    free(points->radii);
}

static bool make_points(const box_list *list, point_set *points, failure *why) {
    const size_t room = list->count + 1; // not 0, for which calloc may return NULL
    points->count = list->count;
    points->places = calloc(room, 3 * sizeof *points->places);
    points->radii = box_form_has_radius(list->form) ? calloc(room, sizeof *points->radii) : NULL;
    if (points->places == NULL || (points->radii == NULL && box_form_has_radius(list->form))) {
        return failure_memory(why);
    }
    for (size_t i = 0; i < list->count; i++) {
        for (size_t axis = 0; axis < 3; axis++) points->places[3 * i + axis] = list->doubles[i].min[axis];
        if (points->radii != NULL) points->radii[i] = list->doubles[i].max[0];
    }
    return true;
}

// A radius of 0 is none: for points at one place, pairs does.
static bool check_radii(const command_line *arguments, const point_set sets[2], failure *why) {
    if (!(arguments->radius >= 0.0)) {
        return failure_set(why, STATUS_WRONG_CALL, "--radius: expected 0 or more, found %g", arguments->radius);
    }
    const bool is_given = arguments->radius != 0.0, is_alone = arguments->operand_count == 1;
    if (!is_given && is_alone && sets[0].radii != NULL) return true;
    if (is_given && sets[0].radii == NULL && sets[1].radii == NULL) return true;
    if (sets[0].radii == NULL && sets[1].radii == NULL) {
        return failure_set(why, STATUS_WRONG_CALL,
                           "expected --radius R, or a file of points with a radius each (x,y,z,radius)");
    }
    return is_alone ? failure_set(why, STATUS_WRONG_CALL, "%s has a radius for each point; omit --radius",
                                  arguments->operands[0])
                    : failure_set(why, STATUS_WRONG_CALL,
                                  "points with a radius each cannot be compared with another file; omit that "
                                  "column, and pass --radius R");
}

static bp_status find(const command_line *arguments, const point_set sets[2], const bp_config *config,
                      bp_neighbors *found) {
    if (arguments->operand_count == 2) {
        return bp_find_neighbors_between_double(sets[0].places, sets[0].count, sets[1].places, sets[1].count,
                                                arguments->radius, config, found);
    }
    return sets[0].radii != NULL
               ? bp_find_neighbors_variable_double(sets[0].places, sets[0].count, sets[0].radii, config, found)
               : bp_find_neighbors_double(sets[0].places, sets[0].count, arguments->radius, config, found);
}

static bool write_pairs(const command_line *arguments, const bp_neighbors *found, failure *why) {
    const size_t count = found->offsets[found->count];
    bp_pair *pairs = count < SIZE_MAX / sizeof *pairs ? malloc((count + 1) * sizeof *pairs) : NULL;
    if (pairs == NULL) return failure_memory(why);
    for (size_t point = 0; point < found->count; point++) {
        for (size_t i = found->offsets[point]; i < found->offsets[point + 1]; i++) {
            pairs[i] = (bp_pair){(uint32_t)point, found->indices[i]};
        }
    }
    const bool good = pair_file_write(output_path(arguments), pairs, count, why);
    free(pairs);
    return good;
}

static bool find_and_write(const command_line *arguments, const point_set sets[2], bp_config config, failure *why) {
    library_log log = {0};
    bp_neighbors found = {0};
    config.flags = BP_NEIGHBORS_HALF;
    config.log = library_log_hook(&log);
    progress_begin("finding neighbours", 0);
    const bp_status status = find(arguments, sets, &config, &found);
    progress_end();
    const bool good = library_done(status, &log, why) && write_pairs(arguments, &found, why);
    bp_neighbors_free(&found, &config);
    return good;
}

static bool check_call(const command_line *arguments, const input_named *inputs, failure *why) {
    file_format format;
    return inputs_check(inputs, arguments->operand_count, why) &&
           (arguments->output == NULL || file_format_of_output(arguments->output, &format, why)) &&
           output_spares(output_path(arguments), arguments->operands, arguments->operand_count, why);
}

static bool run_neighbors(const command_line *arguments, failure *why) {
    const size_t count = arguments->operand_count;
    if (count < 1 || count > 2) {
        return failure_set(why, STATUS_WRONG_CALL, "expected one file of points, or two, found %zu", count);
    }
    input_named inputs[2] = {{arguments->operands[0], BOX_KIND_POINTS}};
    if (count == 2) inputs[1] = (input_named){arguments->operands[1], BOX_KIND_POINTS};
    box_list lists[2] = {{0}};
    point_set sets[2] = {{0}};
    bp_config config = arguments->config;
    bool good = check_call(arguments, inputs, why) && inputs_read(inputs, count, lists, &config.dimensions, why) &&
                make_points(&lists[0], &sets[0], why) && make_points(&lists[1], &sets[1], why) &&
                check_radii(arguments, sets, why) && find_and_write(arguments, sets, config, why);
    for (size_t i = 0; i < 2; i++) {
        free_points(&sets[i]);
        box_list_free(&lists[i]);
    }
    return good;
}

const tool_command command_neighbors = {
    .name = "neighbors",
    .summary = "Finds every pair of points within a radius, in a file or between two files.",
    .synopsis = "FILE [FILE] [--radius R] [options]",
    .example =
        "  broadphase neighbors atoms.npy --radius 3.5 --set period=40,40,40 -o pairs.npy\n"
        "  broadphase neighbors grains.csv --set radius_rule=sum -o contacts.csv\n"
        "\n"
        "Point files: .csv, .npy or .npz; - is CSV. A row has x,y,z, or x,y,z,radius, or with --set dimensions=2 x,y.\n"
        "A first line that names the columns of a .csv is obeyed: these, or x,y,radius, in any order.\n"
        "Pairs are row numbers from 0, written sorted as a,b: of one file each pair once, of two files a is of\n"
        "the first. Distances are compared in 64 bits.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_ALL,
    .settings = SETTINGS_FOR_NEIGHBORS,
    .run = run_neighbors,
};
