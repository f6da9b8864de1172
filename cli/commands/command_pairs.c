// broadphase pairs: the overlapping pairs of one file of boxes, or between two.
#include "commands/command.h"
#include "commands/library.h"
#include "formats/box_files.h"
#include "formats/pair_files.h"
#include "formats/progress.h"

#include <broadphase/broadphase_tune.h>
#include <stdio.h>
#include <string.h>

static const tool_option OPTIONS[] = {
    {"--stats", NULL, OPTION_FLAG, offsetof(command_line, stats), "figures as name=value on standard error"},
    {"--explain", NULL, OPTION_FLAG, offsetof(command_line, explain),
     "why this method, and what hurts, on standard error"},
};

static void print_stats(const bp_stats *stats) {
    fprintf(stderr, "method=%s\n", bp_method_name((size_t)stats->method));
    fprintf(stderr, "objects=%zu\npairs=%zu\n", stats->objects, stats->pairs);
    fprintf(stderr, "tests=%llu\nbytes=%zu\n", (unsigned long long)stats->tests, stats->bytes);
    fprintf(stderr, "levels=%zu\ncells=%zu\noccupied=%zu\n", stats->levels, stats->cells, stats->occupied);
    fprintf(stderr, "objects_per_cell=%.6g\n", stats->objects_per_cell);
    fprintf(stderr, "objects_per_cell_max=%zu\n", stats->objects_per_cell_max);
    if (stats->method == BP_METHOD_COMPACT_GRID) {
        const bp_details details = bp_stats_details(stats);
        fprintf(stderr, "sort=%s\n", details.sort == BP_SORT_RADIX ? "radix" : "adaptive");
        fprintf(stderr, "changed_share=%.6g\n", details.changed_share);
    }
    fprintf(stderr, "build_ms=%.3f\nfind_ms=%.3f\n", 1e3 * stats->build_seconds, 1e3 * stats->find_seconds);
}

static void print_explanation(const bp_stats *stats) {
    char text[4096];
    (void)bp_explain(stats, text, sizeof text);
    fputs(text, stderr);
}

static bp_status find_doubles(const command_line *arguments, const box_list sets[2], const bp_config *config,
                              bp_pairs *pairs) {
    return arguments->operand_count == 1 ? bp_find_pairs_double(sets[0].doubles, sets[0].count, config, pairs)
                                         : bp_find_pairs_between_double(sets[0].doubles, sets[0].count, sets[1].doubles,
                                                                        sets[1].count, config, pairs);
}

static bp_status find_floats(const command_line *arguments, const box_list sets[2], const bp_config *config,
                             bp_pairs *pairs) {
    return arguments->operand_count == 1
               ? bp_find_pairs(sets[0].data, sets[0].count, config, pairs)
               : bp_find_pairs_between(sets[0].data, sets[0].count, sets[1].data, sets[1].count, config, pairs);
}

static bool find_pairs(const command_line *arguments, const box_list sets[2], bp_config config, bp_pairs *pairs,
                       failure *why) {
    library_log log = {0};
    bp_stats stats = {0};
    config.pair_order = BP_ORDER_SORTED;
    config.log = library_log_hook(&log);
    config.stats = &stats;
    progress_begin("finding pairs", 0);
    bp_status status = sets[0].is_double ? find_doubles(arguments, sets, &config, pairs)
                                         : find_floats(arguments, sets, &config, pairs);
    progress_end();
    if (!library_done(status, &log, why)) return false;
    if (arguments->stats) print_stats(&stats);
    if (arguments->explain) print_explanation(&stats);
    return true;
}

static bool check_call(const command_line *arguments, failure *why) {
    file_format format;
    size_t standard_inputs = 0;
    if (arguments->operand_count < 1 || arguments->operand_count > 2) {
        return failure_set(why, STATUS_WRONG_CALL, "expected one file of boxes, or two, found %zu",
                           arguments->operand_count);
    }
    for (size_t i = 0; i < arguments->operand_count; i++) {
        if (!file_format_of_input(arguments->operands[i], &format, why)) return false;
        standard_inputs += strcmp(arguments->operands[i], "-") == 0;
    }
    if (standard_inputs > 1) return failure_set(why, STATUS_WRONG_CALL, "standard input can be read only once");
    if ((arguments->config.flags & BP_PAIRS_FIXED) != 0) {
        return failure_set(why, STATUS_WRONG_CALL, "flags: a fixed buffer is for C programs; leave this flag out");
    }
    if (arguments->output != NULL && !file_format_of_output(arguments->output, &format, why)) return false;
    return output_spares(output_path(arguments), arguments->operands, arguments->operand_count, why);
}

// A file that says it has rectangles is flat whatever `dimensions` is; one that is not does not go with it.
static bool agree_on_dimensions(const command_line *arguments, const box_list sets[2], uint32_t *dimensions,
                                failure *why) {
    const bool is_flat = box_form_is_flat(sets[0].form), is_alone = arguments->operand_count == 1;
    if (!is_alone && is_flat != box_form_is_flat(sets[1].form) && *dimensions != 2) {
        char *const *paths = arguments->operands;
        return failure_set(why, STATUS_WRONG_CALL,
                           "%s has %s and %s has %s; to compare x and y alone, call with --set dimensions=2", paths[0],
                           box_form_noun(sets[0].form), paths[1], box_form_noun(sets[1].form));
    }
    if (is_flat) *dimensions = 2;
    return true;
}

static bool read_sets(const command_line *arguments, box_list sets[2], failure *why) {
    const uint32_t dimensions = arguments->config.dimensions == 2 ? 2 : 3;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        if (!box_file_read(arguments->operands[i], dimensions, &sets[i], why)) return false;
    }
    if (sets[0].is_double == sets[1].is_double || arguments->operand_count == 1) return true;
    return box_list_to_double(&sets[0], why) && box_list_to_double(&sets[1], why);
}

static bool run_pairs(const command_line *arguments, failure *why) {
    box_list sets[2] = {{0}};
    bp_pairs pairs = {0};
    bp_config config = arguments->config;
    bool good = check_call(arguments, why) && read_sets(arguments, sets, why) &&
                agree_on_dimensions(arguments, sets, &config.dimensions, why) &&
                find_pairs(arguments, sets, config, &pairs, why) &&
                pair_file_write(output_path(arguments), pairs.data, pairs.count, why);
    bp_pairs_free(&pairs, &arguments->config);
    box_list_free(&sets[0]);
    box_list_free(&sets[1]);
    return good;
}

const tool_command command_pairs = {
    .name = "pairs",
    .summary = "Finds every pair of overlapping boxes in a file, or between two files.",
    .synopsis = "FILE [FILE] [options]",
    .example =
        "  broadphase pairs boxes.npy --stats -o pairs.csv\n"
        "  broadphase pairs points.csv cells.csv --threads -1 -o pairs.npy\n"
        "  broadphase pairs body.ply cloth.obj -o pairs.csv\n"
        "\n"
        "Box files: .csv or .npy; - is CSV. A row has min_x,min_y,min_z,max_x,max_y,max_z or x,y,z,radius, and\n"
        "with --set dimensions=2 min_x,min_y,max_x,max_y. A first line that names the columns of a .csv is obeyed:\n"
        "these, x,y,radius, x,y,z or x,y, in any order. Commas, semicolons, tabs or blanks separate columns.\n"
        "Meshes, .ply or .obj, are read as the boxes of their triangles, in the order of the faces.\n"
        "Pairs are row numbers from 0, written sorted as a,b. Boxes of float64 are compared in 64 bits.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses_library = true,
    .run = run_pairs,
};
