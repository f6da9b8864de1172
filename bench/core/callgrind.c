// callgrind counts while one function runs. That function is internal to the library; if it is renamed, the failure
// below says so.
#include "core/callgrind.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEARCH "bp_footprint_search_find_between"
#define PROBE "broadphase-cache-probe"
#define PROBE_VARIABLE "BROADPHASE_CACHE_PROBE" // the shell reads the path from it, so it needs no quoting

static const char command_format[] =
    "valgrind --tool=callgrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64"
    " --toggle-collect=" SEARCH " --callgrind-out-file=/dev/null \"$" PROBE_VARIABLE "\" %s %s %s 2>&1";

// The path of a program that lies beside this one; false where there is no such file.
static bool find_probe(char *path, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    char *name = strrchr(path, '/');
    if (!name || (size_t)(name + 1 - path) + sizeof PROBE > size) return false;
    memcpy(name + 1, PROBE, sizeof PROBE);
    return access(path, X_OK) == 0;
}

static void read_line(const char *line, callgrind_counts *counts) {
    unsigned long long c[9], tests;
    size_t pairs;
    const char *collected = strstr(line, "Collected :");
    // Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw: m is a miss, r a read and w a write
    if (collected && sscanf(collected, "Collected : %llu %llu %llu %llu %llu %llu %llu %llu %llu", &c[0], &c[1], &c[2],
                            &c[3], &c[4], &c[5], &c[6], &c[7], &c[8]) == 9) {
        counts->instructions = c[0];
        counts->near_lines = c[4];
        counts->far_lines = c[7];
    }
    if (sscanf(line, "pairs %zu tests %llu", &pairs, &tests) == 2) {
        counts->pairs = pairs;
        counts->tests = tests;
    }
}

callgrind_outcome callgrind_run(const char *order, const char *keys, const char *entries, callgrind_counts *counts,
                                char *why, size_t why_size) {
    char path[4096], command[512], line[512];
    *counts = (callgrind_counts){0};
    if (!find_probe(path, sizeof path)) {
        snprintf(why, why_size, "%s is not beside this program", PROBE);
        return CALLGRIND_ABSENT;
    }
    setenv(PROBE_VARIABLE, path, 1);
    snprintf(command, sizeof command, command_format, order, keys, entries);
    FILE *output = popen(command, "r");
    while (output && fgets(line, sizeof line, output)) read_line(line, counts);
    const int status = output ? pclose(output) : -1;
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        snprintf(why, why_size, "no valgrind (Debian: valgrind)");
        return CALLGRIND_ABSENT;
    }
    if (status == 0 && counts->instructions && counts->pairs) return CALLGRIND_COUNTED;
    if (status != 0)
        snprintf(why, why_size, "valgrind ended with status %d", status);
    else
        snprintf(why, why_size, "callgrind saw nothing of " SEARCH);
    return CALLGRIND_FAILED;
}
