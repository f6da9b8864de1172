// What a result says about its origin: the build, the machine and the call.
#ifndef ABOUT_H
#define ABOUT_H

#include <stddef.h>
#include <stdio.h>

// The commit that was built, or what the environment variable BENCH_COMMIT says.
const char *about_commit(void);

// A command line as one text; of the program only its name: the folder says nothing about the call.
void about_call(int count, char **words, char *text, size_t size);

// A line for each fact, after the prefix.
void about_print(FILE *file, const char *prefix, const char *call);

#endif
