#include "neighbors/point_images.h"

#include "base/cells.h"
#include "base/log.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { BLOCK_LEAST = 4096, BLOCKS_MAX = 64 };

static const double FARTHEST = 0x1p29;        // in cells: shifts are 32 bits
static const double UNCERTAIN_MOST = 0x1p-10; // of a cell

// How points become images.
typedef struct image_plan {
    double duals[3][3]; // of edges that repeat: the fraction of a point is its product with them
    double reach[3];    // how far images lie outside of the cell, in cells; the others: not at all
    bool periodic[3];
    double edges[3][3];
} image_plan;

typedef struct image_maker {
    image_plan plan;
    const double *given;
    bp_blocks blocks;
    size_t ghosts[BLOCKS_MAX + 1]; // of each block: how many, then where they begin
    double *points;
    bp_point_image *images;
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

// Any direction across another.
static void across(const double a[3], double result[3]) {
    int least = 0;
    for (int i = 1; i < 3; ++i) {
        least = fabs(a[i]) < fabs(a[least]) ? i : least;
    }
    double axis[3] = {0.0, 0.0, 0.0};
    axis[least] = 1.0;
    cross(a, axis, result);
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
            across(edges[repeats], edges[edge]);
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

static double farthest_coordinate(const double *given, size_t count) {
    double farthest = 0.0;
    for (size_t i = 0; i < 3 * count; ++i) {
        const double size = fabs(given[i]);
        farthest = size > farthest ? size : farthest;
    }
    return farthest;
}

// The plan for a cell, and how far images may be from where they should be.
static bp_status plan_images(image_plan *plan, bp_point_images *images, double radius, const bp_runtime *runtime) {
    double edges[3][3];
    memcpy(edges, plan->edges, sizeof edges);
    replace_edges(plan->periodic, edges);
    const double excess = make_duals(edges, plan->duals), farthest = farthest_coordinate(images->given, images->count);
    double rounding = farthest;
    for (int edge = 0; edge < 3; ++edge) {
        if (!plan->periodic[edge]) {
            continue;
        }
        const double cells = 3.0 * length(plan->duals[edge]) * farthest; // at most so many away
        const double uncertain = 0x1p-46 * excess * (cells + 1.0);
        plan->reach[edge] = radius * length(plan->duals[edge]) * (1.0 + 0x1p-40) + uncertain + 0x1p-40;
        rounding += (cells + plan->reach[edge] + 2.0) * length(plan->edges[edge]);
        if (!(uncertain <= UNCERTAIN_MOST)) {
            return refuse_lattice(runtime,
                                  "lattice.cell: its edges are not finite, or lie nearly in one plane, or points "
                                  "are too many cells away");
        }
        if (!(cells + plan->reach[edge] < FARTHEST)) {
            return refuse_lattice(runtime, "lattice.cell: points, or the radius, reach too many cells away");
        }
    }
    images->rounding = 0x1p-48 * rounding;
    return BP_OK;
}

// ---- images ---------------------------------------------------------------------------------------------------------

// The images of one point: a block of cells around the one that it belongs in.
typedef struct image_block {
    int32_t home[3], first[3], last[3];
} image_block;

static image_block block_of(const image_plan *plan, const double point[3]) {
    image_block b = {{0}, {0}, {0}};
    for (int edge = 0; edge < 3; ++edge) {
        if (!plan->periodic[edge]) {
            continue;
        }
        const double fraction = dot(plan->duals[edge], point), whole = bp_floor(fraction), inside = fraction - whole;
        b.home[edge] = -(int32_t)whole;
        b.first[edge] = -(int32_t)bp_floor(plan->reach[edge] + inside);
        b.last[edge] = (int32_t)bp_floor(1.0 + plan->reach[edge] - inside);
    }
    return b;
}

static double images_in_block(const image_block *b) {
    double count = 1.0;
    for (int edge = 0; edge < 3; ++edge) {
        count *= (double)b->last[edge] - (double)b->first[edge] + 1.0;
    }
    return count;
}

static void put_image(const image_maker *m, size_t place, uint32_t of, const int32_t shift[3]) {
    const double *given = m->given + 3 * (size_t)of;
    m->images[place] =
        (bp_point_image){.given = {given[0], given[1], given[2]}, .of = of, .shift = {shift[0], shift[1], shift[2]}};
    for (int axis = 0; axis < 3; ++axis) {
        double moved = 0.0;
        for (int edge = 0; edge < 3; ++edge) {
            moved += (double)shift[edge] * m->plan.edges[edge][axis];
        }
        m->points[3 * place + (size_t)axis] = given[axis] + moved;
    }
}

// All images but the one in the cell, ascending by shift.
static size_t put_ghosts(const image_maker *m, size_t place, uint32_t of, const image_block *b) {
    for (int32_t x = b->first[0]; x <= b->last[0]; ++x) {
        for (int32_t y = b->first[1]; y <= b->last[1]; ++y) {
            for (int32_t z = b->first[2]; z <= b->last[2]; ++z) {
                const int32_t shift[3] = {b->home[0] + x, b->home[1] + y, b->home[2] + z};
                if (x != 0 || y != 0 || z != 0) {
                    put_image(m, place++, of, shift);
                }
            }
        }
    }
    return place;
}

static void task_count_ghosts(void *context, size_t block) {
    image_maker *m = context;
    double count = 0.0;
    for (size_t i = bp_block_begin(m->blocks, block); i < bp_block_begin(m->blocks, block + 1); ++i) {
        const image_block b = block_of(&m->plan, m->given + 3 * i);
        count += images_in_block(&b) - 1.0;
    }
    m->ghosts[block] = count < (double)BP_MAX_COUNT ? (size_t)count : BP_MAX_COUNT;
}

static void task_put_images(void *context, size_t block) {
    const image_maker *m = context;
    size_t place = m->blocks.item_count + m->ghosts[block];
    for (size_t i = bp_block_begin(m->blocks, block); i < bp_block_begin(m->blocks, block + 1); ++i) {
        const image_block b = block_of(&m->plan, m->given + 3 * i);
        put_image(m, i, (uint32_t)i, b.home);
        place = put_ghosts(m, place, (uint32_t)i, &b);
    }
}

// From how many there are in each block to where they begin; returns how many there are.
static size_t sum_up_ghosts(image_maker *m) {
    size_t sum = 0;
    for (size_t block = 0; block < m->blocks.count; ++block) {
        const size_t count = m->ghosts[block];
        m->ghosts[block] = sum;
        sum = bp_size_add(sum, count);
    }
    return sum;
}

static bp_status put_all_images(bp_point_images *images, const image_plan *plan, const bp_runtime *runtime) {
    image_maker m = {.plan = *plan, .given = images->given};
    m.blocks = bp_blocks_cut(&runtime->executor, images->count, BLOCK_LEAST, BLOCKS_MAX);
    bp_parallel_for(&runtime->executor, m.blocks.count, task_count_ghosts, &m);
    const size_t count = bp_size_add(images->count, sum_up_ghosts(&m));
    if (count >= BP_MAX_COUNT) {
        return refuse_lattice(runtime, "lattice.cell: the radius reaches so many cells that there are too many images");
    }
    if (!bp_buffer_reserve(&images->point_buffer, &runtime->allocator, 0, bp_size_multiply(count, 3), sizeof(double)) ||
        !bp_buffer_reserve(&images->image_buffer, &runtime->allocator, 0, count, sizeof(bp_point_image))) {
        return BP_ERROR_MEMORY;
    }
    m.points = images->point_buffer.data;
    m.images = images->image_buffer.data;
    bp_parallel_for(&runtime->executor, m.blocks.count, task_put_images, &m);
    images->points = (bp_points){.doubles = m.points, .count = count, .is_double = true};
    images->images = m.images;
    return BP_OK;
}

// ---- all together ---------------------------------------------------------------------------------------------------

// The points as doubles with a z of 0 in two dimensions: the caller's own array where it is that.
static bool take_points(bp_point_images *images, const bp_points *points, uint32_t dimensions,
                        const bp_allocator *allocator) {
    images->given = points->doubles;
    images->count = points->count;
    if (!points->is_double || dimensions == 2) {
        if (!bp_buffer_reserve(&images->given_buffer, allocator, 0, 3 * points->count + 1, sizeof(double))) {
            return false;
        }
        double *copy = images->given_buffer.data;
        for (size_t i = 0; i < 3 * points->count; ++i) {
            const double value = points->is_double ? points->doubles[i] : (double)points->floats[i];
            copy[i] = dimensions == 2 && i % 3 == 2 ? 0.0 : value;
        }
        images->given = copy;
    }
    images->points = (bp_points){.doubles = images->given, .count = points->count, .is_double = true};
    return true;
}

static bp_status check_points(const bp_point_images *images, const bp_runtime *runtime) {
    for (size_t i = 0; i < images->count; ++i) {
        const double *p = images->given + 3 * i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            bp_log_write(&runtime->log, "point %zu is not finite: (%g, %g, %g)", i, p[0], p[1], p[2]);
            return BP_ERROR_BOX;
        }
    }
    return BP_OK;
}

bp_status bp_point_images_make(bp_point_images *images, const bp_lattice *lattice, uint32_t dimensions,
                               const bp_points *points, double radius, const bp_runtime *runtime) {
    image_plan plan = {.periodic = {false}};
    bool any = false;
    for (int edge = 0; lattice != NULL && edge < 3; ++edge) {
        plan.periodic[edge] = lattice->periodic[edge] != 0;
        any |= plan.periodic[edge];
        for (int axis = 0; axis < 3 && plan.periodic[edge]; ++axis) {
            plan.edges[edge][axis] = dimensions == 2 && axis == 2 ? 0.0 : lattice->cell[edge][axis];
        }
    }
    if (dimensions == 2 && plan.periodic[2]) {
        return refuse_lattice(runtime, "lattice.periodic: in two dimensions the third edge cannot repeat");
    }
    if (!take_points(images, points, dimensions, &runtime->allocator)) {
        return BP_ERROR_MEMORY;
    }
    memcpy(images->edges, plan.edges, sizeof images->edges);
    bp_status status = check_points(images, runtime);
    if (status == BP_OK && any) {
        status = plan_images(&plan, images, radius, runtime);
    }
    return status == BP_OK && any ? put_all_images(images, &plan, runtime) : status;
}

void bp_point_images_free(bp_point_images *images, const bp_allocator *allocator) {
    bp_buffer_free(&images->given_buffer, allocator);
    bp_buffer_free(&images->point_buffer, allocator);
    bp_buffer_free(&images->image_buffer, allocator);
}
