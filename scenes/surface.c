#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"

// ---------------------------------------------------------------------------------------------------------------------
// Vertices and triangles

static bool grow(void **data, size_t *room, size_t size) {
    const size_t wanted = *room ? 2 * *room : 256;
    void *moved = wanted < SIZE_MAX / size ? realloc(*data, wanted * size) : NULL;
    if (moved) {
        *data = moved;
        *room = wanted;
    }
    return moved != NULL;
}

static void add_vertex(surface *self, double x, double y, double z) {
    if (self->vertex_count == self->vertex_room && !self->is_short_of_memory) {
        void *rest = self->rest;
        self->is_short_of_memory = !grow(&rest, &self->vertex_room, sizeof *self->rest);
        self->rest = rest;
    }
    if (!self->is_short_of_memory) {
        double *vertex = self->rest[self->vertex_count++];
        vertex[0] = x;
        vertex[1] = y;
        vertex[2] = z;
    }
}

static void add_triangle(surface *self, size_t a, size_t b, size_t c) {
    if (self->triangle_count == self->triangle_room && !self->is_short_of_memory) {
        void *triangles = self->triangles;
        self->is_short_of_memory = !grow(&triangles, &self->triangle_room, sizeof *self->triangles);
        self->triangles = triangles;
    }
    if (!self->is_short_of_memory) {
        uint32_t *triangle = self->triangles[self->triangle_count++];
        triangle[0] = (uint32_t)a;
        triangle[1] = (uint32_t)b;
        triangle[2] = (uint32_t)c;
    }
}

surface *surface_begin(scene *self, void (*pose)(surface *), uint32_t relief_dimensions, double relief_height) {
    self->surface = calloc(1, sizeof *self->surface);
    if (self->surface) {
        self->surface->pose = pose;
        self->surface->relief = relief_draw(&self->random, relief_dimensions, relief_height);
    }
    return self->surface;
}

void surface_free(surface *self) {
    if (self) {
        free(self->rest);
        free(self->vertices);
        free(self->triangles);
        free(self->things);
        free(self);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

// Rows 0 .. strips; both ends have `end_edges` edges, and all between them `inner_edges` together.
typedef struct row_plan {
    size_t strips, end_edges, inner_edges;
    double end; // of a ball; 0: a sheet
} row_plan;

typedef struct row {
    size_t first, edges; // its first vertex
    bool is_closed;
} row;

// The share of a surface that lies before a place, 0 .. 1, among its rows.
static double share_before(const row_plan *plan, double place) {
    return plan->end > 0 ? 1 - sine_of_turns(plan->end * place + 0.25) : place;
}

// Edges of the inner rows before a row, one each kept aside so that none is empty.
static size_t edges_before(const row_plan *plan, size_t index) {
    const double each = 1 / (double)plan->strips;
    const double low = share_before(plan, each / 2), high = share_before(plan, 1 - each / 2);
    const double here = share_before(plan, ((double)index - 0.5) * each);
    const size_t spare = plan->inner_edges - (plan->strips - 1);
    return (size_t)floor((double)spare * ((here - low) / (high - low)) + 0.5) + index - 1;
}

static size_t edges_of_row(const row_plan *plan, size_t index) {
    return index == 0 || index == plan->strips ? plan->end_edges
                                               : edges_before(plan, index + 1) - edges_before(plan, index);
}

// A vertex as far off its regular place as leaves the triangles upright; poles and ends stay.
static double jitter(rng *random) {
    return 0.6 * (rng_unit(random) - 0.5);
}

static row add_row(surface *self, const row_plan *plan, size_t index, rng *random) {
    const bool is_closed = plan->end > 0;
    const row added = {self->vertex_count, edges_of_row(plan, index), is_closed};
    const bool is_inner = index > 0 && index < plan->strips;
    const size_t vertices = is_closed && added.edges ? added.edges : added.edges + 1;
    for (size_t i = 0; i < vertices; ++i) {
        const double along = (double)i + (is_closed || (i > 0 && i < added.edges) ? jitter(random) : 0);
        const double across = (double)index + (is_inner ? jitter(random) : 0);
        add_vertex(self, added.edges ? along / (double)added.edges : 0.5, across / (double)plan->strips, 0);
    }
    return added;
}

static size_t vertex_of(const row *r, size_t index) {
    return r->first + (r->is_closed && r->edges ? index % r->edges : index);
}

// Goes along both rows at once, with the one that is behind.
static void add_strip(surface *self, const row *low, const row *high) {
    size_t i = 0, k = 0;
    while (i < low->edges || k < high->edges) {
        const bool goes_low = k == high->edges || (i < low->edges && (i + 1) * high->edges <= (k + 1) * low->edges);
        if (goes_low) {
            add_triangle(self, vertex_of(low, i), vertex_of(low, i + 1), vertex_of(high, k));
            ++i;
        } else {
            add_triangle(self, vertex_of(low, i), vertex_of(high, k + 1), vertex_of(high, k));
            ++k;
        }
    }
}

// An odd number of triangles leaves one, which crosses the surface.
static void add_rows(surface *self, size_t count, const row_plan *plan, rng *random) {
    const size_t wanted = self->triangle_count + count, first = self->vertex_count;
    row low = add_row(self, plan, 0, random);
    for (size_t i = 1; i <= plan->strips; ++i) {
        const row high = add_row(self, plan, i, random);
        add_strip(self, &low, &high);
        low = high;
    }
    while (self->triangle_count < wanted && !self->is_short_of_memory) {
        add_triangle(self, first, (first + self->vertex_count) / 2, self->vertex_count - 1);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Sheets, balls, patches

static size_t at_least(size_t value, size_t least) {
    return value > least ? value : least;
}

void surface_add_sheet(surface *self, size_t count, double ratio, rng *random) {
    const size_t strips = at_least((size_t)sqrt((double)count / 2 * ratio), 1);
    const size_t end_edges = count / (2 * strips);
    const size_t inner_edges = strips > 1 ? (count - 2 * end_edges) / 2 : 0;
    add_rows(self, count, &(row_plan){strips, end_edges, inner_edges, 0}, random);
}

// Rows of triangles as high as wide: with edges of e, rows are 0.87 e apart, and the 2 pi / 0.87 e^2 * (1 - cos(end))
// edges in all are half of the triangles.
void surface_add_ball(surface *self, size_t count, double end, rng *random) {
    const size_t first = self->vertex_count, inner_edges = count / 2;
    const double edge = sqrt(TURN / 0.87 * (1 - sine_of_turns(end + 0.25)) / ((double)count / 2));
    const size_t rows = (size_t)(TURN * end / (0.87 * edge));
    const size_t strips = inner_edges ? at_least(rows < inner_edges ? rows : inner_edges, 2) : 1;
    add_rows(self, count, &(row_plan){strips, 0, inner_edges, end}, random);
    for (size_t i = first; i < self->vertex_count; ++i) {
        double *vertex = self->rest[i];
        const double around = vertex[0], down = i + 1 < self->vertex_count ? end * vertex[1] : 0.5;
        const double wide = sine_of_turns(down);
        vertex[0] = wide * sine_of_turns(around + 0.25);
        vertex[1] = wide * sine_of_turns(around);
        vertex[2] = sine_of_turns(down + 0.25);
    }
}

// Corners up to 16 edges apart, both ways: one box in a thousand that holds hundreds of others.
static void add_patches(surface *self, size_t count, size_t first, size_t across, rng *random) {
    const size_t eighth = across / 8, reach = eighth < 16 ? eighth : 16;
    const size_t room = self->vertex_count - first - reach * across;
    for (size_t i = 0; i < count && !self->is_short_of_memory; ++i) {
        const size_t at = first + rng_below(random, (uint32_t)room);
        add_triangle(self, at, at + reach, at + reach * across);
    }
}

void surface_add_uneven_sheet(surface *self, size_t count, double ratio, double a, rng *random) {
    const size_t first = self->vertex_count, patches = count / 1000, regular = count - patches;
    surface_add_sheet(self, regular, ratio, random);
    for (size_t i = first; i < self->vertex_count; ++i) {
        for (size_t axis = 0; axis < 2; ++axis) {
            self->rest[i][axis] += a / TURN * sine_of_turns(self->rest[i][axis]);
        }
    }
    add_patches(self, patches, first, (size_t)sqrt((double)regular / 2 / ratio), random);
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

void surface_boxes(const surface *self, bp_box *boxes) {
    for (size_t i = 0; i < self->triangle_count; ++i) {
        const float *a = self->vertices[self->triangles[i][0]];
        const float *b = self->vertices[self->triangles[i][1]];
        const float *c = self->vertices[self->triangles[i][2]];
        for (size_t axis = 0; axis < 3; ++axis) {
            const float low = a[axis] < b[axis] ? a[axis] : b[axis];
            const float high = a[axis] < b[axis] ? b[axis] : a[axis];
            boxes[i].min[axis] = c[axis] < low ? c[axis] : low;
            boxes[i].max[axis] = c[axis] > high ? c[axis] : high;
        }
    }
}

static double corner_distance(const surface *self, const uint32_t triangle[3]) {
    double longest = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        for (size_t corner = 0; corner < 3; ++corner) {
            const float *a = self->vertices[triangle[corner]], *b = self->vertices[triangle[(corner + 1) % 3]];
            const double distance = fabs((double)a[axis] - (double)b[axis]);
            longest = distance > longest ? distance : longest;
        }
    }
    return longest;
}

static double mean_edge(const surface *self) {
    double sum = 0;
    for (size_t i = 0; i < self->triangle_count; ++i) {
        sum += corner_distance(self, self->triangles[i]);
    }
    return sum / (double)self->triangle_count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps

static double largest_move(const surface *self, float (*before)[3]) {
    double largest = 0;
    for (size_t i = 0; i < self->vertex_count; ++i) {
        double square = 0;
        for (size_t axis = 0; axis < 3; ++axis) {
            const double move = (double)self->vertices[i][axis] - (double)before[i][axis];
            square += move * move;
        }
        largest = square > largest ? square : largest;
    }
    return sqrt(largest);
}

// How far the fastest vertex moves in a turn, at the speed that it has at some times. Waves are fast at different times.
static double speed_of(surface *self, float (*before)[3]) {
    enum { TIMES = 4 };
    const double moment = 0x1p-10;
    double speed = 0;
    self->pose(self);
    for (size_t i = TIMES; i-- > 0;) {
        self->turns = (double)i / TIMES + moment;
        self->pose(self);
        memcpy(before, self->vertices, self->vertex_count * sizeof *before);
        self->turns = (double)i / TIMES;
        self->pose(self);
        const double here = largest_move(self, before) / moment;
        speed = here > speed ? here : speed;
    }
    return speed;
}

const char *surface_end(scene *self, double motion) {
    surface *made = self->surface;
    float(*before)[3] = NULL;
    if (made && !made->is_short_of_memory) {
        made->vertices = calloc(made->vertex_count, sizeof *made->vertices);
        before = calloc(made->vertex_count, sizeof *before);
    }
    if (!made || !made->vertices || !before) {
        free(before);
        return "out of memory";
    }
    const double speed = speed_of(made, before); // which ends with the pose at time 0
    made->turns_per_step = speed > 0 ? motion * mean_edge(made) / speed : 0;
    free(before);
    return NULL;
}

void surface_step(surface *self) {
    self->turns += self->turns_per_step;
    self->pose(self);
}
