#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1000, HEIGHT = 500 };

static const char *const palette[8] = {"#e8c07d", "#cc704b", "#614124", "#9fb8ad",
                                       "#475841", "#f0e3c4", "#b08968", "#7f9c96"};

// A grain on the picture.
typedef struct disc {
    double x, y, radius;
    double depth; // how near it is
    uint32_t grain;
    int visible;
} disc;

static int by_depth(const void *a, const void *b) {
    const disc *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->grain < y->grain ? -1 : x->grain > y->grain;
}

// A turn by 15 degrees around the vertical axis, then seen from 25 degrees above.
static void project(const double place[3], double *right, double *up, double *near) {
    const double x = 0.9659258 * place[0] - 0.2588190 * place[1], y = 0.2588190 * place[0] + 0.9659258 * place[1];
    *right = x;
    *up = 0.9063078 * place[2] + 0.4226183 * y;
    *near = 0.4226183 * place[2] - 0.9063078 * y;
}

typedef struct frame {
    double left, bottom, scale;
} frame;

static frame frame_of(const double low[3], const double high[3]) {
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; ++corner) {
        double place[3], at[2], near;
        for (int axis = 0; axis < 3; ++axis) place[axis] = (corner >> axis & 1) != 0 ? high[axis] : low[axis];
        project(place, &at[0], &at[1], &near);
        for (int i = 0; i < 2; ++i) {
            least[i] = fmin(least[i], at[i]);
            most[i] = fmax(most[i], at[i]);
        }
    }
    const double scale = fmin(WIDTH / (most[0] - least[0]), HEIGHT / (most[1] - least[1]));
    return (frame){.left = least[0] - 0.5 * (WIDTH / scale - (most[0] - least[0])), .bottom = least[1], .scale = scale};
}

static disc disc_of(const granular_grain *g, uint32_t index, const frame *f) {
    double right, up, near;
    project(g->place, &right, &up, &near);
    return (disc){.x = (right - f->left) * f->scale,
                  .y = HEIGHT - (up - f->bottom) * f->scale,
                  .radius = g->radius * f->scale,
                  .depth = near,
                  .grain = index};
}

// Paints the pixels of a disc, and returns whether any was free.
static int paint(const disc *d, unsigned char *pixels) {
    int is_visible = 0;
    for (int y = (int)(d->y - d->radius); y <= (int)(d->y + d->radius); ++y) {
        for (int x = (int)(d->x - d->radius); x <= (int)(d->x + d->radius); ++x) {
            if (x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT) continue;
            if (pow(x + 0.5 - d->x, 2) + pow(y + 0.5 - d->y, 2) > d->radius * d->radius) continue;
            is_visible |= pixels[y * WIDTH + x] == 0;
            pixels[y * WIDTH + x] = 1;
        }
    }
    return is_visible;
}

static void write_discs(FILE *file, const disc *discs, size_t count, const unsigned char *colors) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fbfaf7\"/>\n<g stroke=\"#00000055\" stroke-width=\"0.4\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    for (size_t i = 0; i < count; ++i) {
        if (!discs[i].visible) continue;
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", discs[i].x, discs[i].y,
                discs[i].radius, palette[colors[discs[i].grain] % 8]);
    }
    fprintf(file, "</g>\n</svg>\n");
}

int granular_draw(const granular_system *s, const unsigned char *colors, const double low[3], const double high[3],
                  const char *path) {
    const frame f = frame_of(low, high);
    disc *discs = malloc((s->grain_count + 1) * sizeof *discs);
    unsigned char *pixels = calloc(HEIGHT, WIDTH);
    FILE *file = discs != NULL && pixels != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        for (uint32_t i = 0; i < s->grain_count; ++i) discs[i] = disc_of(&s->grains[i], i, &f);
        qsort(discs, s->grain_count, sizeof *discs, by_depth);
        for (size_t i = s->grain_count; i-- > 0;) discs[i].visible = paint(&discs[i], pixels); // the nearest first
        write_discs(file, discs, s->grain_count, colors);
    }
    free(discs);
    free(pixels);
    return file != NULL && fclose(file) == 0;
}
