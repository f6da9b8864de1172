// Files of pairs: .csv ("a,b" and a row each), .npy (P x 2, uint32), and "-" for standard output as CSV.
#ifndef TOOL_PAIR_FILES_H
#define TOOL_PAIR_FILES_H

#include "formats/failure.h"

#include <broadphase/broadphase.h>

bool pair_file_write(const char *path, const bp_pair *pairs, size_t count, failure *why);

#endif
