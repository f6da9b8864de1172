// Shared by the fuzz targets. A target is one file with one function, LLVMFuzzerTestOneInput, which libFuzzer calls
// with its inputs; standalone.c replaces libFuzzer where there is none.
#ifndef BP_FUZZ_TARGET_H
#define BP_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the process with the text, unless the condition holds.
void require(bool condition, const char *text);

// A folder for files that are written often: in memory, where there is one.
const char *scratch_folder(void);

// A file with these bytes, whose name ends in the suffix (".csv"). It is the same file each time, gone at the end.
const char *file_of(const uint8_t *data, size_t size, const char *suffix);

// Requires that a failure tells in one line what is wrong.
struct failure;
void require_told(const struct failure *why);

#endif
