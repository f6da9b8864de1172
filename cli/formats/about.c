// The build, the machine and the call, so that a result can be read later. The build's part comes from CMake.
#include "formats/about.h"

#include "about_commit.h" // made by the build

#include <broadphase/broadphase.h>

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef ABOUT_FLAGS
#define ABOUT_FLAGS "unknown"
#endif

const char *about_commit(void) {
    const char *given = getenv("BENCH_COMMIT");
    return given && *given ? given : ABOUT_COMMIT;
}

void about_call(int count, char **words, char *text, size_t size) {
    const char *slash = count > 0 ? strrchr(words[0], '/') : NULL;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        const char *word = i == 0 && slash ? slash + 1 : words[i];
        const int length = snprintf(text + used, size - used, "%s%s", i ? " " : "", word);
        used += length > 0 ? (size_t)length : 0;
    }
}

static void cpu_name(char *name, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            snprintf(name, size, "%s", value + 2);
            name[strcspn(name, "\n")] = '\0';
            break;
        }
    }
    if (file) fclose(file);
}

void about_print(FILE *file, const char *prefix, const char *call) {
    char cpu[128], date[32];
    const time_t now = time(NULL);
    struct tm utc;
    struct utsname system = {0};
    uname(&system);
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cpu_name(cpu, sizeof cpu);
    fprintf(file, "%sbroadphase: %s, commit %s\n", prefix, bp_version(), about_commit());
    fprintf(file, "%scompiler: %s\n", prefix, __VERSION__);
    fprintf(file, "%sflags: %s\n", prefix, ABOUT_FLAGS);
    fprintf(file, "%scpu: %s, %ld cores\n", prefix, cpu, sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(file, "%skernel: %s %s %s\n", prefix, system.sysname, system.release, system.machine);
    fprintf(file, "%sdate: %s\n", prefix, date);
    fprintf(file, "%scommand: %s\n", prefix, call);
}
