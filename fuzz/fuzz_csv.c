// The reader of CSV files: boxes it accepts are valid, need no more memory than the file is long, and can be written
// and read again.
#include "target.h"

#include "formats/box_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void require_same_after_writing(const box_list *list) {
    char path[256];
    box_list again;
    failure why = {.status = STATUS_DONE};
    (void)snprintf(path, sizeof path, "%s/broadphase_fuzz_again_%ld.csv", scratch_folder(), (long)getpid());
    require(box_file_write(path, list->data, list->count, &why), "what was read cannot be written");
    require(box_file_read(path, 3, &again, &why), "what was written cannot be read");
    require(again.count == list->count &&
                (list->count == 0 || memcmp(again.data, list->data, list->count * sizeof *list->data) == 0),
            "boxes come back from CSV as others");
    box_list_free(&again);
    (void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = file_of(data, size, ".csv");
    box_list list, flat;
    failure why = {.status = STATUS_DONE}, why_flat = {.status = STATUS_DONE};
    const bool good = box_file_read(path, 3, &list, &why), good_flat = box_file_read(path, 2, &flat, &why_flat);
    require(!good || good_flat || list.form == BOX_FORM_SPHERES,
            "boxes that are good in three dimensions are not in two");
    if (good) {
        require(list.count <= size && list.capacity <= 2 * size + 1024, "more memory than the file can be worth");
        require_same_after_writing(&list);
    } else {
        require_told(&why);
    }
    if (!good_flat) {
        require_told(&why_flat);
    }
    box_list_free(&list);
    box_list_free(&flat);
    return 0;
}
