#include "formats/pair_files.h"

#include "formats/box_files.h"
#include "formats/npy.h"
#include "formats/number.h"
#include "formats/progress.h"

enum { PAIRS_PER_REPORT = 1 << 16, ROW_LENGTH_MAX = 2 * NUMBER_LENGTH_MAX };

static void write_csv_pair(output_file *output, bp_pair pair) {
    char *to = output_room(output, ROW_LENGTH_MAX);
    to = number_write_u32(to, pair.a);
    *to++ = ',';
    to = number_write_u32(to, pair.b);
    *to++ = '\n';
    output_advance(output, to);
}

static void write_pairs(output_file *output, file_format format, const bp_pair *pairs, size_t count) {
    for (size_t i = 0; i < count && !output_broken(output); i++) {
        if (format == FORMAT_NPY) {
            npy_write_u32(output, (const uint32_t[2]){pairs[i].a, pairs[i].b}, 2);
        } else {
            write_csv_pair(output, pairs[i]);
        }
        if (i % PAIRS_PER_REPORT == 0) progress_at(i);
    }
}

bool pair_file_write(const char *path, const bp_pair *pairs, size_t count, failure *why) {
    file_format format = FORMAT_CSV;
    output_file output;
    if (!file_format_of_output(path, &format, why) || !output_open(&output, path, why)) return false;
    if (format == FORMAT_NPY) {
        npy_write_header(&output, "<u4", count, 2);
    } else {
        output_text(&output, "a,b\n");
    }
    progress_begin("writing", count);
    write_pairs(&output, format, pairs, count);
    progress_end();
    return output_close(&output, why);
}
