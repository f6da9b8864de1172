// The reader of NPY files: from a file, whose size it knows, and as from a pipe. Both must give the same result, and
// neither may allocate more than the existing bytes justify, whatever the header says. And the reader of archives of them,
// NPZ, where the input begins like one.
#include "target.h"

#include "formats/box_files.h"

#include <string.h>
#include <unistd.h>

static bool read_as_pipe(const char *path, box_list *list, failure *why) {
    input_file input;
    *list = (box_list){.count = 0};
    if (!input_open(&input, path, why)) {
        return false;
    }
    input.size_known = false;
    const bool good = box_npy_read(&input, (box_rules){.dimensions = 3}, list, why);
    input_close(&input);
    return good;
}

static void require_cheap(const box_list *list, size_t size) {
    require(list->count <= size / 16, "more boxes than the file has room for");
    require(list->capacity <= size / 8 + 1024, "more memory than the file can be worth");
}

static void require_same(const box_list *a, const box_list *b) {
    require(a->count == b->count && a->is_double == b->is_double, "a pipe gives another number of boxes");
    const size_t bytes = a->count * (a->is_double ? sizeof *a->doubles : sizeof *a->data);
    const void *from_a = a->is_double ? (const void *)a->doubles : a->data;
    const void *from_b = b->is_double ? (const void *)b->doubles : b->data;
    require(bytes == 0 || memcmp(from_a, from_b, bytes) == 0, "a pipe gives other boxes");
}

// What is packed may be a thousand times as long.
static void read_archive(const uint8_t *data, size_t size) {
    enum { PACKED_MOST = 1032 };
    input_file input;
    box_list list;
    failure why = {.status = STATUS_DONE};
    input_from_memory(&input, "archive.npz", data, size);
    if (box_read(&input, FORMAT_NPZ, (box_rules){.dimensions = 3}, &list, &why)) {
        require(list.count <= PACKED_MOST * size / 16, "more boxes than the archive has room for");
    } else {
        require_told(&why);
    }
    box_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size >= 2 && memcmp(data, "PK", 2) == 0) {
        read_archive(data, size);
        return 0;
    }
    const char *path = file_of(data, size, ".npy");
    box_list list, piped;
    failure why = {.status = STATUS_DONE}, why_piped = {.status = STATUS_DONE};
    const bool good = box_file_read(path, 3, &list, &why), good_piped = read_as_pipe(path, &piped, &why_piped);
    require(good == good_piped, "a pipe is judged otherwise than a file");
    require_cheap(&piped, size);
    if (good) {
        require_cheap(&list, size);
        require_same(&list, &piped);
    } else {
        require_told(&why);
        require_told(&why_piped);
    }
    box_list_free(&list);
    box_list_free(&piped);
    return 0;
}
