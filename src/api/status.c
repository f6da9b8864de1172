#include <broadphase/broadphase.h>

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *bp_version(void) {
    return VERSION_TEXT(BP_VERSION_MAJOR, BP_VERSION_MINOR, BP_VERSION_PATCH);
}

const char *bp_status_text(bp_status status) {
    switch (status) {
    case BP_OK: return "success";
    case BP_ERROR_ARGUMENT: return "an argument or a config field is out of its range";
    case BP_ERROR_BOX: return "a box is invalid (NaN, or min > max)";
    case BP_ERROR_ID: return "an id is not alive in this world";
    case BP_ERROR_MEMORY: return "out of memory: the allocator returned none";
    case BP_ERROR_CAPACITY: return "the buffer is too small; the count tells how much is needed";
    case BP_ERROR_UNSUPPORTED: return "the chosen method or processor does not support this";
    case BP_ERROR_INTERNAL: return "a bug in the library; please report it";
    }
    return "not a status of this library";
}
