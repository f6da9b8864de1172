// A crowd: two streams of people cross on a square, half of them on their way east, half north. Everybody looks three
// metres ahead and avoids those who are near, or will be; stripes appear that nobody has planned.
//
// The neighbours of each are found anew in every step: in two dimensions, and through the borders, because the square
// repeats itself. With a file name the crowd is drawn at the end, with the way of the last two seconds.
#include <broadphase/broadphase.h>
#include <math.h>
#include <stdio.h>

enum { EDGE = 36, COUNT = 560, STEPS = 400, TRAIL = 20 };

static const float sight = 3.0f;                                             // metres
static const double time_step = 0.1, walking = 1.3, body = 0.5, ahead = 2.5; // seconds, m/s, diameter, seconds

typedef struct crowd {
    float place[COUNT][3]; // anywhere, and the third is not used
    double speed[COUNT][2], push[COUNT][2];
    float trail[TRAIL][COUNT][2];
} crowd;

static const double *aim_of(int person) {
    static const double east[2] = {1.0, 0.0}, north[2] = {0.0, 1.0};
    return person % 2 == 0 ? east : north;
}

static double random_number(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

// On a lattice, so that nobody stands in another, and a little beside it.
static void begin(crowd *c) {
    const int row = (int)ceil(sqrt(COUNT));
    uint32_t random = 7;
    for (int i = 0; i < COUNT; ++i) {
        c->place[i][0] = (float)(((i % row) + 0.5 * random_number(&random)) * EDGE / row);
        c->place[i][1] = (float)(((i / row) + 0.5 * random_number(&random)) * EDGE / row);
        c->place[i][2] = 0.0f;
        for (int axis = 0; axis < 2; ++axis) c->speed[i][axis] = walking * aim_of(i)[axis];
    }
}

// The vector from b to a, through the borders if that is shorter.
static double apart(const crowd *c, uint32_t a, uint32_t b, double away[2]) {
    for (int axis = 0; axis < 2; ++axis)
        away[axis] = remainder((double)c->place[a][axis] - (double)c->place[b][axis], EDGE);
    return hypot(away[0], away[1]);
}

// Both step aside from where they would be nearest to each other, the more the sooner and the closer that is; and those
// who touch push.
static void avoid(crowd *c, uint32_t a, uint32_t b) {
    double away[2], nearest[2];
    const double distance = apart(c, a, b, away);
    const double along[2] = {c->speed[a][0] - c->speed[b][0], c->speed[a][1] - c->speed[b][1]};
    const double square = along[0] * along[0] + along[1] * along[1];
    double when = square > 0.0 ? -(away[0] * along[0] + away[1] * along[1]) / square : 0.0;
    when = when < 0.0 ? 0.0 : when > ahead ? ahead : when;
    for (int axis = 0; axis < 2; ++axis) nearest[axis] = away[axis] + when * along[axis];
    const double gap = hypot(nearest[0], nearest[1]);
    const double aside =
        gap > 1e-6 && gap < 2.0 * body ? 3.0 * (1.0 - when / ahead) * (1.0 - gap / (2.0 * body)) / gap : 0.0;
    const double back = distance > 1e-6 && distance < 1.3 * body ? 30.0 * (1.3 * body - distance) / distance : 0.0;
    for (int axis = 0; axis < 2; ++axis) {
        const double push = aside * nearest[axis] + back * away[axis];
        c->push[a][axis] += push;
        c->push[b][axis] -= push;
    }
}

static bp_status look_around(crowd *c, const bp_config *config, bp_neighbors *near) {
    const bp_status status = bp_find_neighbors(c->place[0], COUNT, sight, config, near);
    for (int i = 0; i < COUNT; ++i)
        for (int axis = 0; axis < 2; ++axis) c->push[i][axis] = walking * aim_of(i)[axis] - c->speed[i][axis];
    for (uint32_t i = 0; i < COUNT && status == BP_OK; ++i)
        for (size_t k = near->offsets[i]; k < near->offsets[i + 1]; ++k) avoid(c, i, near->indices[k]);
    return status;
}

static void walk(crowd *c, int step) {
    for (int i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 2; ++axis) {
            c->speed[i][axis] += time_step * c->push[i][axis];
            c->trail[step % TRAIL][i][axis] = c->place[i][axis];
        }
        const double fast = hypot(c->speed[i][0], c->speed[i][1]) / (1.5 * walking);
        for (int axis = 0; axis < 2; ++axis) {
            if (fast > 1.0) c->speed[i][axis] /= fast;
            c->place[i][axis] += (float)(time_step * c->speed[i][axis]);
        }
    }
}

// The smallest distance of two people, and how fast they get on, as a share of what they want.
static void measure(const crowd *c, const bp_neighbors *near, double *closest, double *progress) {
    double away[2];
    *progress = 0.0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        for (size_t k = near->offsets[i]; k < near->offsets[i + 1]; ++k)
            *closest = fmin(*closest, apart(c, i, near->indices[k], away));
        *progress += (c->speed[i][0] * aim_of((int)i)[0] + c->speed[i][1] * aim_of((int)i)[1]) / walking / COUNT;
    }
}

static void draw(const crowd *c, FILE *file) {
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='720' height='720'>"
            "<rect width='%d' height='%d' fill='#f7f5f0'/>\n",
            EDGE, EDGE, EDGE, EDGE);
    for (int i = 0; i < COUNT; ++i) {
        const char *color = i % 2 == 0 ? "#1f6fb2" : "#d1622b";
        const double x = c->place[i][0] - EDGE * floor((double)c->place[i][0] / EDGE),
                     y = c->place[i][1] - EDGE * floor((double)c->place[i][1] / EDGE);
        fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='0.1' opacity='0.45' points='", color);
        for (int k = 0; k < TRAIL; ++k) {
            const float *past = c->trail[(STEPS + k) % TRAIL][i];
            fprintf(file, "%.2f,%.2f ", x + (double)(past[0] - c->place[i][0]),
                    EDGE - y - (double)(past[1] - c->place[i][1]));
        }
        fprintf(file, "%.2f,%.2f'/><circle cx='%.2f' cy='%.2f' r='%.2f' fill='%s'/>\n", x, EDGE - y, x, EDGE - y,
                body / 2, color);
    }
    fprintf(file, "</svg>\n");
}

int main(int argc, char **argv) {
    static crowd c;
    const bp_config config = {.dimensions = 2, .flags = BP_NEIGHBORS_HALF, .period = {EDGE, EDGE, 0}};
    bp_neighbors near = {0};
    bp_status status = BP_OK;
    double closest = EDGE, progress = 0.0;
    begin(&c);
    for (int step = 0; step < STEPS && status == BP_OK; ++step) {
        status = look_around(&c, &config, &near);
        if (status == BP_OK) measure(&c, &near, &closest, &progress);
        walk(&c, step);
    }
    printf("%d people, %zu pairs of them within sight, at %.0f %% of their pace; no two came closer than %.2f m\n",
           COUNT, near.count > 0 ? near.offsets[COUNT] : 0, 100.0 * progress, closest);
    bp_neighbors_free(&near, &config);
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (file) draw(&c, file);
    const int is_drawn = argc < 2 || (file && fclose(file) == 0);
    return status == BP_OK && is_drawn && closest > 0.5 * body && progress > 0.7 ? 0 : 1;
}
