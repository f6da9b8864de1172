// The reader of configs: what it accepts is passed to the library; what it refuses is reported with its line.
#include "target.h"

#include "formats/settings.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = file_of(data, size, ".conf");
    bp_method_settings methods = {0};
    bp_config config = {.settings = &methods};
    failure why = {.status = STATUS_DONE};
    if (settings_read(&config, &methods, path, &why)) {
        bp_pairs pairs = {0};
        const bp_status status = bp_find_pairs(NULL, 0, &config, &pairs);
        require(status == BP_OK || status == BP_ERROR_ARGUMENT || status == BP_ERROR_UNSUPPORTED,
                "a config comes to an odd end");
        bp_pairs_free(&pairs, &config);
    } else {
        require_told(&why);
        require(strncmp(why.text, path, strlen(path)) == 0, "a failure does not name its file");
    }
    return 0;
}
