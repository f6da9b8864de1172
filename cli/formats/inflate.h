// Unpacks what deflate has packed (RFC 1951), as it is in ZIP archives.
#ifndef TOOL_INFLATE_H
#define TOOL_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// True if the packed bytes are well formed and make `size` bytes, which are then at `to`. None is written behind.
bool inflate_bytes(const unsigned char *packed, size_t packed_size, unsigned char *to, size_t size);
// The check sum of ZIP archives.
uint32_t crc_of_bytes(const unsigned char *bytes, size_t size);

#endif
