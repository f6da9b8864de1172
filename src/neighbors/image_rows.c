#include "neighbors/image_rows.h"

#include "base/parallel.h"
#include "kernels/neighbor_rows.h"

#include <math.h>

enum {
    BLOCK_MIN = 1024, // rows that are worth a task
    BLOCKS_MAX = 256,
    ROWS_TOGETHER = 64, // rows that are finished together,
    AHEAD = 3,          // rows that are prefetched,
    SPAN = 64,          // and neighbours that are read together
    CACHE_LINE = 64     // bytes
};

// ---- memory ---------------------------------------------------------------------------------------------------------

typedef struct beside {
    uint32_t flag;
    size_t columns, size; // numbers of a neighbour, and bytes of each
} beside;

enum { BESIDES = 3 };

static const beside BESIDE[BESIDES] = {{BP_NEIGHBORS_DISTANCES, 1, sizeof(double)},
                                       {BP_NEIGHBORS_VECTORS, 3, sizeof(double)},
                                       {BP_NEIGHBORS_SHIFTS, 3, sizeof(int32_t)}};

static void take_arrays(const bp_neighbor_images *images, bp_buffer arrays[BESIDES]) {
    void *const data[BESIDES] = {images->distances, images->vectors, images->shifts};
    const size_t capacities[BESIDES] = {images->distance_capacity, images->vector_capacity, images->shift_capacity};
    for (int i = 0; i < BESIDES; ++i) {
        arrays[i] = (bp_buffer){.data = data[i], .bytes = capacities[i] * BESIDE[i].size};
    }
}

static void put_arrays(bp_neighbor_images *images, const bp_buffer arrays[BESIDES]) {
    images->distances = arrays[0].data;
    images->vectors = arrays[1].data;
    images->shifts = arrays[2].data;
    images->distance_capacity = arrays[0].bytes / BESIDE[0].size;
    images->vector_capacity = arrays[1].bytes / BESIDE[1].size;
    images->shift_capacity = arrays[2].bytes / BESIDE[2].size;
}

bool bp_image_rows_reserve(const bp_image_rows *rows, size_t row_count, size_t index_count,
                           const bp_allocator *allocator) {
    bp_buffer old[BESIDES], fresh[BESIDES]; // where the old ones are too small
    bool granted = true;
    take_arrays(rows->result, old);
    for (int i = 0; i < BESIDES; ++i) {
        const size_t needed = bp_size_multiply(bp_size_add(index_count, 1), BESIDE[i].columns), size = BESIDE[i].size;
        fresh[i] = (bp_buffer){0};
        if ((rows->flags & BESIDE[i].flag) != 0) {
            granted &= bp_rows_obtain(&fresh[i], old[i].bytes / size, needed, size, allocator);
        }
    }
    if (!granted || !bp_neighbor_rows_reserve(&rows->result->rows, row_count, index_count, allocator)) {
        granted = false;
    }
    for (int i = 0; i < BESIDES; ++i) {
        if (granted && fresh[i].data != NULL) {
            bp_buffer_swap(&old[i], &fresh[i]);
        }
        bp_buffer_free(&fresh[i], allocator);
    }
    put_arrays(rows->result, old);
    return granted;
}

void bp_image_rows_end(const bp_image_rows *rows, const bp_allocator *allocator) {
    bp_buffer arrays[BESIDES];
    take_arrays(rows->result, arrays);
    for (int i = 0; i < BESIDES; ++i) {
        if ((rows->flags & BESIDE[i].flag) == 0) {
            bp_buffer_free(&arrays[i], allocator);
        }
    }
    put_arrays(rows->result, arrays);
}

void bp_neighbor_images_release(bp_neighbor_images *images, const bp_allocator *allocator) {
    bp_buffer arrays[BESIDES];
    take_arrays(images, arrays);
    bp_neighbor_rows_release(&images->rows, allocator);
    for (int i = 0; i < BESIDES; ++i) {
        bp_buffer_free(&arrays[i], allocator);
    }
    *images = (bp_neighbor_images){0};
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// Some neighbours of a point, and what their codes stand for: behind those of images.h, one for each neighbour whose shift
// is none of these.
typedef struct neighbor_span {
    uint32_t of[SPAN], codes[SPAN];
    double moves[BP_IMAGE_CODES + SPAN][4];
    int32_t steps[BP_IMAGE_CODES + SPAN][4];
} neighbor_span;

static void finish_span(const bp_image_rows *r, uint32_t point, size_t begin, size_t count, neighbor_span *span) {
    const bp_point_images *images = r->images;
    const bp_neighbor_images *to = r->result;
    const double *from = images->given + 3 * (size_t)point;
    uint32_t *row = to->rows.indices + begin;
    const bool are_points = images->id_form == BP_IMAGE_BY_POINT;
    if (are_points || (images->id_form == BP_IMAGE_BY_CODE && images->homes == NULL)) { // all points are in the cell
        const uint32_t bits = are_points ? 0 : BP_IMAGE_CODE_BITS, mask = (1u << BP_IMAGE_CODE_BITS) - 1;
        for (size_t i = 0; i < count; ++i) {
            span->of[i] = row[i] >> bits;
            span->codes[i] = are_points ? BP_IMAGE_CODE_HOME : row[i] & mask;
        }
    } else {
        int32_t home[3];
        bp_image_home(images, point, home);
        for (uint32_t i = 0; i < count; ++i) {
            int32_t *shift = span->steps[BP_IMAGE_CODES + i];
            span->of[i] = bp_image_seen(images, home, row[i], shift);
            const uint32_t x = (uint32_t)shift[0] + 1, y = (uint32_t)shift[1] + 1, z = (uint32_t)shift[2] + 1;
            if (x <= 2 && y <= 2 && z <= 2) {
                span->codes[i] = BP_IMAGE_CODE_X * x + BP_IMAGE_CODE_Y * y + BP_IMAGE_CODE_Z * z;
            } else {
                span->codes[i] = BP_IMAGE_CODES + i;
                bp_image_move(images, shift, span->moves[BP_IMAGE_CODES + i]);
            }
        }
    }
    memcpy(row, span->of, count * sizeof *row);
    const bp_measure_job job = {.points = images->given,
                                .from = {from[0], from[1], from[2]},
                                .of = span->of,
                                .codes = span->codes,
                                .count = count,
                                .moves = (const double(*)[4])span->moves,
                                .steps = (const int32_t(*)[4])span->steps,
                                .distances = (r->flags & BP_NEIGHBORS_DISTANCES) != 0 ? to->distances + begin : NULL,
                                .vectors = (r->flags & BP_NEIGHBORS_VECTORS) != 0 ? to->vectors + 3 * begin : NULL,
                                .shifts = (r->flags & BP_NEIGHBORS_SHIFTS) != 0 ? to->shifts + 3 * begin : NULL};
    r->kernels->measure_near(&job);
}

// A row that is finished soon: where it will be written (rows of points that are near each other lie anywhere), and the points
// that it names.
BP_PREFETCHER prefetch_row(const bp_image_rows *r, uint32_t point) {
    const bp_neighbors *rows = &r->result->rows;
    const size_t begin = rows->offsets[point], end = rows->offsets[point + (size_t)1];
    void *const to[BESIDES] = {r->result->distances, r->result->vectors, r->result->shifts};
    for (int i = 0; i < BESIDES; ++i) {
        const size_t size = BESIDE[i].columns * BESIDE[i].size;
        for (size_t at = begin * size; (r->flags & BESIDE[i].flag) != 0 && at < end * size; at += CACHE_LINE) {
            bp_prefetch_write((const char *)to[i] + at);
        }
    }
    for (size_t i = begin; (r->flags & (BP_NEIGHBORS_DISTANCES | BP_NEIGHBORS_VECTORS)) != 0 && i < end; ++i) {
        bp_prefetch(r->images->given + 3 * (size_t)bp_image_point(r->images, rows->indices[i]));
    }
}

static void measure_rows(const bp_image_rows *r, const uint32_t *points, size_t count) {
    const size_t *offsets = r->result->rows.offsets;
    neighbor_span span;
    memcpy(span.moves, r->images->code_moves, sizeof r->images->code_moves);
    memcpy(span.steps, r->images->code_steps, sizeof r->images->code_steps);
    memset(span.moves + BP_IMAGE_CODES, 0, sizeof span.moves - sizeof r->images->code_moves);
    for (size_t i = 0; i < count; ++i) {
        const size_t end = offsets[points[i] + (size_t)1];
        if (i + AHEAD < count) {
            prefetch_row(r, points[i + AHEAD]);
        }
        for (size_t begin = offsets[points[i]]; begin < end; begin += SPAN) {
            finish_span(r, points[i], begin, end - begin < SPAN ? end - begin : SPAN, &span);
        }
    }
}

void bp_image_rows_finish(const bp_image_rows *r, const uint32_t *points, size_t count) {
    const bp_neighbors *rows = &r->result->rows;
    if (r->flags != 0) {
        measure_rows(r, points, count);
        return;
    }
    const bp_point_image *places = r->images->id_form == BP_IMAGE_BY_PLACE ? r->images->images : NULL;
    const uint32_t bits = r->images->id_form == BP_IMAGE_BY_CODE ? BP_IMAGE_CODE_BITS : 0;
    for (size_t k = 0; k < count; ++k) {
        uint32_t *row = rows->indices + rows->offsets[points[k]];
        const size_t length = rows->offsets[points[k] + (size_t)1] - rows->offsets[points[k]];
        for (size_t i = 0; i < length && places != NULL; ++i) {
            row[i] = places[row[i]].of;
        }
        for (size_t i = 0; i < length && bits > 0; ++i) {
            row[i] >>= bits;
        }
    }
}

typedef struct finish_job {
    const bp_image_rows *rows;
    bp_blocks blocks;
} finish_job;

static void task_finish_rows(void *context, size_t block) {
    const finish_job *j = context;
    const size_t end = bp_block_begin(j->blocks, block + 1);
    uint32_t points[ROWS_TOGETHER];
    for (size_t begin = bp_block_begin(j->blocks, block); begin < end; begin += ROWS_TOGETHER) {
        const size_t count = end - begin < ROWS_TOGETHER ? end - begin : ROWS_TOGETHER;
        for (size_t i = 0; i < count; ++i) {
            points[i] = (uint32_t)(begin + i);
        }
        bp_image_rows_finish(j->rows, points, count);
    }
}

void bp_image_rows_finish_all(const bp_image_rows *rows, const bp_executor *executor) {
    finish_job j = {.rows = rows};
    j.blocks = bp_blocks_cut(executor, rows->images->count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(executor, j.blocks.count, task_finish_rows, &j);
}
