// A body is a block of cubes with some left out: the inside of a shell, the open end of a bowl, the holes of a mesh.
// Each cube becomes 5 or 6 tetrahedra in such a way that neighbours share their faces:
//
//     5: corners of even parity make one, the others are cut off      6: around the diagonal from corner 0 to corner 7
//
// The lattice makes searching unnecessary: an edge goes from a point to one of its 26 neighbours, so a bit per
// direction keeps edges apart; a triangle is on the surface if it lies in the side of a cube beyond which there is no
// cube.
#include "suites/tissue.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NO_POINT = -1, DIRECTIONS = 13, WAVE_STEPS = 64, MEMBRANES = 20 };

typedef struct tissue_body {
    uint32_t cubes[3];
    uint32_t wall;    // layers of cubes that a shell is thick; 0: solid
    uint32_t open;    // layers of cubes that are left out at the end of z: a bowl
    bool holes;       // a mesh: every cube is left out that has two odd coordinates
    bool round;       // the block becomes a ball
    double centre[3]; // and half of its edges, or its radii
    double half[3];   // negative: mirrored
    double travel[3]; // how far the body moves to and fro
} tissue_body;

typedef struct tissue_scene {
    const char *name;
    const tissue_body *bodies;
    size_t body_count, copies; // copies of each body are stacked
    uint32_t tetrahedra;       // per cube
    double wave;               // how far points move to and fro
    size_t seed_counts[TISSUE_PARTS];
} tissue_scene;

static const tissue_body membrane[] = {{.cubes = {10, 10, 1}, .half = {5, 5, 0.5}}};

// Orbit, tissue, bulb, muscles, nerve and titanium mesh, in millimetres; z points out of the face.
static const tissue_body eye[] = {
    {.cubes = {13, 13, 13}, .wall = 1, .open = 5, .round = true, .half = {22, 22, 22}},
    {.cubes = {11, 11, 11}, .wall = 1, .open = 3, .round = true, .half = {18.9, 18.9, 18.9}},
    {.cubes = {8, 8, 8}, .wall = 2, .round = true, .half = {14, 14, 14}},
    {.cubes = {1, 2, 8}, .centre = {14.7, 0, 0}, .half = {1.2, 2.5, 6}},
    {.cubes = {1, 2, 8}, .centre = {-14.7, 0, 0}, .half = {1.2, 2.5, 6}},
    {.cubes = {2, 1, 8}, .centre = {0, 14.7, 0}, .half = {2.5, 1.2, 6}},
    {.cubes = {2, 1, 8}, .centre = {0, -14.7, 0}, .half = {2.5, 1.2, 6}},
    {.cubes = {2, 2, 6}, .centre = {0, 0, -19}, .half = {2.5, 2.5, 6}},
    {.cubes = {13, 1, 13}, .holes = true, .centre = {0, -18.2, -1}, .half = {9.1, 0.5, 9.1}, .travel = {0, 0.5, 0}},
};

// Soft tissue, open below, cranium, upper and lower jaw; z points up.
static const tissue_body skull[] = {
    {.cubes = {20, 20, 20}, .wall = 2, .open = 4, .round = true, .half = {80, 100, -120}},
    {.cubes = {15, 15, 15}, .wall = 1, .round = true, .centre = {0, 0, 37}, .half = {60, 75, 60}},
    {.cubes = {16, 10, 8}, .wall = 1, .open = 2, .round = true, .centre = {0, -38, -28}, .half = {46, 34, 22}},
    {.cubes = {16, 12, 6},
     .wall = 1,
     .open = 3,
     .round = true,
     .centre = {0, -40, -46},
     .half = {40, 32, 16},
     .travel = {0, 2, 2}},
};

#define BODIES(list) .bodies = list, .body_count = sizeof list / sizeof *list

// The numbers of points, edges, triangles and tetrahedra are those of Gissler et al., Table 1.
static const tissue_scene scenes[] = {
    {"stacking", BODIES(membrane), .copies = MEMBRANES, .tetrahedra = 5, .wave = 0.2,
     .seed_counts = {4840, 19620, 9600, 10000}},
    {"eye", BODIES(eye), .copies = 1, .tetrahedra = 6, .wave = 0.5, .seed_counts = {3167, 16248, 6472, 9819}},
    {"skull", BODIES(skull), .copies = 1, .tetrahedra = 5, .wave = 1.5, .seed_counts = {8293, 38352, 13592, 23225}},
};
enum { SCENE_COUNT = sizeof scenes / sizeof *scenes };

typedef struct tissue_point {
    double rest[3];
    uint32_t body; // copies counted
} tissue_point;

// Elements of one kind.
typedef struct element_list {
    size_t corners; // of each
    size_t count, capacity;
    uint32_t *indices; // of points, `corners` for each
    bp_box *boxes;
} element_list;

struct tissue {
    const tissue_scene *scene;
    uint32_t fineness;
    double stacked;
    size_t step;
    tissue_point *points;
    size_t point_capacity;
    double (*places)[3]; // of the points, in this step
    element_list parts[TISSUE_PARTS];
};

// A body while it is cut into tetrahedra.
typedef struct lattice {
    tissue *tissue;
    const tissue_body *body;
    uint32_t number; // of the body, copies counted
    size_t cubes[3], strides[3];
    int64_t *points;   // of the tissue; NO_POINT: none yet
    uint16_t *forward; // a bit for each direction in which an edge leads
} lattice;

// A cube's corners are numbered by their bits: x, y, z.
static const uint8_t five[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
static const uint8_t six[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

static void *grow_array(void *data, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return data;
    *capacity = *capacity ? 2 * *capacity : 1024;
    data = realloc(data, *capacity * size);
    if (!data) abort();
    return data;
}

static void add_element(tissue *t, tissue_part part, const uint32_t *corners) {
    element_list *list = &t->parts[part];
    list->indices = grow_array(list->indices, &list->capacity, list->count, list->corners * sizeof *list->indices);
    memcpy(list->indices + list->count++ * list->corners, corners, list->corners * sizeof *corners);
}

// ---- where points are -----------------------------------------------------------------------------------------------

// Membranes that have landed lie on each other, a little into each other; the others hang above them in the air.
static double height_of_copy(const tissue *t, uint32_t copy) {
    const double landed = t->stacked * MEMBRANES, touching = 0.95, falling = 3;
    const double above = (double)copy - landed;
    return touching * (double)copy + (above > 0 ? falling * (above + 1) : 0);
}

static void place_point(const lattice *l, const size_t at[3], double place[3]) {
    const tissue *t = l->tissue;
    double longest = 0, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = 2 * (double)at[axis] / (double)l->cubes[axis] - 1;
        longest = fmax(longest, fabs(place[axis]));
        square += place[axis] * place[axis];
    }
    const double shrink = l->body->round && square > 0 ? longest / sqrt(square) : 1;
    for (int axis = 0; axis < 3; axis++)
        place[axis] = l->body->centre[axis] + l->body->half[axis] * shrink * place[axis];
    if (t->scene->copies > 1) place[2] += height_of_copy(t, l->number);
}

static uint32_t point_at(lattice *l, const size_t at[3]) {
    tissue *t = l->tissue;
    element_list *points = &t->parts[TISSUE_POINTS];
    int64_t *place = &l->points[at[0] * l->strides[0] + at[1] * l->strides[1] + at[2] * l->strides[2]];
    if (*place == NO_POINT) {
        const uint32_t index = (uint32_t)points->count;
        t->points = grow_array(t->points, &t->point_capacity, index, sizeof *t->points);
        t->points[index].body = l->number;
        place_point(l, at, t->points[index].rest);
        add_element(t, TISSUE_POINTS, &index);
        *place = index;
    }
    return (uint32_t)*place;
}

// ---- cubes into tetrahedra ------------------------------------------------------------------------------------------

static bool has_cube(const lattice *l, const size_t cube[3]) {
    const tissue_body *body = l->body;
    bool inside = body->wall > 0;
    int odd = 0;
    for (int axis = 0; axis < 3; axis++) {
        const size_t coarse = cube[axis] / l->tissue->fineness;
        inside = inside && coarse >= body->wall && coarse + body->wall < body->cubes[axis];
        odd += coarse % 2 == 1;
    }
    return !inside && cube[2] / l->tissue->fineness + body->open < body->cubes[2] && !(body->holes && odd >= 2);
}

// Whether there is no cube beyond this side; coordinates below 0 wrap around, and are beyond the block too.
static bool is_surface(const lattice *l, const size_t cube[3], int axis, bool high) {
    size_t beyond[3] = {cube[0], cube[1], cube[2]};
    beyond[axis] += high ? 1 : SIZE_MAX;
    return beyond[axis] >= l->cubes[axis] || !has_cube(l, beyond);
}

static void add_triangle(lattice *l, const size_t cube[3], const uint8_t corners[3], const uint32_t points[8]) {
    const int high = corners[0] & corners[1] & corners[2], low = ~(corners[0] | corners[1] | corners[2]);
    const uint32_t triangle[3] = {points[corners[0]], points[corners[1]], points[corners[2]]};
    for (int axis = 0; axis < 3; axis++)
        if ((high | low) >> axis & 1 && is_surface(l, cube, axis, high >> axis & 1))
            add_element(l->tissue, TISSUE_TRIANGLES, triangle);
}

// Between two corners of a cube, noted at the one from which it leads forward.
static void add_edge(lattice *l, const size_t cube[3], uint8_t a, uint8_t b, const uint32_t points[8]) {
    int direction = 0;
    const int power[3] = {1, 3, 9};
    for (int axis = 0; axis < 3; axis++) direction += power[axis] * ((b >> axis & 1) - (a >> axis & 1));
    const uint8_t from = direction > 0 ? a : b, to = direction > 0 ? b : a;
    size_t at = 0;
    for (int axis = 0; axis < 3; axis++) at += (cube[axis] + (from >> axis & 1)) * l->strides[axis];
    const uint16_t bit = (uint16_t)(1 << (abs(direction) - 1));
    if (!(l->forward[at] & bit)) add_element(l->tissue, TISSUE_EDGES, (uint32_t[2]){points[from], points[to]});
    l->forward[at] |= bit;
}

static void add_tetrahedron(lattice *l, const size_t cube[3], const uint8_t corners[4], const uint32_t points[8]) {
    const uint32_t tetrahedron[4] = {points[corners[0]], points[corners[1]], points[corners[2]], points[corners[3]]};
    add_element(l->tissue, TISSUE_TETRAHEDRA, tetrahedron);
    for (int a = 0; a < 4; a++) {
        const uint8_t others[3] = {corners[(a + 1) % 4], corners[(a + 2) % 4], corners[(a + 3) % 4]};
        add_triangle(l, cube, others, points);
        for (int b = a + 1; b < 4; b++) add_edge(l, cube, corners[a], corners[b], points);
    }
}

static void add_cube(lattice *l, const size_t cube[3]) {
    const bool by_six = l->tissue->scene->tetrahedra == 6;
    const uint8_t mirror = !by_six && (cube[0] + cube[1] + cube[2]) % 2; // so that sides have the same diagonal
    uint32_t points[8];
    for (uint8_t corner = 0; corner < 8; corner++) {
        const size_t at[3] = {cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1), cube[2] + (corner >> 2 & 1)};
        points[corner] = point_at(l, at);
    }
    for (size_t i = 0; i < l->tissue->scene->tetrahedra; i++) {
        uint8_t corners[4];
        for (int k = 0; k < 4; k++) corners[k] = (by_six ? six[i][k] : five[i][k]) ^ mirror;
        add_tetrahedron(l, cube, corners, points);
    }
}

static void add_body(tissue *t, const tissue_body *body, uint32_t number) {
    lattice l = {.tissue = t, .body = body, .number = number};
    size_t size = 1;
    for (int axis = 0; axis < 3; axis++) {
        l.cubes[axis] = (size_t)body->cubes[axis] * t->fineness;
        l.strides[axis] = size;
        size *= l.cubes[axis] + 1;
    }
    l.points = malloc(size * sizeof *l.points);
    l.forward = calloc(size, sizeof *l.forward);
    if (!l.points || !l.forward) abort();
    for (size_t i = 0; i < size; i++) l.points[i] = NO_POINT;
    size_t cube[3];
    for (cube[2] = 0; cube[2] < l.cubes[2]; cube[2]++)
        for (cube[1] = 0; cube[1] < l.cubes[1]; cube[1]++)
            for (cube[0] = 0; cube[0] < l.cubes[0]; cube[0]++)
                if (has_cube(&l, cube)) add_cube(&l, cube);
    free(l.points);
    free(l.forward);
}

// ---- motion ---------------------------------------------------------------------------------------------------------

// Like a sine of period 1, from exact operations only: the same on every machine.
static double wave(double t) {
    const double u = t - floor(t), h = u < 0.5 ? u : u - 0.5;
    return (u < 0.5 ? 16 : -16) * h * (0.5 - h);
}

// Points go to and fro by a wave that runs through each body, each body with a wave of its own.
static void move_points(tissue *t) {
    const double time = (double)t->step / WAVE_STEPS, far = 40 * t->scene->wave;
    for (size_t i = 0; i < t->parts[TISSUE_POINTS].count; i++) {
        const tissue_point *p = &t->points[i];
        const tissue_body *body = &t->scene->bodies[p->body / t->scene->copies];
        const double along = (p->rest[0] + 2 * p->rest[1] + 3 * p->rest[2]) / far, own = 0.37 * p->body;
        for (int axis = 0; axis < 3; axis++)
            t->places[i][axis] = p->rest[axis] + t->scene->wave * wave(time + along + own + 0.29 * axis) +
                                 body->travel[axis] * wave(time);
    }
}

static void bound_elements(const tissue *t, element_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t *corners = list->indices + i * list->corners;
        for (int axis = 0; axis < 3; axis++) {
            double low = t->places[corners[0]][axis], high = low;
            for (size_t k = 1; k < list->corners; k++) {
                low = fmin(low, t->places[corners[k]][axis]);
                high = fmax(high, t->places[corners[k]][axis]);
            }
            list->boxes[i].min[axis] = (float)low;
            list->boxes[i].max[axis] = (float)high;
        }
    }
}

static void bound_all(tissue *t) {
    move_points(t);
    for (int part = 0; part < TISSUE_PARTS; part++) bound_elements(t, &t->parts[part]);
}

void tissue_stack(tissue *self, double stacked) {
    const double before = self->stacked;
    for (size_t i = 0; i < self->parts[TISSUE_POINTS].count && self->scene->copies > 1; i++) {
        tissue_point *p = &self->points[i];
        self->stacked = before;
        p->rest[2] -= height_of_copy(self, p->body);
        self->stacked = stacked;
        p->rest[2] += height_of_copy(self, p->body);
    }
    self->stacked = stacked;
}

void tissue_step(tissue *self) {
    self->step++;
    bound_all(self);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static const tissue_scene *find_scene(const char *name) {
    for (size_t i = 0; i < SCENE_COUNT; i++)
        if (strcmp(scenes[i].name, name) == 0) return &scenes[i];
    return NULL;
}

static void allocate_results(tissue *t) {
    t->places = malloc(t->parts[TISSUE_POINTS].count * sizeof *t->places);
    if (!t->places) abort();
    for (int part = 0; part < TISSUE_PARTS; part++) {
        t->parts[part].boxes = malloc(t->parts[part].count * sizeof *t->parts[part].boxes);
        if (!t->parts[part].boxes) abort();
    }
}

tissue *tissue_create(const char *name, uint32_t fineness, double stacked) {
    const tissue_scene *scene = find_scene(name);
    tissue *t = scene ? calloc(1, sizeof *t) : NULL;
    if (!scene) return NULL;
    if (!t) abort();
    *t = (tissue){.scene = scene, .fineness = fineness, .stacked = stacked};
    for (size_t part = 0; part < TISSUE_PARTS; part++) t->parts[part].corners = part + 1;
    for (size_t i = 0; i < scene->body_count * scene->copies; i++)
        add_body(t, &scene->bodies[i / scene->copies], (uint32_t)i);
    allocate_results(t);
    bound_all(t);
    return t;
}

void tissue_destroy(tissue *self) {
    if (!self) return;
    for (int part = 0; part < TISSUE_PARTS; part++) {
        free(self->parts[part].indices);
        free(self->parts[part].boxes);
    }
    free(self->points);
    free(self->places);
    free(self);
}

size_t tissue_count(const tissue *self, tissue_part part) {
    return self->parts[part].count;
}

const bp_box *tissue_boxes(const tissue *self, tissue_part part) {
    return self->parts[part].boxes;
}

const uint32_t *tissue_corners(const tissue *self, tissue_part part, size_t index) {
    return self->parts[part].indices + index * self->parts[part].corners;
}

const double *tissue_place(const tissue *self, uint32_t point) {
    return self->places[point];
}

uint32_t tissue_body_of(const tissue *self, tissue_part part, size_t index) {
    const element_list *list = &self->parts[part];
    return self->points[list->indices[index * list->corners]].body;
}

double tissue_edge_length(const tissue *self) {
    const element_list *edges = &self->parts[TISSUE_EDGES];
    double sum = 0;
    for (size_t i = 0; i < edges->count; i++) {
        const double *a = self->places[edges->indices[2 * i]], *b = self->places[edges->indices[2 * i + 1]];
        double square = 0;
        for (int axis = 0; axis < 3; axis++) square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
        sum += sqrt(square);
    }
    return sum / (double)edges->count;
}

size_t tissue_paper_count(const char *name, tissue_part part) {
    const tissue_scene *scene = find_scene(name);
    return scene ? scene->seed_counts[part] : 0;
}
