// broadphase-mpi pairs: the boxes of a file, each rank a part; and the pairs into a file, each rank a part.
//
//     rows ---> boxes ---> world ---> pairs, each on some rank ---> parts of the sorted order ---> rows
//
// The sorted order is cut by samples: each rank sorts its own pairs and shares a few samples, and all compute the same
// cuts. So the pairs are spread evenly over the ranks.
#include "comm.h"
#include "formats/box_files.h"
#include "formats/npy.h"
#include "tool.h"
#include "world.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 32, BLOCK = 1 << 20 };

// ---- reading -------------------------------------------------------------------------------------------------------

typedef struct layout {
    uint64_t rows, columns, start;
} layout;

static box_rules rules_of(const mpi_call *call) {
    return (box_rules){.dimensions = call->config.local.dimensions == 2 ? 2 : 3};
}

static bool check_header(const input_file *input, const npy_header *header, box_rules rules, failure *why) {
    if (strcmp(header->type, "<f4") != 0) {
        return failure_set(why, STATUS_FAILED,
                           "%s: holds numbers of the type '%s'; over MPI boxes are float32: save "
                           "array.astype('<f4')",
                           input->name, header->type);
    }
    const bool shaped = header->dimensions == 2 && header->shape[1] <= BOX_COLUMNS &&
                        box_form_of_count((size_t)header->shape[1], rules) != BOX_FORM_NONE;
    if (!shaped || header->fortran_order) {
        return failure_set(why, STATUS_FAILED, "%s: expected %s, in C order", input->name, box_form_expected(rules));
    }
    const uint64_t bytes = input->size - input->done;
    if (header->shape[0] > bytes / 4 / header->shape[1] || header->shape[0] * header->shape[1] * 4 != bytes) {
        return failure_set(why, STATUS_FAILED, "%s: the header promises another number of rows than there are",
                           input->name);
    }
    return true;
}

// Rank 0 reads the header and broadcasts it.
static bool read_layout(const char *path, box_rules rules, layout *found, failure *why) {
    bool good = true;
    if (tool_rank == 0) {
        input_file input;
        npy_header header;
        good = input_open(&input, path, why);
        if (good) {
            good = npy_read_header(&input, &header, why) && check_header(&input, &header, rules, why);
            *found = (layout){.rows = header.shape[0], .columns = header.shape[1], .start = input.done};
            input_close(&input);
        }
    }
    if (!all_good(good, why)) return false;
    MPI_Bcast(found, sizeof *found, MPI_BYTE, 0, MPI_COMM_WORLD);
    return true;
}

static bool add_row(const unsigned char *row, size_t columns, uint32_t dimensions, box_list *list, failure *why) {
    double values[BOX_COLUMNS];
    for (size_t i = 0; i < columns; ++i) values[i] = (double)npy_load_float(row + 4 * i);
    return box_list_add(list, values, dimensions, why);
}

static bool read_blocks(MPI_File file, const mpi_call *call, const layout *file_layout, uint64_t first, uint64_t last,
                        unsigned char *block, box_list *list, failure *why) {
    const size_t bytes = 4 * (size_t)file_layout->columns, most = BLOCK / bytes;
    const uint32_t dimensions = rules_of(call).dimensions;
    for (uint64_t row = first; row < last;) {
        const size_t count = last - row < most ? (size_t)(last - row) : most;
        const MPI_Offset place = (MPI_Offset)file_layout->start + (MPI_Offset)row * (MPI_Offset)bytes;
        if (MPI_File_read_at(file, place, block, (int)(count * bytes), MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            return failure_set(why, STATUS_FAILED, "%s: cannot be read", call->input);
        }
        for (size_t i = 0; i < count; ++i, ++row) {
            if (add_row(block + i * bytes, (size_t)file_layout->columns, dimensions, list, why)) continue;
            return failure_prefix(why, "%s: row %llu (from 0): ", call->input, (unsigned long long)row);
        }
    }
    return true;
}

static void share(uint64_t total, uint64_t *first, uint64_t *last) {
    const uint64_t ranks = (uint64_t)tool_ranks, rank = (uint64_t)tool_rank, each = total / ranks, more = total % ranks;
    *first = rank * each + (rank < more ? rank : more);
    *last = *first + each + (rank < more);
}

static bool read_boxes(const mpi_call *call, const layout *file_layout, uint64_t *first, box_list *list, failure *why) {
    MPI_File file;
    uint64_t last;
    list->form = box_form_of_count((size_t)file_layout->columns, rules_of(call));
    share(file_layout->rows, first, &last);
    unsigned char *block = malloc(BLOCK);
    bool good = block != NULL || failure_memory(why);
    if (all_good(good, why)) {
        const int code = MPI_File_open(MPI_COMM_WORLD, call->input, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        good = code == MPI_SUCCESS || failure_set(why, STATUS_FAILED, "%s: MPI cannot open it", call->input);
        if (all_good(good, why)) {
            good = read_blocks(file, call, file_layout, *first, last, block, list, why);
            good = all_good(good, why);
        } else {
            good = false;
        }
        if (code == MPI_SUCCESS) (void)MPI_File_close(&file);
    } else {
        good = false;
    }
    free(block);
    return good;
}

// ---- sorting -------------------------------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    const bp_mpi_pair *x = a, *y = b;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

static bp_status take_samples(bp_mpi_comm *comm, const bp_mpi_pairs *pairs, bp_buffer *samples, size_t *count) {
    bp_mpi_pair mine[SAMPLES];
    const size_t taken = pairs->count < SAMPLES ? pairs->count : SAMPLES;
    for (size_t i = 0; i < taken; ++i) mine[i] = bp_mpi_pairs_data(pairs)[pairs->count / taken * i];
    const bp_status status = bp_mpi_gather(comm, BP_OK, mine, taken, sizeof *mine, samples, count);
    if (status == BP_OK && *count > 0) {
        qsort(samples->data, *count, sizeof *mine, compare);
    }
    return status;
}

// The rank that writes a pair: the one whose range between samples it lies in.
static int part_of(const bp_mpi_pair *samples, size_t count, const bp_mpi_pair *pair) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&samples[middle], pair) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return count == 0 ? 0 : (int)(low * (size_t)tool_ranks / (count + 1));
}

// `pairs` becomes this rank's part of the sorted order.
static bp_status sort_globally(bp_mpi_comm *comm, bp_mpi_pairs *pairs) {
    bp_mpi_outbox out = {0};
    bp_mpi_inbox in = {0};
    bp_buffer samples = {0}, scratch = {0};
    size_t count = 0;
    bp_status status =
        bp_mpi_agree(comm, bp_mpi_sort_pairs(pairs, &scratch, &comm->allocator) ? BP_OK : BP_ERROR_MEMORY);
    status = status == BP_OK ? take_samples(comm, pairs, &samples, &count) : status;
    bp_mpi_outbox_begin(&out, sizeof(bp_mpi_pair));
    for (size_t i = 0; status == BP_OK && i < pairs->count; ++i) {
        const bp_mpi_pair *pair = &bp_mpi_pairs_data(pairs)[i];
        bp_mpi_pair *item = bp_mpi_outbox_add(&out, &comm->allocator, part_of(samples.data, count, pair));
        if (item == NULL) break;
        *item = *pair;
    }
    status = bp_mpi_exchange(comm, status, &out, &in);
    if (status == BP_OK) {
        bp_buffer_swap(&pairs->memory, &in.items);
        pairs->count = in.count;
        status = bp_mpi_sort_pairs(pairs, &scratch, &comm->allocator) ? BP_OK : BP_ERROR_MEMORY;
    }
    bp_mpi_outbox_free(&out, &comm->allocator);
    bp_mpi_inbox_free(&in, &comm->allocator);
    bp_buffer_free(&samples, &comm->allocator);
    bp_buffer_free(&scratch, &comm->allocator);
    return bp_mpi_agree(comm, status);
}

// ---- writing -------------------------------------------------------------------------------------------------------

static void store(unsigned char *to, uint64_t word, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) to[i] = (unsigned char)(word >> (8 * i));
}

static bool write_blocks(MPI_File file, const char *path, const bp_mpi_pairs *pairs, MPI_Offset start, size_t word,
                         unsigned char *block, failure *why) {
    const size_t row = 2 * word, most = BLOCK / row;
    for (size_t first = 0; first < pairs->count; first += most) {
        const size_t count = pairs->count - first < most ? pairs->count - first : most;
        for (size_t i = 0; i < count; ++i) {
            store(block + i * row, bp_mpi_pairs_data(pairs)[first + i].a, word);
            store(block + i * row + word, bp_mpi_pairs_data(pairs)[first + i].b, word);
        }
        if (MPI_File_write_at(file, start + (MPI_Offset)(first * row), block, (int)(count * row), MPI_BYTE,
                              MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            return failure_set(why, STATUS_FAILED,
                               "%s: could not be written whole, and was removed; free some space, or choose another "
                               "place with -o",
                               path);
        }
    }
    return true;
}

// Rank 0 begins the file; then all write into it.
static bool write_header(const char *path, uint64_t total, bool in_64_bits, failure *why) {
    bool good = true;
    if (tool_rank == 0) {
        output_file output;
        good = output_open(&output, path, why);
        if (good) {
            npy_write_header(&output, in_64_bits ? "<u8" : "<u4", (size_t)total, 2);
            good = output_close(&output, why);
        }
    }
    return all_good(good, why);
}

static bool write_pairs(const char *path, const bp_mpi_pairs *pairs, uint64_t rows, failure *why) {
    const bool in_64_bits = rows > BP_MAX_COUNT;
    const size_t word = in_64_bits ? 8 : 4;
    uint64_t mine = pairs->count, before = 0, total = 0;
    MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    before = tool_rank == 0 ? 0 : before;
    unsigned char *block = malloc(BLOCK);
    bool good = all_good(block != NULL || failure_memory(why), why) && write_header(path, total, in_64_bits, why);
    if (good) {
        MPI_File file;
        MPI_Offset start = 0;
        const int code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        good = all_good(code == MPI_SUCCESS || failure_set(why, STATUS_FAILED, "%s: MPI cannot open it", path), why);
        if (good) {
            (void)MPI_File_get_size(file, &start);
            MPI_Barrier(MPI_COMM_WORLD); // before any rank extends it
            good = write_blocks(file, path, pairs, start + (MPI_Offset)(before * 2 * word), word, block, why);
        }
        if (code == MPI_SUCCESS) good &= MPI_File_close(&file) == MPI_SUCCESS;
        good = all_good(good, why);
        if (!good && tool_rank == 0) (void)remove(path); // a part must not be taken for the whole
    }
    free(block);
    return good;
}

// ---- the command ---------------------------------------------------------------------------------------------------

static void print_stats(const bp_mpi_stats *stats) {
    uint64_t sums[4] = {stats->pairs, stats->ghosts, stats->bytes_sent, stats->migrated}, all[4];
    double mine[4] = {stats->balance_seconds, stats->exchange_seconds, stats->find_seconds, stats->report_seconds},
           most[4];
    MPI_Allreduce(sums, all, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (tool_rank != 0) return;
    fprintf(stderr, "method=%s\nranks=%d\n", bp_method_name((size_t)stats->local.method), tool_ranks);
    fprintf(stderr, "objects=%llu\npairs=%llu\n", (unsigned long long)stats->objects, (unsigned long long)all[0]);
    fprintf(stderr, "ghosts=%llu\nbytes_sent=%llu\n", (unsigned long long)all[1], (unsigned long long)all[2]);
    fprintf(stderr, "migrated=%llu\nimbalance=%.4f\n", (unsigned long long)all[3], stats->imbalance);
    fprintf(stderr, "balance_ms=%.3f\nexchange_ms=%.3f\n", 1e3 * most[0], 1e3 * most[1]);
    fprintf(stderr, "find_ms=%.3f\nreport_ms=%.3f\n", 1e3 * most[2], 1e3 * most[3]);
}

static bp_status find_pairs(const mpi_call *call, const box_list *list, uint64_t first, bp_mpi_world *world,
                            bp_mpi_pairs *pairs) {
    bp_mpi_result result;
    uint64_t *ids = malloc(list->count * sizeof *ids + 1);
    for (size_t i = 0; ids != NULL && i < list->count; ++i) ids[i] = first + i;
    bp_status status = bp_mpi_agree(&world->comm, ids != NULL ? BP_OK : BP_ERROR_MEMORY);
    status = status == BP_OK ? bp_mpi_add_many(world, list->count, ids, list->data, NULL, NULL, NULL) : status;
    free(ids);
    status = status == BP_OK ? bp_mpi_update(world, &result) : status;
    if (status == BP_OK) {
        if (call->stats) print_stats(&result.stats);
        status = bp_mpi_pairs_reserve(pairs, &world->comm.allocator, result.pair_count + 1) ? BP_OK : BP_ERROR_MEMORY;
        status = bp_mpi_agree(&world->comm, status);
    }
    if (status == BP_OK && result.pair_count > 0) {
        memcpy(pairs->memory.data, result.pairs, result.pair_count * sizeof *result.pairs);
        pairs->count = result.pair_count;
    }
    return status == BP_OK ? sort_globally(&world->comm, pairs) : status;
}

bool run_pairs(const mpi_call *call, failure *why) {
    file_format format;
    if (call->input == NULL || call->output == NULL) {
        return failure_set(why, STATUS_WRONG_CALL, "pairs: expected a file of boxes, and -o FILE for the pairs");
    }
    if (!file_format_of_input(call->input, &format, why) || format != FORMAT_NPY ||
        !file_format_of_output(call->output, &format, why) || format != FORMAT_NPY) {
        return failure_set(why, STATUS_WRONG_CALL,
                           "pairs: both files must be .npy, which several ranks can read and write");
    }
    if (!all_good(output_spares(call->output, &(char *){(char *)call->input}, 1, why), why)) return false;
    layout file_layout = {0};
    box_list list = {0};
    bp_mpi_pairs pairs = {0};
    bp_mpi_world *world = NULL;
    uint64_t first = 0;
    bool good = read_layout(call->input, rules_of(call), &file_layout, why) &&
                read_boxes(call, &file_layout, &first, &list, why);
    if (good) {
        bp_status status = bp_mpi_world_create(MPI_COMM_WORLD, &call->config, &world);
        status = status == BP_OK ? find_pairs(call, &list, first, world, &pairs) : status;
        good = all_good(library_good(status, why), why);
    }
    box_list_free(&list);
    good = good && write_pairs(call->output, &pairs, file_layout.rows, why);
    if (world != NULL) bp_buffer_free(&pairs.memory, &world->comm.allocator);
    bp_mpi_world_destroy(world);
    return good;
}
