// broadphase pairs: the overlapping pairs of one file of boxes, or between two.
#include "commands/inputs.h"
#include "commands/library.h"
#include "formats/pair_files.h"
#include "formats/progress.h"

#include <broadphase/broadphase_tune.h>
#include <stdio.h>
#include <string.h>

static const tool_option OPTIONS[] = {
    {"--stats", "[json]", OPTION_STATS, offsetof(command_line, stats),
     "statistics on standard error: lines name=value, or one line of JSON"},
    {"--explain", NULL, OPTION_FLAG, offsetof(command_line, explain),
     "explain the choice of the method, and what makes it slow, on standard error"},
};

static void print_name(stats_style style, const char *name) {
    const bool is_first = strcmp(name, "method") == 0;
    if (style == STATS_JSON) {
        fprintf(stderr, "%s\"%s\": ", is_first ? "{" : ", ", name);
    } else {
        fprintf(stderr, "%s%s=", is_first ? "" : "\n", name);
    }
}

static void print_word(stats_style style, const char *name, const char *word) {
    print_name(style, name);
    fprintf(stderr, style == STATS_JSON ? "\"%s\"" : "%s", word);
}

static void print_count(stats_style style, const char *name, uint64_t count) {
    print_name(style, name);
    fprintf(stderr, "%llu", (unsigned long long)count);
}

static void print_real(stats_style style, const char *name, double value) {
    print_name(style, name);
    fprintf(stderr, "%.6g", value);
}

static void print_milliseconds(stats_style style, const char *name, double seconds) {
    print_name(style, name);
    fprintf(stderr, "%.3f", 1e3 * seconds);
}

static void print_stats(const bp_stats *stats, stats_style style) {
    print_word(style, "method", bp_method_name((size_t)stats->method));
    print_count(style, "objects", stats->objects);
    print_count(style, "pairs", stats->pairs);
    print_count(style, "tests", stats->tests);
    print_count(style, "bytes", stats->bytes);
    print_count(style, "levels", stats->levels);
    print_count(style, "cells", stats->cells);
    print_count(style, "occupied", stats->occupied);
    print_real(style, "objects_per_cell", stats->objects_per_cell);
    print_count(style, "objects_per_cell_max", stats->objects_per_cell_max);
    if (stats->method == BP_METHOD_COMPACT_GRID) {
        const bp_details details = bp_stats_details(stats);
        print_word(style, "sort", details.sort == BP_SORT_RADIX ? "radix" : "adaptive");
        print_real(style, "changed_share", details.changed_share);
    }
    print_milliseconds(style, "build_ms", stats->build_seconds);
    print_milliseconds(style, "find_ms", stats->find_seconds);
    fputs(style == STATS_JSON ? "}\n" : "\n", stderr);
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
    if (arguments->stats != STATS_NONE) print_stats(&stats, arguments->stats);
    if (arguments->explain) print_explanation(&stats);
    return true;
}

static bool check_call(const command_line *arguments, const input_named *inputs, failure *why) {
    file_format format;
    if (!inputs_check(inputs, arguments->operand_count, why)) return false;
    if ((arguments->config.flags & BP_PAIRS_FIXED) != 0) {
        return failure_set(why, STATUS_WRONG_CALL, "flags: a fixed buffer is for C programs only; omit this flag");
    }
    if (arguments->output != NULL && !file_format_of_output(arguments->output, &format, why)) return false;
    return output_spares(output_path(arguments), arguments->operands, arguments->operand_count, why);
}

static bool to_doubles(size_t count, box_list sets[2], failure *why) {
    if (count == 1 || sets[0].is_double == sets[1].is_double) return true;
    return box_list_to_double(&sets[0], why) && box_list_to_double(&sets[1], why);
}

static bool run_pairs(const command_line *arguments, failure *why) {
    const size_t count = arguments->operand_count;
    if (count < 1 || count > 2) {
        return failure_set(why, STATUS_WRONG_CALL, "expected one file of boxes, or two, found %zu", count);
    }
    input_named inputs[2] = {{arguments->operands[0], BOX_KIND_BOXES}};
    if (count == 2) inputs[1] = (input_named){arguments->operands[1], BOX_KIND_BOXES};
    box_list sets[2] = {{0}};
    bp_pairs pairs = {0};
    bp_config config = arguments->config;
    bool good = check_call(arguments, inputs, why) && inputs_read(inputs, count, sets, &config.dimensions, why) &&
                to_doubles(count, sets, why) && find_pairs(arguments, sets, config, &pairs, why) &&
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
        "Box files: .csv, .npy or .npz; - is CSV. A row has min_x,min_y,min_z,max_x,max_y,max_z or x,y,z,radius, and\n"
        "with --set dimensions=2 min_x,min_y,max_x,max_y. A first line that names the columns of a .csv is obeyed:\n"
        "these, x,y,radius, x,y,z or x,y, in any order. Columns are separated by commas, semicolons, tabs or blanks.\n"
        "Meshes, .ply, .obj or .stl, are read as the boxes of their triangles, in the order of the faces or strips.\n"
        "Pairs are row numbers from 0, written sorted as a,b. Boxes of float64 are compared in 64 bits.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_ALL,
    .settings = SETTINGS_FOR_CALLS,
    .run = run_pairs,
};
