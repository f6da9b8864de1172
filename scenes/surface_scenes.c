// Surfaces as scanners and cloth solvers have them: scan, scan-pair, cloth, cloth-on-body.
#include "surface.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic.h"

// How far waves that run through a surface move it. Scans are about 2 long, cloth is about 4 long.
static const double SWAY = 0.02;
// How far apart the two of scan-pair are.
static const double APART[3] = {0.1, 0.05, 0.025};

static void put(surface *self, size_t index, const double place[3]) {
    for (size_t axis = 0; axis < 3; ++axis) {
        self->vertices[index][axis] = (float)place[axis];
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Scans: a ball with bumps. One side was scanned from near by, triangles there are a hundredth as large as on the other
// side, and have all sizes between them in between. There the scanner did not see everything, and a fan of long
// triangles closes the hole.

// Seen from the bottom through the ball onto a plane, everything grows by this factor. That is how a map of the sphere
// is enlarged without changing a shape: sizes change by this factor at the top, and by its inverse at the bottom.
static const double ENLARGE = 10;

// As far down as sizes have changed by almost a hundred.
static const double SCANNED = 0.48;

static void enlarge(double place[3]) {
    const double square = ENLARGE * ENLARGE;
    const double below = 1 - place[2], above = square * (1 + place[2]);
    const double factor = 2 * ENLARGE / (below + above);
    place[0] *= factor;
    place[1] *= factor;
    place[2] = (above - below) / (above + below);
}

static void raise_bumps(double place[3], const surface_relief *relief) {
    const double radius = 1 + relief_at(relief, place);
    for (size_t axis = 0; axis < 3; ++axis) {
        place[axis] *= radius;
    }
}

static void add_scan(surface *self, size_t count, rng *random) {
    const size_t first = self->vertex_count;
    surface_add_ball(self, count, SCANNED, random);
    for (size_t i = first; i < self->vertex_count; ++i) {
        double *place = self->rest[i];
        enlarge(place);
        raise_bumps(place, &self->relief);
    }
}

// The second one is the same surface elsewhere, and other waves run through it.
static void pose_scans(surface *self) {
    const double turns = self->turns;
    for (size_t i = 0; i < self->vertex_count; ++i) {
        const bool is_second = i >= self->second_vertex;
        double place[3] = {self->rest[i][0], self->rest[i][1], self->rest[i][2]};
        sway(place, is_second ? 0.4 - turns : turns, SWAY);
        for (size_t axis = 0; axis < 3 && is_second; ++axis) {
            place[axis] += APART[axis] * (1 + 0.2 * sine_of_turns(turns));
        }
        put(self, i, place);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Cloth in folds. Along the cloth its direction swings like a pendulum, which is how a strip bends that was pushed
// together (Langbein and Leopold 1966, of rivers). It swings so far that each fold touches the next:
//
//      __    __    __
//     (  )  (  )  (  )
//      ||    ||    ||
//     (  )__(  )__(  )

enum { FOLDS = 8, CURVE_STEPS = 4096 };
static const double CLOTH_LENGTH = 14, CLOTH_WIDTH = 2;

// The places of points along the cloth, from the side.
typedef struct fold_curve {
    double x[CURVE_STEPS + 1], z[CURVE_STEPS + 1];
} fold_curve;

// The direction swings by `swing` turns to either side.
static void draw_curve(fold_curve *curve, double swing) {
    const double step = CLOTH_LENGTH / CURVE_STEPS;
    curve->x[0] = curve->z[0] = 0;
    for (size_t i = 0; i < CURVE_STEPS; ++i) {
        const double direction = swing * sine_of_turns(FOLDS * ((double)i + 0.5) / CURVE_STEPS);
        curve->x[i + 1] = curve->x[i] + step * sine_of_turns(direction + 0.25);
        curve->z[i + 1] = curve->z[i] + step * sine_of_turns(direction);
    }
}

static double on_curve(const double values[CURVE_STEPS + 1], double share) {
    const double at = CURVE_STEPS * (share < 0 ? 0 : share > 1 ? 1 : share);
    const double whole = floor(at);
    const size_t i = (size_t)whole;
    return i < CURVE_STEPS ? values[i] + (at - whole) * (values[i + 1] - values[i]) : values[CURVE_STEPS];
}

// A vertex's `rest` is its place along and across the cloth, and how high it lies on a wrinkle. Folds wander to and fro
// across the cloth, and open and close in time. The whole is turned, so that
// nothing lies along an axis.
static void pose_cloth(surface *self) {
    fold_curve curve;
    const double turns = self->turns;
    draw_curve(&curve, 0.345 + 0.01 * sine_of_turns(turns));
    for (size_t i = 0; i < self->vertex_count; ++i) {
        const double across = self->rest[i][1];
        const double along = self->rest[i][0] + 0.004 * sine_of_turns(2.7 * across + turns);
        const double x = on_curve(curve.x, along), y = CLOTH_WIDTH * across, z = on_curve(curve.z, along);
        double place[3] = {0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y, z + 0.1 * x + self->rest[i][2]};
        sway(place, turns, SWAY / 2);
        put(self, i, place);
    }
}

static void wrinkle(surface *self) {
    for (size_t i = 0; i < self->vertex_count; ++i) {
        double *rest = self->rest[i];
        rest[2] = relief_at(&self->relief, (const double[3]){CLOTH_LENGTH * rest[0], CLOTH_WIDTH * rest[1], 0});
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// A cloth that lies on a body and hangs down around it in pleats

enum { PLEATS = 9 };
static const double TABLECLOTH = 2.4; // half its edge, where the body's radius is 1

// The sine of so many times an angle: the imaginary part of a power.
static double sine_of_multiple(double cosine, double sine, size_t times) {
    double real = 1, imaginary = 0;
    for (size_t i = 0; i < times; ++i) {
        const double turned = real * cosine - imaginary * sine;
        imaginary = real * sine + imaginary * cosine;
        real = turned;
    }
    return imaginary;
}

// A vertex of the cloth: on the body up to a quarter of the way around, hanging further out. The wider a circle of the
// cloth is than what it has to go around, the deeper its pleats; they touch the body from outside. `bump` is that of the
// body there.
static void drape(const double rest[3], double bump, double turns, double place[3], double direction[3]) {
    const double x = TABLECLOTH * (2 * rest[0] - 1), y = TABLECLOTH * (2 * rest[1] - 1);
    const double reach = sqrt(x * x + y * y), down = reach < TURN / 4 ? reach : TURN / 4;
    const double cosine = reach > 0 ? x / reach : 1, sine = reach > 0 ? y / reach : 0;
    const double wide = sine_of_turns(down / TURN), high = sine_of_turns(down / TURN + 0.25) - (reach - down);
    const double pleat = sine_of_multiple(cosine, sine, PLEATS) * (0.8 + 0.2 * sine_of_turns(turns + 0.3 * reach));
    const double radius = 1 + bump + 0.12 * (reach - wide) * (1 + pleat);
    direction[0] = wide * cosine;
    direction[1] = wide * sine;
    direction[2] = high > 0 ? high : 0;
    place[0] = radius * direction[0];
    place[1] = radius * direction[1];
    place[2] = high > 0 ? radius * high : high;
}

// Both sway alike, so that the cloth stays on the body.
static void pose_cloth_on_body(surface *self) {
    for (size_t i = 0; i < self->vertex_count; ++i) {
        const double *rest = self->rest[i];
        double place[3] = {rest[0], rest[1], rest[2]}, direction[3];
        if (i < self->second_vertex) {
            drape(rest, rest[2], self->turns, place, direction);
        }
        sway(place, self->turns, SWAY);
        put(self, i, place);
    }
}

// Bumps: the third number of the cloth's vertices, and as part of the body's places.
static void raise_body(surface *self) {
    for (size_t i = 0; i < self->second_vertex; ++i) {
        double place[3], direction[3];
        drape(self->rest[i], 0, 0, place, direction);
        self->rest[i][2] = relief_at(&self->relief, direction);
    }
    for (size_t i = self->second_vertex; i < self->vertex_count; ++i) {
        raise_bumps(self->rest[i], &self->relief);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Builders

const char *build_scan(scene *self, const scene_options *options) {
    surface *made = surface_begin(self, pose_scans, 3, 0.06);
    if (made) {
        add_scan(made, self->finite_count, &self->random);
        made->second_vertex = made->vertex_count;
    }
    return surface_end(self, options->motion);
}

// Both are drawn from the same random numbers.
const char *build_scan_pair(scene *self, const scene_options *options) {
    surface *made = surface_begin(self, pose_scans, 3, 0.06);
    if (made) {
        rng same = self->random;
        self->first_count = self->finite_count / 2;
        add_scan(made, self->first_count, &self->random);
        made->second_vertex = made->vertex_count;
        add_scan(made, self->finite_count - self->first_count, &same);
    }
    return surface_end(self, options->motion);
}

const char *build_cloth(scene *self, const scene_options *options) {
    surface *made = surface_begin(self, pose_cloth, 3, 0.004);
    if (made) {
        surface_add_uneven_sheet(made, self->finite_count, CLOTH_WIDTH / CLOTH_LENGTH, 0.97, &self->random);
        wrinkle(made);
    }
    return surface_end(self, options->motion);
}

const char *build_cloth_on_body(scene *self, const scene_options *options) {
    surface *made = surface_begin(self, pose_cloth_on_body, 3, 0.03);
    if (made) {
        self->first_count = self->finite_count / 2;
        surface_add_uneven_sheet(made, self->first_count, 1, 0.97, &self->random);
        made->second_vertex = made->vertex_count;
        surface_add_ball(made, self->finite_count - self->first_count, SCANNED, &self->random);
        raise_body(made);
    }
    return surface_end(self, options->motion);
}
