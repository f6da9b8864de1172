// broadphase scene: writes one of the named scenes as a file of boxes.
#include "commands/command.h"
#include "formats/box_files.h"
#include "formats/progress.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(command_line, member)

static const tool_option OPTIONS[] = {
    {"--list", NULL, OPTION_FLAG, AT(list), "list the scenes, one per line"},
    {"-n", "N", OPTION_COUNT, AT(scene.count), "number of finite objects, walls not counted (0: as in the literature)"},
    {"--seed", "S", OPTION_NUMBER, AT(scene.seed), "seed of the scene (default: 0)"},
    {"--steps", "K", OPTION_COUNT, AT(steps), "simulate K steps before writing"},
    {"--pairs-per-object", "X", OPTION_REAL, AT(scene.pairs_per_object),
     "choose the density that gives X pairs per object"},
    {"--motion", "X", OPTION_REAL, AT(scene.motion),
     "largest move per step, as a multiple of the size (negative: none)"},
    {"--density", "X", OPTION_REAL, AT(scene.density), "zych: objects per unit volume"},
    {"--velocity", "X", OPTION_REAL, AT(scene.velocity), "zych: mean speed, units a step"},
    {"--static-share", "X", OPTION_REAL, AT(scene.static_share), "zych: share of objects that never move"},
    {"--alpha", "X", OPTION_REAL, AT(scene.alpha), "zych: first parameter of the sizes"},
    {"--beta", "X", OPTION_REAL, AT(scene.beta), "zych: second parameter of the sizes"},
    {"--extent", "X", OPTION_REAL, AT(scene.extent), "2-D scenes: edge of the scene in cells"},
};

static bool fail_unknown(const char *name, failure *why) {
    char known[768] = "";
    spelling hint = spelling_of(name);
    for (size_t i = 0; i < scene_count(); i++) {
        spelling_try(&hint, scene_name(i));
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", scene_name(i));
    }
    return failure_set(why, STATUS_WRONG_CALL, "unknown scene '%.100s'%s; the scenes are %s", name,
                       spelling_hint(&hint), known);
}

static bool check_call(const command_line *arguments, failure *why) {
    file_format format;
    if (arguments->operand_count != 1) {
        return failure_set(why, STATUS_WRONG_CALL, "expected the name of one scene; see 'broadphase scene --list'");
    }
    if (arguments->output != NULL && !file_format_of_output(arguments->output, &format, why)) return false;
    for (size_t i = 0; i < scene_count(); i++) {
        if (strcmp(scene_name(i), arguments->operands[0]) == 0) return true;
    }
    return fail_unknown(arguments->operands[0], why);
}

static void advance(scene *moving, size_t steps) {
    progress_begin("moving", steps);
    for (size_t i = 0; i < steps; i++) {
        scene_step(moving);
        progress_at(i + 1);
    }
    progress_end();
}

static bool run_scene(const command_line *arguments, failure *why) {
    if (arguments->list) return write_names(arguments, scene_count(), scene_name, scene_summary, why);
    if (!check_call(arguments, why)) return false;
    const char *error = "";
    progress_begin("making the scene", 0);
    scene *made = scene_create(arguments->operands[0], &arguments->scene, &error);
    progress_end();
    if (made == NULL) {
        const bool is_memory = strstr(error, "memory") != NULL;
        return failure_set(why, is_memory ? STATUS_FAILED : STATUS_WRONG_CALL, "scene %s: %s%s", arguments->operands[0],
                           error, is_memory ? "; choose a smaller -n" : "");
    }
    advance(made, arguments->steps);
    bool good = box_file_write(output_path(arguments), scene_boxes(made), scene_box_count(made), why);
    scene_destroy(made);
    return good;
}

const tool_command command_scene = {
    .name = "scene",
    .summary =
        "Writes a scene of the literature as a file of boxes. The same options give the same bytes on every machine.",
    .synopsis = "NAME [-n N] [--seed S] [options], or scene --list",
    .example = "  broadphase scene uniform -n 100000 --seed 7 -o boxes.npy\n"
               "  broadphase scene mixed -n 1000 | broadphase pairs - -o pairs.csv\n"
               "\n"
               "For every number, 0 means the default of the scene.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_OUTPUT | USES_QUIET,
    .run = run_scene,
};
