// The size of a domain in which objects have a wanted number of pairs.
//
// Two objects of sizes a and b whose centres are uniform on a line of length L overlap with probability
//
//     1 - (1 - w/L)^2  =  (a + b)/L - (a + b)^2 / (4 L^2),    w = (a + b)/2 <= L
//
// The square is the effect of the domain's borders: small in a large cube, but dominant in a narrow tube, where the
// shorter formula, volume = n/2 * E[product of (a + b)] / pairs, would be wrong. The probability for a box is the
// product over the axes, a polynomial in the sizes of both objects; its expectation over all objects therefore needs
// only the means of x^i y^j z^k for i, j, k = 0, 1, 2, and is exact.
#include "scene_parts.h"

// means[i][j][k]: the mean of x^i y^j z^k over all bodies
typedef struct size_moments {
    double means[3][3][3];
    double largest[3];
} size_moments;

static void add_to_sums(size_moments *moments, const scene_body *body) {
    double powers[3][3];
    for (size_t axis = 0; axis < 3; ++axis) {
        const double size = 2.0 * body->half[axis];
        powers[axis][0] = 1;
        powers[axis][1] = size;
        powers[axis][2] = size * size;
        if (size > moments->largest[axis]) {
            moments->largest[axis] = size;
        }
    }
    for (size_t term = 0; term < 27; ++term) {
        const size_t i = term / 9, j = term / 3 % 3, k = term % 3;
        moments->means[i][j][k] += powers[0][i] * powers[1][j] * powers[2][k];
    }
}

static size_moments measure(const scene *self) {
    size_moments result = {0};
    for (size_t i = 0; i < self->finite_count; ++i) {
        add_to_sums(&result, &self->bodies[i]);
    }
    for (size_t term = 0; term < 27; ++term) {
        result.means[term / 9][term / 3 % 3][term % 3] /= (double)self->finite_count;
    }
    return result;
}

// The terms of the polynomial on one axis: weight * a^TERM_A * b^TERM_B.
enum { TERMS = 6 };
static const size_t TERM_A[TERMS] = {0, 1, 0, 2, 0, 1};
static const size_t TERM_B[TERMS] = {0, 0, 1, 0, 2, 1};

// On an axis shorter than the largest object, all objects are assumed to overlap. That is true where sizes are equal;
// other scenes have such short axes only with a handful of objects.
static void set_weights(double weights[TERMS], double length, double largest) {
    const bool all_overlap = length <= largest;
    const double first = all_overlap ? 0 : 1 / length;
    const double second = all_overlap ? 0 : -0.25 / (length * length);
    weights[0] = all_overlap;
    weights[1] = weights[2] = first;
    weights[3] = weights[4] = second;
    weights[5] = 2 * second;
}

static double overlap_probability(const size_moments *m, double edge, const double *aspect) {
    double weights[3][TERMS];
    for (size_t axis = 0; axis < 3; ++axis) {
        set_weights(weights[axis], aspect ? edge * aspect[axis] : edge, m->largest[axis]);
    }
    double sum = 0;
    for (size_t x = 0; x < TERMS; ++x) {
        for (size_t y = 0; y < TERMS; ++y) {
            for (size_t z = 0; z < TERMS; ++z) {
                sum += weights[0][x] * weights[1][y] * weights[2][z] * m->means[TERM_A[x]][TERM_A[y]][TERM_A[z]] *
                       m->means[TERM_B[x]][TERM_B[y]][TERM_B[z]];
            }
        }
    }
    return sum;
}

static double largest_size(const size_moments *m) {
    const double xy = m->largest[0] > m->largest[1] ? m->largest[0] : m->largest[1];
    return xy > m->largest[2] ? xy : m->largest[2];
}

// The probability falls as the domain grows, so bisection finds the edge. If there are too few objects for so many
// pairs even when all overlap, the domain has the size of the largest object.
double solve_edge(const scene *self, size_t count, double pairs, const double *aspect) {
    const size_moments m = measure(self);
    const double wanted = count > 1 ? 2 * pairs / ((double)count - 1) : 1;
    double high = largest_size(&m);
    if (wanted >= 1) {
        return high;
    }
    while (overlap_probability(&m, high, aspect) > wanted) {
        high *= 2;
    }
    double low = 0;
    for (size_t step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        if (overlap_probability(&m, middle, aspect) > wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}
