// Runs a fuzz target without libFuzzer: over all files of its corpus, and over a fixed number of random mutations of
// them, the same on every machine.
//
//     fuzz_NAME [-runs=N] [-seed=N] FILE-OR-FOLDER...
//
// The input of a crash is left in the file crash-input.
#include "target.h"

#include "support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 1000, SIZE_MOST = 1 << 16, CHANGES_MOST = 8 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

typedef struct corpus {
    char *paths[FILES_MOST];
    input inputs[FILES_MOST];
    size_t count;
} corpus;

// ---- crashes -------------------------------------------------------------------------------------------------------

static input now;

static void keep_input(int number) {
    const int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0) {
        (void)!write(file, now.bytes, now.size);
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

// So that the handler is called with the address sanitizer, too.
const char *__asan_default_options(void); // NOLINT(bugprone-reserved-identifier)
const char *__asan_default_options(void) {
    return "abort_on_error=1:handle_abort=0:handle_segv=0";
}

static void run_target(const uint8_t *bytes, size_t size) {
    uint8_t *copied = obtain(size, 1); // of the exact size, so that a read beyond it is detected
    memcpy(copied, bytes, size);
    now = (input){.bytes = copied, .size = size};
    (void)LLVMFuzzerTestOneInput(copied, size);
    free(copied);
}

// ---- the corpus ----------------------------------------------------------------------------------------------------

static void add_file(corpus *c, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || c->count == FILES_MOST) {
        (void)fprintf(stderr, "fuzz: %s cannot be read, or there are too many files\n", path);
        exit(2);
    }
    uint8_t *bytes = obtain(SIZE_MOST, 1);
    c->inputs[c->count] = (input){.bytes = bytes, .size = fread(bytes, 1, SIZE_MOST, file)};
    c->paths[c->count++] = strdup(path);
    (void)fclose(file);
}

static int is_no_dot(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

// In the order of names, whatever the file system's is.
static void add_path(corpus *c, const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        add_file(c, path);
        return;
    }
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_no_dot, alphasort);
    for (int i = 0; i < count; ++i) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        add_file(c, name);
        free(entries[i]);
    }
    free(entries);
}

static void free_corpus(corpus *c) {
    for (size_t i = 0; i < c->count; ++i) {
        free(c->paths[i]);
        free(c->inputs[i].bytes);
    }
    free(c);
}

// ---- changes -------------------------------------------------------------------------------------------------------

static void insert(input *i, size_t at, const uint8_t *bytes, size_t count) {
    count = count < SIZE_MOST - i->size ? count : SIZE_MOST - i->size;
    memmove(i->bytes + at + count, i->bytes + at, i->size - at);
    memcpy(i->bytes + at, bytes, count);
    i->size += count;
}

static void cut(input *i, size_t at, size_t count) {
    count = count < i->size - at ? count : i->size - at;
    memmove(i->bytes + at, i->bytes + at + count, i->size - at - count);
    i->size -= count;
}

static void put_number(input *i, size_t at, rng *random) {
    static const uint64_t numbers[] = {0,           1,           0x7f,       0xff,       0x7fff,
                                       0xffff,      0x7fffffff,  0xffffffff, 0x7f800000, 0x7fc00000,
                                       1ull << 40u, 1ull << 63u, UINT64_MAX, 0x3f800000, 0xfffffffe};
    const uint64_t number = numbers[rng_below(random, COUNT_OF(numbers))];
    const size_t width = (size_t)1 << rng_below(random, 4);
    for (size_t k = 0; k < width && at + k < i->size; ++k) {
        i->bytes[at + k] = (uint8_t)(number >> 8 * k);
    }
}

static void put_text(input *i, size_t at, rng *random) {
    static const char *const texts[] = {",", "\n", "-", "nan", "inf", "1e39", "1000000000000",
                                        "=", "#",  "0", "'",   "(",   "\r"};
    const char *text = texts[rng_below(random, COUNT_OF(texts))];
    insert(i, at, (const uint8_t *)text, strlen(text));
}

static void change(input *i, const corpus *c, rng *random) {
    const size_t at = rng_below(random, (uint32_t)i->size + 1);
    const input *other = &c->inputs[rng_below(random, (uint32_t)c->count)];
    const size_t from = rng_below(random, (uint32_t)other->size + 1), some = rng_below(random, 24);
    switch (rng_below(random, 6)) {
    case 0:
        if (at < i->size) {
            i->bytes[at] ^= (uint8_t)(1u << rng_below(random, 8));
        }
        break;
    case 1: put_number(i, at, random); break;
    case 2: put_text(i, at, random); break;
    case 3: cut(i, at, some); break;
    case 4: insert(i, at, other->bytes + from, some < other->size - from ? some : other->size - from); break;
    default:
        cut(i, at, i->size);
        insert(i, at, other->bytes + from, other->size - from);
        break;
    }
}

static void run_changed(const corpus *c, rng *random) {
    static uint8_t bytes[SIZE_MOST];
    const input *begin = &c->inputs[rng_below(random, (uint32_t)c->count)];
    input made = {.bytes = bytes, .size = begin->size};
    memcpy(bytes, begin->bytes, begin->size);
    for (uint32_t changes = 1 + rng_below(random, CHANGES_MOST); changes > 0; --changes) {
        change(&made, c, random);
    }
    run_target(made.bytes, made.size);
}

int main(int count, char **arguments) {
    size_t runs = 0;
    uint64_t seed = 1;
    corpus *c = obtain(1, sizeof *c);
    for (int i = 1; i < count; ++i) {
        if (strncmp(arguments[i], "-runs=", 6) == 0) {
            runs = (size_t)strtoull(arguments[i] + 6, NULL, 10) / (quick() ? 10 : 1);
        } else if (strncmp(arguments[i], "-seed=", 6) == 0) {
            seed = strtoull(arguments[i] + 6, NULL, 10);
        } else {
            add_path(c, arguments[i]);
        }
    }
    (void)signal(SIGABRT, keep_input);
    (void)signal(SIGSEGV, keep_input);
    for (size_t i = 0; i < c->count; ++i) {
        run_target(c->inputs[i].bytes, c->inputs[i].size);
    }
    rng random = rng_seeded(seed);
    for (size_t i = 0; i < runs && c->count > 0; ++i) {
        run_changed(c, &random);
    }
    (void)printf("%zu files and %zu inputs made from them\n", c->count, runs);
    report("fuzz inputs", "%zu", c->count + runs);
    const bool has_corpus = c->count > 0;
    free_corpus(c);
    return has_corpus ? 0 : 2;
}
