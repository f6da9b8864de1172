#include "neighbors/point_images.h"

#include "base/cells.h"
#include "base/log.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { BLOCK_MIN = 4096, BLOCKS_MAX = 64 }; // points that are worth a task; tasks

static const double FARTHEST = 0x1p29;       // in cells: shifts are 32 bits
static const double UNCERTAIN_MAX = 0x1p-10; // of a cell

typedef struct image_maker {
    bp_point_images *images;
    bp_blocks blocks;
    double farthest[BLOCKS_MAX];   // of each block: the farthest coordinate, or NaN if one is not finite
    size_t counts[BLOCKS_MAX + 1]; // of each block: how many images, then where they begin
    double *points;
    bp_point_image *list;
    uint32_t *image_ids; // or places
    int32_t *homes;
    bool moved[BLOCKS_MAX]; // of each block: a home is not 0
} image_maker;

// ---- geometry -------------------------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double length(const double a[3]) {
    return sqrt(dot(a, a));
}

static void scale_to_one(double a[3]) {
    const double size = length(a);
    for (int i = 0; i < 3; ++i) {
        a[i] /= size;
    }
}

// In place of edges that do not repeat: directions across those that do.
static void replace_edges(const bool periodic[3], double edges[3][3]) {
    for (int edge = 0; edge < 3; ++edge) {
        const int next = (edge + 1) % 3, last = (edge + 2) % 3;
        if (periodic[edge]) {
            continue;
        }
        if (periodic[next] && periodic[last]) {
            cross(edges[next], edges[last], edges[edge]);
        } else if (periodic[next] || periodic[last]) {
            const int repeats = periodic[next] ? next : last, other = periodic[next] ? last : next;
            const double *a = edges[repeats]; // any direction across it
            double axis[3] = {0.0, 0.0, 0.0};
            int least = 0;
            for (int i = 1; i < 3; ++i) {
                least = fabs(a[i]) < fabs(a[least]) ? i : least;
            }
            axis[least] = 1.0;
            cross(a, axis, edges[edge]);
            cross(edges[repeats], edges[edge], edges[other]);
            scale_to_one(edges[other]);
        }
        scale_to_one(edges[edge]);
        if (!(periodic[next] && periodic[last])) {
            return; // both are replaced
        }
    }
}

// Returns how much longer edges are than they need to be for the volume of the cell: infinite for a flat one.
static double make_duals(double edges[3][3], double duals[3][3]) {
    double factor = 1.0;
    cross(edges[1], edges[2], duals[0]);
    const double volume = dot(edges[0], duals[0]);
    for (int edge = 0; edge < 3; ++edge) {
        cross(edges[(edge + 1) % 3], edges[(edge + 2) % 3], duals[edge]);
        factor *= length(edges[edge]);
        for (int axis = 0; axis < 3; ++axis) {
            duals[edge][axis] /= volume;
        }
    }
    return factor / fabs(volume);
}

static bp_status refuse_lattice(const bp_runtime *runtime, const char *what) {
    bp_log_write(&runtime->log, "%s", what);
    return BP_ERROR_ARGUMENT;
}

// What images need, and how far they may be from where they should be.
static bp_status plan_images(bp_point_images *images, double radius, const bp_runtime *runtime) {
    double edges[3][3];
    memcpy(edges, images->edges, sizeof edges);
    replace_edges(images->periodic, edges);
    const double excess = make_duals(edges, images->duals);
    double rounding = images->farthest;
    for (int edge = 0; edge < 3; ++edge) {
        if (!images->periodic[edge]) {
            continue;
        }
        const double cells = 3.0 * length(images->duals[edge]) * images->farthest; // at most so many away
        const double uncertain = 0x1p-46 * excess * (cells + 1.0);
        images->reach[edge] = radius * length(images->duals[edge]) * (1.0 + 0x1p-40) + uncertain + 0x1p-40;
        rounding += (cells + images->reach[edge] + 2.0) * length(images->edges[edge]);
        if (!(uncertain <= UNCERTAIN_MAX)) {
            return refuse_lattice(runtime,
                                  "lattice.cell: its edges are not finite, or lie nearly in one plane, or points "
                                  "are too many cells away");
        }
        if (!(cells + images->reach[edge] < FARTHEST)) {
            return refuse_lattice(runtime, "lattice.cell: points, or the radius, reach too many cells away");
        }
    }
    images->rounding = 0x1p-48 * rounding;
    return BP_OK;
}

// ---- images by code -------------------------------------------------------------------------------------------------

// As the grid moves points into the period.
static void task_put_homes(void *context, size_t block) {
    image_maker *m = context;
    const bp_point_images *images = m->images;
    const double *period = images->period;
    const double per_length[3] = {period[0] > 0.0 ? 1.0 / period[0] : 0.0, period[1] > 0.0 ? 1.0 / period[1] : 0.0,
                                  period[2] > 0.0 ? 1.0 / period[2] : 0.0};
    uint32_t moved = 0;
    for (size_t i = bp_block_begin(m->blocks, block); i < bp_block_begin(m->blocks, block + 1); ++i) {
        for (size_t axis = 0; axis < 3; ++axis) {
            const int32_t home = -(int32_t)bp_floor(images->given[3 * i + axis] * per_length[axis]);
            m->homes[3 * i + axis] = home;
            moved |= (uint32_t)home;
        }
    }
    m->moved[block] = moved != 0;
}

static bool any_moved(const image_maker *m) {
    bool moved = false;
    for (size_t block = 0; block < m->blocks.count; ++block) {
        moved |= m->moved[block];
    }
    return moved;
}

bool bp_point_images_have_codes(const bp_point_images *images) {
    return images->reach[0] < 1.0 && images->reach[1] < 1.0 && images->reach[2] < 1.0 &&
           images->count < (size_t)1 << (32 - BP_IMAGE_CODE_BITS);
}

bp_status bp_point_images_wrap(bp_point_images *images, double radius, const bp_runtime *runtime, bool *served) {
    *served = bp_point_images_have_codes(images);
    for (int edge = 0; edge < 3; ++edge) { // along the axes, and three radii long
        for (int axis = 0; axis < 3 && images->periodic[edge]; ++axis) {
            const double along = images->edges[edge][axis];
            *served &= axis == edge ? along >= 3.0 * radius : along == 0.0;
        }
    }
    if (!*served) {
        return BP_OK;
    }
    if (!bp_buffer_reserve(&images->home_buffer, &runtime->allocator, 0, 3 * images->count, sizeof(int32_t))) {
        return BP_ERROR_MEMORY;
    }
    for (int axis = 0; axis < 3; ++axis) {
        images->period[axis] = images->periodic[axis] ? images->edges[axis][axis] : 0.0;
    }
    image_maker m = {.images = images, .homes = images->home_buffer.data};
    m.blocks = bp_blocks_cut(&runtime->executor, images->count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, m.blocks.count, task_put_homes, &m);
    images->homes = any_moved(&m) ? m.homes : NULL;
    images->id_form = BP_IMAGE_BY_CODE;
    return BP_OK;
}

// ---- copies ---------------------------------------------------------------------------------------------------------

// The images of one point: a cuboid of cells around the one that it belongs in.
typedef struct cell_cuboid {
    int32_t home[3], first[3], last[3];
} cell_cuboid;

static cell_cuboid cuboid_of(const bp_point_images *images, const double point[3]) {
    cell_cuboid b = {{0}, {0}, {0}};
    for (int edge = 0; edge < 3; ++edge) {
        if (!images->periodic[edge]) {
            continue;
        }
        const double fraction = dot(images->duals[edge], point), whole = bp_floor(fraction), inside = fraction - whole;
        b.home[edge] = -(int32_t)whole;
        b.first[edge] = -(int32_t)bp_floor(images->reach[edge] + inside);
        b.last[edge] = (int32_t)bp_floor(1.0 + images->reach[edge] - inside);
    }
    return b;
}

static void task_count_images(void *context, size_t block) {
    image_maker *m = context;
    double count = 0.0;
    for (size_t i = bp_block_begin(m->blocks, block); i < bp_block_begin(m->blocks, block + 1); ++i) {
        const cell_cuboid b = cuboid_of(m->images, m->images->given + 3 * i);
        double here = 1.0;
        for (int edge = 0; edge < 3; ++edge) {
            here *= (double)b.last[edge] - (double)b.first[edge] + 1.0;
        }
        count += here;
    }
    m->counts[block] = count < (double)BP_MAX_COUNT ? (size_t)count : BP_MAX_COUNT;
}

// An image that is so many cells from the cell: where it is, and its id.
static void put_image(const image_maker *m, size_t place, uint32_t of, const int32_t home[3], const int32_t steps[3]) {
    const double *given = m->images->given + 3 * (size_t)of;
    const int32_t shift[3] = {home[0] + steps[0], home[1] + steps[1], home[2] + steps[2]};
    double move[3];
    bp_image_move(m->images, shift, move);
    for (size_t axis = 0; axis < 3; ++axis) {
        m->points[3 * place + axis] = given[axis] + move[axis];
    }
    if (m->list == NULL) {
        const int32_t code = BP_IMAGE_CODE_HOME + BP_IMAGE_CODE_X * steps[0] + BP_IMAGE_CODE_Y * steps[1] + steps[2];
        m->image_ids[place] = of << BP_IMAGE_CODE_BITS | (uint32_t)code;
        return;
    }
    m->list[place] = (bp_point_image){.of = of, .shift = {shift[0], shift[1], shift[2]}};
    if (steps[0] == 0 && steps[1] == 0 && steps[2] == 0) {
        m->image_ids[of] = (uint32_t)place;
    }
}

static void task_put_images(void *context, size_t block) {
    image_maker *m = context;
    size_t place = m->counts[block];
    uint32_t moved = 0;
    for (size_t i = bp_block_begin(m->blocks, block); i < bp_block_begin(m->blocks, block + 1); ++i) {
        const cell_cuboid b = cuboid_of(m->images, m->images->given + 3 * i);
        int32_t steps[3];
        for (steps[0] = b.first[0]; steps[0] <= b.last[0]; ++steps[0]) { // ascending by shift
            for (steps[1] = b.first[1]; steps[1] <= b.last[1]; ++steps[1]) {
                for (steps[2] = b.first[2]; steps[2] <= b.last[2]; ++steps[2]) {
                    put_image(m, place++, (uint32_t)i, b.home, steps);
                }
            }
        }
        moved |= (uint32_t)(b.home[0] | b.home[1] | b.home[2]);
        if (m->homes != NULL) {
            memcpy(m->homes + 3 * i, b.home, sizeof b.home);
        }
    }
    m->moved[block] = moved != 0;
}

bp_status bp_point_images_copy(bp_point_images *images, bp_image_id_form id_form, const bp_runtime *runtime) {
    const bool by_code = id_form == BP_IMAGE_BY_CODE;
    image_maker m = {.images = images};
    m.blocks = bp_blocks_cut(&runtime->executor, images->count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, m.blocks.count, task_count_images, &m);
    size_t count = 0; // of all blocks; each gets where its images begin
    for (size_t block = 0; block < m.blocks.count; ++block) {
        const size_t here = m.counts[block];
        m.counts[block] = count;
        count = bp_size_add(count, here);
    }
    if (count >= BP_MAX_COUNT) {
        return refuse_lattice(runtime, "lattice.cell: the radius reaches so many cells that there are too many images");
    }
    const bp_allocator *allocator = &runtime->allocator;
    const size_t image_ids = by_code ? count : images->count;
    if (!bp_buffer_reserve(&images->point_buffer, allocator, 0, bp_size_multiply(count, 3), sizeof(double)) ||
        !bp_buffer_reserve(&images->id_buffer, allocator, 0, image_ids, sizeof(uint32_t)) ||
        (by_code && !bp_buffer_reserve(&images->home_buffer, allocator, 0, 3 * images->count, sizeof(int32_t))) ||
        (!by_code && !bp_buffer_reserve(&images->image_buffer, allocator, 0, count, sizeof(bp_point_image)))) {
        return BP_ERROR_MEMORY;
    }
    m.points = images->point_buffer.data;
    m.image_ids = images->id_buffer.data;
    m.homes = by_code ? images->home_buffer.data : NULL;
    m.list = by_code ? NULL : images->image_buffer.data;
    bp_parallel_for(&runtime->executor, m.blocks.count, task_put_images, &m);
    images->id_form = id_form;
    images->copied = true;
    images->points = (bp_points){.doubles = m.points, .count = count, .is_double = true};
    images->homes = any_moved(&m) ? m.homes : NULL;
    images->images = m.list;
    images->image_ids = by_code ? m.image_ids : NULL;
    images->places = by_code ? NULL : m.image_ids;
    memset(images->period, 0, sizeof images->period);
    return BP_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void task_survey_points(void *context, size_t block) {
    image_maker *m = context;
    const double *given = m->images->given;
    double farthest = 0.0, invalid = 0.0; // NaN if a coordinate is not finite
    for (size_t i = 3 * bp_block_begin(m->blocks, block); i < 3 * bp_block_begin(m->blocks, block + 1); ++i) {
        const double size = fabs(given[i]);
        farthest = size > farthest ? size : farthest;
        invalid += given[i] * 0.0;
    }
    m->farthest[block] = farthest + invalid;
}

bp_status bp_point_images_begin(bp_point_images *images, const bp_lattice *lattice, uint32_t dimensions,
                                const bp_points *points, double radius, const bp_runtime *runtime) {
    for (int edge = 0; lattice != NULL && edge < 3; ++edge) {
        images->periodic[edge] = lattice->periodic[edge] != 0;
        for (int axis = 0; axis < 3 && images->periodic[edge]; ++axis) {
            images->edges[edge][axis] = dimensions == 2 && axis == 2 ? 0.0 : lattice->cell[edge][axis];
        }
    }
    if (dimensions == 2 && images->periodic[2]) {
        return refuse_lattice(runtime, "lattice.periodic: in two dimensions the third edge cannot repeat");
    }
    for (uint32_t code = 0; code < BP_IMAGE_CODES; ++code) {
        int32_t *steps = images->code_steps[code];
        steps[0] = (int32_t)(code / BP_IMAGE_CODE_X) - 1;
        steps[1] = (int32_t)(code / BP_IMAGE_CODE_Y % 3) - 1;
        steps[2] = (int32_t)(code % 3) - 1;
        bp_image_move(images, steps, images->code_moves[code]);
    }
    images->given = points->doubles; // with a z of 0 in two dimensions: the caller's own array where it is that
    images->count = points->count;
    if (!points->is_double || dimensions == 2) {
        if (!bp_buffer_reserve(&images->given_buffer, &runtime->allocator, 0, 3 * points->count + 1, sizeof(double))) {
            return BP_ERROR_MEMORY;
        }
        double *copy = images->given_buffer.data;
        for (size_t i = 0; i < 3 * points->count; ++i) {
            const double value = points->is_double ? points->doubles[i] : (double)points->floats[i];
            copy[i] = dimensions == 2 && i % 3 == 2 ? 0.0 : value;
        }
        images->given = copy;
    }
    image_maker m = {.images = images};
    bool valid = true;
    images->farthest = 0.0;
    m.blocks = bp_blocks_cut(&runtime->executor, images->count, BLOCK_MIN, BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, m.blocks.count, task_survey_points, &m);
    for (size_t block = 0; block < m.blocks.count; ++block) {
        valid &= !isnan(m.farthest[block]);
        images->farthest = m.farthest[block] > images->farthest ? m.farthest[block] : images->farthest;
    }
    size_t wrong = 0;
    while (!valid && isfinite(images->given[wrong])) {
        ++wrong;
    }
    if (!valid) {
        const double *p = images->given + wrong / 3 * 3;
        bp_log_write(&runtime->log, "point %zu is not finite: (%g, %g, %g)", wrong / 3, p[0], p[1], p[2]);
        return BP_ERROR_BOX;
    }
    images->points = (bp_points){.doubles = images->given, .count = images->count, .is_double = true};
    return bp_point_images_repeat(images) ? plan_images(images, radius, runtime) : BP_OK;
}

void bp_point_images_free(bp_point_images *images, const bp_allocator *allocator) {
    bp_buffer *const buffers[] = {&images->given_buffer, &images->home_buffer, &images->point_buffer,
                                  &images->image_buffer, &images->id_buffer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
}
