// What tests use of POSIX, under the same names on Windows; and aligned memory, which has no name that both know.
#ifndef BP_TESTS_PORTABLE_H
#define BP_TESTS_PORTABLE_H

#include <stdlib.h>

#if defined(_WIN32)

#include <direct.h>
#include <io.h>
#include <malloc.h>
#include <unistd.h>

static inline char *mkdtemp(char *pattern) {
    return _mktemp(pattern) != NULL && _mkdir(pattern) == 0 ? pattern : NULL;
}

static inline int make_directory(const char *path) {
    return _mkdir(path);
}

static inline int setenv(const char *name, const char *value, int overwrite) {
    return overwrite != 0 || getenv(name) == NULL ? _putenv_s(name, value) : 0;
}

static inline int unsetenv(const char *name) {
    return _putenv_s(name, "");
}

static inline int lengthen_file(const char *path, long long length) {
    return truncate64(path, length);
}

static inline void *allocate_aligned(size_t alignment, size_t size) {
    return _aligned_malloc(size, alignment);
}

static inline void release_aligned(void *memory) {
    _aligned_free(memory);
}

#else

#include <sys/stat.h>
#include <unistd.h>

static inline int make_directory(const char *path) {
    return mkdir(path, 0777);
}

static inline int lengthen_file(const char *path, long long length) {
    return truncate(path, (off_t)length);
}

// Ends where `size` says: a sanitizer sees the first byte that is read too far.
static inline void *allocate_aligned(size_t alignment, size_t size) {
    void *memory = NULL;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static inline void release_aligned(void *memory) {
    free(memory);
}

#endif

#endif
