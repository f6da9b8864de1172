// The readers of meshes, PLY or STL where the input begins like one, otherwise OBJ: boxes they accept are finite and need no
// more memory than the file is long, whatever its header promises.
#include "target.h"

#include "formats/box_files.h"

#include <math.h>
#include <string.h>

static void require_finite(const box_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            const double low = list->is_double ? list->doubles[i].min[axis] : (double)list->data[i].min[axis];
            const double high = list->is_double ? list->doubles[i].max[axis] : (double)list->data[i].max[axis];
            require(isfinite(low) && isfinite(high) && low <= high, "a box of a mesh is not finite");
        }
    }
}

static bool read_mesh(const char *path, file_format format, uint32_t dimensions, box_list *list, failure *why) {
    input_file input;
    *list = (box_list){.count = 0};
    if (!input_open(&input, path, why)) {
        return false;
    }
    const bool good = box_read(&input, format, (box_rules){.dimensions = dimensions}, list, why);
    input_close(&input);
    return good;
}

// Binary STL begins with anything: here with "STL".
static file_format format_of(const uint8_t *data, size_t size) {
    if (size >= 3 && memcmp(data, "ply", 3) == 0) return FORMAT_PLY;
    return size >= 3 && (memcmp(data, "sol", 3) == 0 || memcmp(data, "STL", 3) == 0) ? FORMAT_STL : FORMAT_OBJ;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const file_format format = format_of(data, size);
    const char *path = file_of(data, size, ".mesh");
    box_list list, flat;
    failure why = {.status = STATUS_DONE}, why_flat = {.status = STATUS_DONE};
    const bool good = read_mesh(path, format, 3, &list, &why), good_flat = read_mesh(path, format, 2, &flat, &why_flat);
    require(!good || good_flat, "a file that is good in three dimensions is not in two");
    require(list.capacity <= size && flat.capacity <= size, "more memory than the file can be worth");
    if (good) {
        require(list.count == flat.count, "there are other boxes in two dimensions");
        require_finite(&list);
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
