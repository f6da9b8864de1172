// The origin of a result: build, machine and command line.
#ifndef ABOUT_H
#define ABOUT_H

#include <stddef.h>
#include <stdio.h>

// The commit that was built; the environment variable BENCH_COMMIT overrides it.
const char *about_commit(void);

// A command line as one text, with the program's name but not its folder.
void about_call(int count, char **words, char *text, size_t size);

// A line for each fact, after the prefix.
void about_print(FILE *file, const char *prefix, const char *call);

#endif
