// broadphase-cuda: bench and verify for the CUDA back end.
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: broadphase-cuda bench  [--scene NAME]... [-n N]... [--repeats R] [--seed S] [--csv FILE]\n"
    "       broadphase-cuda verify [--scene NAME]... [-n N]... [--seed S] [--quick]\n"
    "bench   makes scenes on the device and times each stage there (uniform, mixed, more-polydisperse, identical,\n"
    "        neighbors)\n"
    "verify  compares the pairs of every scene with those of the CPU library; above two million boxes by a hash\n";

void tool_log(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "broadphase-cuda: %s\n", text);
}

static int usage(const char *what) {
    fprintf(stderr, "broadphase-cuda: %s\n%s", what, USAGE);
    return 2;
}

// 1e6 and 1000000 are the same.
static bool read_count(const char *text, size_t *count) {
    char *end = NULL;
    const double value = strtod(text, &end);
    *count = value >= 0.0 && value <= (double)BP_MAX_COUNT ? (size_t)value : 0;
    return end != text && *end == '\0' && value >= 0.0 && value <= (double)BP_MAX_COUNT;
}

static bool read_option(tool_options *o, const char *name, const char *value) {
    size_t number = 0;
    if (strcmp(name, "--scene") == 0 && o->scene_count < TOOL_LIST) {
        o->scenes[o->scene_count++] = value;
        return true;
    }
    if (strcmp(name, "--csv") == 0) {
        o->csv = value;
        return true;
    }
    if (!read_count(value, &number)) {
        return false;
    }
    if (strcmp(name, "-n") == 0 && o->count_count < TOOL_LIST) {
        o->counts[o->count_count++] = number;
        return true;
    }
    o->repeats = strcmp(name, "--repeats") == 0 ? (unsigned)number : o->repeats;
    o->seed = strcmp(name, "--seed") == 0 ? number : o->seed;
    return strcmp(name, "--repeats") == 0 || strcmp(name, "--seed") == 0;
}

int main(int argc, char **argv) {
    tool_options options = {.repeats = 9, .seed = 1};
    if (argc < 2) {
        return usage("no command");
    }
    if (strcmp(argv[1], "--help") == 0) {
        fputs(USAGE, stdout);
        return 0;
    }
    for (int i = 2; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0) {
            options.quick = true;
        } else if (i + 1 >= argc || !read_option(&options, argv[i], argv[i + 1])) {
            return usage(argv[i]);
        } else {
            ++i;
        }
    }
    if (strcmp(argv[1], "bench") == 0) {
        return tool_bench(&options);
    }
    return strcmp(argv[1], "verify") == 0 ? tool_verify(&options) : usage(argv[1]);
}
