#include "formats/stream.h"

#include "formats/platform.h"
#include "formats/progress.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The most that one call of read or write is asked for: Windows counts in 32 bits.
enum { CALL_MAX = 1 << 30 };

static unsigned call_size(size_t size) {
    return size < CALL_MAX ? (unsigned)size : CALL_MAX;
}

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Input

static bool refuse_directory(const char *name, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: is a directory; name a file in it", name);
}

// Windows does not open a directory, and says that it may not.
static bool refuse_unopened(const char *path, int error, failure *why) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return refuse_directory(path, why);
    const char *remedy = error == ENOENT ? "; check the name" : "";
    return failure_set(why, STATUS_FAILED, "%s: cannot be opened: %s%s", path, strerror(error), remedy);
}

// Checks the opened file: a directory or an empty file is refused before anything is read.
static bool inspect(input_file *input, failure *why) {
    struct stat status;
    if (fstat(input->file, &status) != 0) {
        return failure_set(why, STATUS_FAILED, "%s: cannot be examined: %s", input->name, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) return refuse_directory(input->name, why);
    input->size_known = S_ISREG(status.st_mode);
    input->size = input->size_known ? (uint64_t)status.st_size : 0;
    if (input->size_known && input->size == 0) {
        return failure_set(why, STATUS_FAILED, "%s: is empty; expected rows of data", input->name);
    }
    return true;
}

static bool read_file(input_file *input, void *memory, size_t size, size_t *got, failure *why) {
    *got = 0;
    while (*got < size) {
        ssize_t step = read(input->file, (char *)memory + *got, call_size(size - *got));
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) {
            return failure_set(why, STATUS_FAILED, "%s: cannot be read: %s", input->name, strerror(errno));
        }
        if (step == 0) break;
        *got += (size_t)step;
    }
    progress_at(input->done + *got);
    return true;
}

bool input_open(input_file *input, const char *path, failure *why) {
    *input = (input_file){.name = is_standard(path) ? "standard input" : path, .read = read_file, .file = STDIN_FILENO};
    if (!is_standard(path)) input->file = open(path, O_RDONLY | PLATFORM_OPEN);
    if (input->file < 0) return refuse_unopened(path, errno, why);
    if (!inspect(input, why)) {
        input_close(input);
        return false;
    }
    progress_begin("reading", input->size);
    return true;
}

void input_close(input_file *input) {
    progress_end();
    if (input->file > STDERR_FILENO) close(input->file);
    input->file = -1;
}

bool input_read_all(const char *path, char **text, size_t *size, failure *why) {
    input_file input;
    *text = NULL;
    if (!input_open(&input, path, why)) return false;
    const bool good = input_read_rest(&input, text, size, why);
    input_close(&input);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------
// Output

bool output_spares(const char *path, char *const *inputs, size_t count, failure *why) {
    const file_identity output = platform_identify(is_standard(path) ? NULL : path, STDOUT_FILENO);
    for (size_t i = 0; i < count && output.is_regular; i++) {
        const file_identity input = platform_identify(is_standard(inputs[i]) ? NULL : inputs[i], STDIN_FILENO);
        if (!input.is_regular || input.device != output.device || input.number != output.number) continue;
        return failure_set(
            why, STATUS_WRONG_CALL, "%s: is the input %s too, which would be lost; choose another file with -o",
            is_standard(path) ? "standard output" : path, is_standard(inputs[i]) ? "on standard input" : inputs[i]);
    }
    return true;
}

bool output_open(output_file *output, const char *path, failure *why) {
    *output = (output_file){.name = is_standard(path) ? "standard output" : path, .file = STDOUT_FILENO};
    output->block = malloc(STREAM_BLOCK);
    if (output->block == NULL) return failure_memory(why);
    if (!is_standard(path)) output->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | PLATFORM_OPEN, 0666);
    if (output->file < 0) {
        free(output->block);
        return failure_set(why, STATUS_FAILED, "%s: cannot be written: %s; choose another place with -o", path,
                           strerror(errno));
    }
    return true;
}

bool output_open_error(output_file *output, failure *why) {
    *output = (output_file){.name = "standard error", .file = STDERR_FILENO, .block = malloc(STREAM_BLOCK)};
    return output->block != NULL || failure_memory(why);
}

static void flush(output_file *output) {
    size_t done = 0;
    while (done < output->used && output->error_number == 0) {
        ssize_t step = write(output->file, output->block + done, call_size(output->used - done));
        if (step >= 0) {
            done += (size_t)step;
        } else if (errno != EINTR) {
            output->error_number = platform_write_error(output->file);
        }
    }
    output->used = 0;
}

char *output_room(output_file *output, size_t size) {
    assert(size <= STREAM_BLOCK);
    if (output->used + size > STREAM_BLOCK) flush(output);
    return output->block + output->used;
}

void output_advance(output_file *output, const char *end) {
    output->used = (size_t)(end - output->block);
    assert(output->used <= STREAM_BLOCK);
}

void output_bytes(output_file *output, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size > 0) {
        size_t part = size < STREAM_BLOCK ? size : STREAM_BLOCK;
        char *to = output_room(output, part);
        memcpy(to, from, part);
        output_advance(output, to + part);
        from += part;
        size -= part;
    }
}

void output_text(output_file *output, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof line);
    output_bytes(output, line, (size_t)length);
}

bool output_broken(const output_file *output) {
    return output->error_number != 0;
}

// A part of a file must not be taken for the whole: it is emptied, which also serves where the path is a link, and
// removed. Nothing is removed that is not a regular file. Returns what has become of it.
static const char *discard(const output_file *output) {
    if (output->file <= STDERR_FILENO || !platform_identify(NULL, output->file).is_regular)
        return "what was written is incomplete";
    const bool is_emptied = ftruncate(output->file, 0) == 0;
    if (!platform_is_link(output->name) && unlink(output->name) == 0)
        return "could not be written whole, and was removed";
    return is_emptied ? "could not be written whole, and was emptied" : "what was written is incomplete";
}

static void end_output(output_file *output) {
    free(output->block);
    output->block = NULL;
    if (output->file > STDERR_FILENO && close(output->file) != 0 && output->error_number == 0) {
        output->error_number = errno;
    }
    output->file = -1;
}

void output_abandon(output_file *output) {
    (void)discard(output);
    end_output(output);
}

// A reader of standard output that leaves, as head does, has what it wanted.
bool output_close(output_file *output, failure *why) {
    flush(output);
    const bool has_enough = output->error_number == EPIPE && output->file == STDOUT_FILENO;
    const char *state = output->error_number != 0 ? discard(output) : "what was written may be incomplete";
    end_output(output);
    const int code = output->error_number;
    if (code == 0 || has_enough) return true;
    const char *what = code == EPIPE ? "the reader closed the pipe" : strerror(code);
    const char *remedy = code == ENOSPC || code == EFBIG ? "; free some space, or choose another place with -o" : "";
    return failure_set(why, STATUS_FAILED, "%s: %s: %s%s", output->name, state, what, remedy);
}
