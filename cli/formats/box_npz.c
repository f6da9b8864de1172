// Boxes from NPZ, NumPy's archive of arrays: a ZIP archive of .npy files, packed or not. The array is the only one that there
// is, or the one called as what is wanted: boxes, points or rays.
//
//     file, file, ... | directory: for each file where it begins, how long it is, its name | where the directory begins
#include "formats/box_reader.h"
#include "formats/inflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30, COMMENT_MAX = 65535, STORED = 0, DEFLATED = 8 };

// How much longer than when it is packed a file can be.
enum { PACKED_MOST = 1032 };

typedef struct archive {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} archive;

// A file in the archive.
typedef struct archive_entry {
    const char *name; // not ended by '\0'
    size_t name_length;
    size_t begin, packed_size, size; // begin: of its own header
    uint32_t method, crc;
} archive_entry;

static uint32_t load(const unsigned char *bytes, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

static bool fail_damaged(const archive *zip, failure *why) {
    return failure_set(why, STATUS_FAILED, "%s: is not a complete archive of numpy.savez; copy or save it again",
                       zip->name);
}

// ---------------------------------------------------------------------------------------------------------------------
// The directory

// It may be followed by a comment.
static bool find_directory(const archive *zip, size_t *begin, size_t *count, failure *why) {
    for (size_t i = 0; i <= COMMENT_MAX && i + END_BYTES <= zip->size; i++) {
        const unsigned char *end = zip->bytes + zip->size - END_BYTES - i;
        if (memcmp(end, "PK\5\6", 4) != 0) continue;
        *count = load(end + 10, 2);
        *begin = load(end + 16, 4);
        if (*count == 0xffff || load(end + 16, 4) == 0xffffffffu) {
            return failure_set(why, STATUS_FAILED,
                               "%s: is an archive of more than 4 GB; save the array with numpy.save", zip->name);
        }
        return *begin <= zip->size || fail_damaged(zip, why);
    }
    return fail_damaged(zip, why);
}

// The entry at *place, which then is that of the next one.
static bool read_entry(const archive *zip, size_t *place, archive_entry *entry, failure *why) {
    const unsigned char *bytes = zip->bytes + *place;
    if (zip->size - *place < ENTRY_BYTES || memcmp(bytes, "PK\1\2", 4) != 0) return fail_damaged(zip, why);
    const size_t name = load(bytes + 28, 2), all = ENTRY_BYTES + name + load(bytes + 30, 2) + load(bytes + 32, 2);
    if (zip->size - *place < all) return fail_damaged(zip, why);
    *entry = (archive_entry){.name = (const char *)bytes + ENTRY_BYTES,
                             .name_length = name,
                             .begin = load(bytes + 42, 4),
                             .packed_size = load(bytes + 20, 4),
                             .size = load(bytes + 24, 4),
                             .method = load(bytes + 10, 2),
                             .crc = load(bytes + 16, 4)};
    *place += all;
    return true;
}

static bool is_called(const archive_entry *entry, const char *word) {
    const size_t length = strlen(word);
    return entry->name_length == length + 4 && memcmp(entry->name, word, length) == 0 &&
           memcmp(entry->name + length, ".npy", 4) == 0;
}

static bool choose(const archive *zip, box_kind kind, archive_entry *chosen, failure *why) {
    static const char *const WORDS[] = {
        [BOX_KIND_BOXES] = "boxes", [BOX_KIND_POINTS] = "points", [BOX_KIND_RAYS] = "rays"};
    size_t place = 0, count = 0;
    char names[256] = "";
    if (!find_directory(zip, &place, &count, why)) return false;
    for (size_t i = 0; i < count; i++) {
        archive_entry entry = {0};
        const size_t used = strlen(names);
        if (!read_entry(zip, &place, &entry, why)) return false;
        if (i == 0 || is_called(&entry, WORDS[kind])) *chosen = entry;
        if (is_called(&entry, WORDS[kind])) return true;
        snprintf(names + used, sizeof names - used, "%s%.*s", i == 0 ? "" : ", ", (int)(entry.name_length & 0xff),
                 entry.name);
    }
    return count == 1 ||
           failure_set(why, STATUS_FAILED, "%s: has %zu arrays (%s); name the one to read %s, or save it alone",
                       zip->name, count, names, WORDS[kind]);
}

// ---------------------------------------------------------------------------------------------------------------------
// The array

static bool unpack(const archive *zip, const archive_entry *entry, const unsigned char *packed,
                   unsigned char **unpacked, failure *why) {
    if (entry->size / PACKED_MOST > entry->packed_size) return fail_damaged(zip, why);
    *unpacked = malloc(entry->size + 1);
    if (*unpacked == NULL) return failure_memory(why);
    return inflate_bytes(packed, entry->packed_size, *unpacked, entry->size) || fail_damaged(zip, why);
}

static bool read_array(const archive *zip, const archive_entry *entry, box_rules rules, box_list *list, failure *why) {
    const unsigned char *local = zip->bytes + entry->begin;
    if (entry->begin > zip->size || zip->size - entry->begin < LOCAL_BYTES || memcmp(local, "PK\3\4", 4) != 0)
        return fail_damaged(zip, why);
    const size_t head = LOCAL_BYTES + load(local + 26, 2) + load(local + 28, 2);
    if (zip->size - entry->begin < head || zip->size - entry->begin - head < entry->packed_size)
        return fail_damaged(zip, why);

    const unsigned char *bytes = local + head;
    unsigned char *unpacked = NULL;
    bool good = true;
    if (entry->method == DEFLATED) {
        good = unpack(zip, entry, bytes, &unpacked, why);
        bytes = unpacked;
    } else if (entry->method != STORED || entry->size != entry->packed_size) {
        good = failure_set(why, STATUS_FAILED, "%s: uses a compression that NumPy does not; save it with numpy.savez",
                           zip->name);
    }
    if (good && crc_of_bytes(bytes, entry->size) != entry->crc) good = fail_damaged(zip, why);
    if (good) {
        char name[512];
        input_file array;
        snprintf(name, sizeof name, "%s: %.*s", zip->name, (int)(entry->name_length & 0xff), entry->name);
        input_from_memory(&array, name, bytes, entry->size);
        good = box_npy_read(&array, rules, list, why);
    }
    free(unpacked);
    return good;
}

bool box_npz_read(input_file *input, box_rules rules, box_list *list, failure *why) {
    archive zip = {.name = input->name};
    archive_entry entry = {0};
    char *bytes = NULL;
    if (!input_read_rest(input, &bytes, &zip.size, why)) return false;
    zip.bytes = (const unsigned char *)bytes;
    const bool good = choose(&zip, rules.kind, &entry, why) && read_array(&zip, &entry, rules, list, why);
    free(bytes);
    return good;
}
