#include "target.h"

#include "formats/failure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void require(bool condition, const char *text) {
    if (!condition) {
        (void)fprintf(stderr, "fuzz: %s\n", text);
        abort();
    }
}

const char *scratch_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder != NULL ? folder : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static char path[256];

static void remove_file(void) {
    (void)unlink(path);
}

static int open_file(const char *suffix) {
    if (path[0] != '\0') {
        return open(path, O_WRONLY | O_TRUNC);
    }
    (void)snprintf(path, sizeof path, "%s/broadphase_fuzz_%ld%s", scratch_folder(), (long)getpid(), suffix);
    (void)atexit(remove_file);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

const char *file_of(const uint8_t *data, size_t size, const char *suffix) {
    const int file = open_file(suffix);
    require(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0, "the input cannot be written");
    return path;
}

void require_told(const failure *why) {
    require(why->text[0] != '\0' && strchr(why->text, '\n') == NULL, "a failure is not told in one line");
    require(why->status == STATUS_FAILED || why->status == STATUS_WRONG_CALL, "a failure has no status");
}
