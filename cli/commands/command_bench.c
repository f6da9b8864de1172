// broadphase bench: hands over to the program broadphase-bench, which lies beside this one.
#include "commands/command.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char BENCH[] = "broadphase-bench";

enum { PATH_SIZE = 4096 };

// The folder of this program, with its last slash; "" where it is not known.
static void own_folder(const char *program, char *folder) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
    if (length <= 0) {
        length = (ssize_t)strlen(program);
        if (length >= PATH_SIZE) length = 0;
        memcpy(folder, program, (size_t)length);
    }
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        folder[0] = '\0';
    } else {
        slash[1] = '\0';
    }
}

static bool run_bench(const command_line *arguments, failure *why) {
    char folder[PATH_SIZE], path[PATH_SIZE + sizeof BENCH];
    own_folder(arguments->program, folder);
    snprintf(path, sizeof path, "%s%s", folder, BENCH);

    char **words = calloc(arguments->operand_count + 2, sizeof *words);
    if (words == NULL) return failure_memory(why);
    words[0] = path;
    memcpy(words + 1, arguments->operands, arguments->operand_count * sizeof *words);
    execv(path, words);
    int error = errno;
    free(words);
    bool help = arguments->operand_count > 0 && strcmp(arguments->operands[0], "--help") == 0;
    if (help) return options_print_help(&command_bench, why);
    const char *remedy = error == ENOENT ? "it is built by 'make bench'" : strerror(error);
    return failure_set(why, STATUS_FAILED, "%s: cannot be started: %s", path, remedy);
}

const tool_command command_bench = {
    .name = "bench",
    .summary = "Measures this library beside other libraries (runs broadphase-bench with the same arguments).",
    .synopsis = "[options of broadphase-bench]",
    .example = "  broadphase bench --csv results.csv\n"
               "  broadphase bench --suite trace recording.npy    boxes of yours, T x N x 6\n",
    .passes_through = true,
    .run = run_bench,
};
