#include "plan/explain.h"

#include "base/details.h"
#include "base/log.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

// ---- warnings -------------------------------------------------------------------------------------------------------

enum {
    ENOUGH = 1000,        // objects: fewer are fast in any case
    MANY_PAIRS = 256,     // pairs per object
    MANY_CANDIDATES = 256 // tests per object and pair
};

static const double FAR = 0x1p20;   // sizes from the origin: beyond, floats resolve a position only to 1/16 of the size
static const double SLENDER = 16.0; // times as long as wide

static double per_object(const bp_stats *stats, double figure) {
    return figure / (double)stats->objects;
}

static bool is_in_one_cell(const bp_stats *stats) {
    return stats->occupied > 0 && stats->objects_per_cell_max > stats->objects / 2;
}

static bool is_all_overlapping(const bp_stats *stats) {
    return per_object(stats, (double)stats->pairs) > MANY_PAIRS;
}

static bool has_giants(const bp_stats *stats) {
    const double giants = bp_details_read(stats).choice.giants;
    return giants > 0.0 && giants < 0.05;
}

// More tests than the pairs explain, and it is not because of a few giants.
static bool does_not_fit(const bp_stats *stats) {
    const double tests = per_object(stats, (double)stats->tests), pairs = per_object(stats, (double)stats->pairs);
    return !has_giants(stats) && tests > MANY_CANDIDATES * (1.0 + pairs);
}

static bool is_far_out(const bp_stats *stats) {
    const bool are_points = bp_details_read(stats).choice.size <= FLT_MIN; // points have no size that could be lost
    return !are_points && bp_details_read(stats).choice.farthest > FAR * bp_details_read(stats).choice.size;
}

static const struct {
    bool (*applies)(const bp_stats *stats);
    const char *text;
} warnings[] = {
    {is_in_one_cell,
     "most objects share one cell, so most pairs are tested: pass each object's own box instead of one around all, "
     "scale the scene up if floats cannot tell the objects apart, or try method split"},
    {is_all_overlapping,
     "each object overlaps hundreds of others, and writing these pairs is most of the work: use tighter boxes or a "
     "smaller margin, or exclude unwanted pairs with groups, masks or islands"},
    {has_giants,
     "a few objects are much larger than the others, or infinite, and are tested against very many: split them into "
     "smaller boxes, make those that never move static, or exclude unwanted pairs with masks"},
    {does_not_fit, "this method tests very many pairs, few of which overlap, because it does not suit these shapes and "
                   "positions: use "
                   "method auto or split, or other settings"},
    {is_far_out,
     "objects are so far from the origin that floats can hardly tell their positions apart: move the origin near them, "
     "or use the calls that end in _double"},
};

enum { WARNING_COUNT = sizeof warnings / sizeof *warnings };

static bool applies(size_t warning, const bp_stats *stats) {
    return stats->objects >= ENOUGH && warnings[warning].applies(stats);
}

void bp_warn(const bp_log *log, const bp_stats *stats, uint32_t *logged) {
    for (size_t i = 0; i < WARNING_COUNT && log->write != NULL; ++i) {
        if ((*logged >> i & 1u) == 0 && applies(i, stats)) {
            *logged |= 1u << i;
            bp_log_write(log, "warning: %s", warnings[i].text);
        }
    }
}

// ---- the text -------------------------------------------------------------------------------------------------------

typedef struct page {
    char *text;
    size_t capacity, length;
} page;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
print(page *p, const char *format, ...) {
    const size_t used = p->length < p->capacity ? p->length : p->capacity;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(p->capacity > used ? p->text + used : NULL, p->capacity - used, format, arguments);
    va_end(arguments);
    p->length += length > 0 ? (size_t)length : 0;
}

enum {
    MANY_OCTAVES = 4,
    SURFACE_OCTAVES = 12
}; // factors of two between sizes; those of a surface have at most so many

// Crowded, but not at all scales: as the triangles of a surface are.
static bool are_crowded(const bp_choice *c) {
    return c->octaves <= SURFACE_OCTAVES && c->clumping > 1.5;
}

// Why no other search suits the boxes.
static void print_misfit(page *p, const bp_choice *c) {
    print(p, "other searches test too many pairs that do not overlap, because ");
    if (c->sampled == 0) {
        print(p, "no cells suit these shapes, sizes and positions");
    } else if (c->infinite > 0.0) {
        print(p, "%.2g %% of the boxes are infinite along an axis", 100.0 * c->infinite);
    } else if (c->slenderness > SLENDER) {
        print(p, "the boxes are typically %.3g times as long as wide", c->slenderness);
    } else if (are_crowded(c)) {
        print(p, "boxes of various sizes crowd in parts of the space, as on a surface, and most cells are empty");
    } else if (c->octaves >= MANY_OCTAVES) {
        print(p, "small and large boxes share cells");
    } else {
        print(p, "no cells suit these positions");
    }
}

static void print_rule(page *p, const bp_choice *c) {
    switch (c->rule) {
    case BP_RULE_ASKED: print(p, "the config names it"); break;
    case BP_RULE_GIVEN: print(p, "the config sets parameters of this method"); break;
    case BP_RULE_FEW: print(p, "with so few objects, testing all pairs is fastest"); break;
    case BP_RULE_ORDERED:
        print(p, "boxes come in an order in which neighbours are close, as the triangles of a mesh do");
        break;
    case BP_RULE_ALIKE: print(p, "the boxes are of similar size"); break;
    case BP_RULE_LONG:
    case BP_RULE_THIN: print(p, "the boxes are typically %.3g times as long as wide", c->slenderness); break;
    case BP_RULE_CLUMPS: print(p, "the boxes are of similar size, and crowded in parts of the space"); break;
    case BP_RULE_SCALES:
        print(p, "positions span many scales: %.2g %% of the boxes share cells of 1/512 of the extent",
              100.0 * c->together);
        break;
    case BP_RULE_KEPT: print(p, "a world keeps it from update to update"); break;
    case BP_RULE_MISFIT: print_misfit(p, c); break;
    case BP_RULE_POINTS: print(p, "points with one radius are sorted into cells of about that size"); break;
    case BP_RULE_MIXED:
    default: print(p, "it suits boxes of any sizes and positions"); break;
    }
}

// What the plan has compared.
static void print_costs(page *p, const bp_choice *c) {
    if (c->foreseen > 0.0 && c->next_foreseen > 0.0 && c->rule != BP_RULE_MISFIT) {
        print(p, "cost: about %.3g ns per box expected; the next best, %s, would take %.2g times as long\n",
              c->foreseen, bp_method_name((size_t)c->next), c->next_foreseen / c->foreseen);
    }
}

static void print_facts(page *p, const bp_choice *c) {
    if (c->sampled == 0) {
        return;
    }
    print(p, "boxes: typically %.2g to %.2g long, nearly all within a factor of %.3g; ", c->size, 2.0 * c->size,
          ldexp(1.0, (int)c->octaves));
    if (c->slenderness < 2.0) {
        print(p, "about as wide as long; ");
    } else {
        print(p, "%.3g times as long as wide; ", c->slenderness);
    }
    if (c->infinite > 0.0) {
        print(p, "%.2g %% infinite", 100.0 * c->infinite);
    } else {
        print(p, "none infinite");
    }
    print(p, " (a sample of %u)\n", (unsigned)c->sampled);
    print(p, "space: %.3g x %.3g x %.3g, coordinates up to %.3g; the boxes have %.3g times its volume, ", c->extent[0],
          c->extent[1], c->extent[2], c->farthest, c->filling);
    print(p, "%.2g times as crowded as an even spread; a box is expected to meet %.3g others\n", c->clumping, c->met);
    if (c->moving > 0.0 || c->changes > 0) {
        print(p, "motion: %.2g %% of the objects changed; the search has been switched %u time%s\n", 100.0 * c->moving,
              (unsigned)c->changes, c->changes == 1 ? "" : "s");
    }
}

size_t bp_explain(const bp_stats *stats, char *text, size_t capacity) {
    page p = {.text = text, .capacity = text != NULL ? capacity : 0};
    if (p.capacity > 0) {
        text[0] = '\0';
    }
    if (stats == NULL) {
        return 0;
    }
    const bp_details details = bp_details_read(stats);
    const bp_choice choice = details.choice;
    const char *method = bp_method_name((size_t)stats->method);
    print(&p, "%s: ", method != NULL ? method : "no method");
    print_rule(&p, &choice);
    print(&p, "\n");
    print_costs(&p, &choice);
    print_facts(&p, &choice);
    for (size_t i = 0; i < WARNING_COUNT; ++i) {
        if (applies(i, stats)) {
            print(&p, "warning: %s\n", warnings[i].text);
        }
    }
    return p.length;
}

bp_details bp_stats_details(const bp_stats *stats) {
    return stats != NULL ? bp_details_read(stats) : (bp_details){.sort = BP_SORT_AUTOMATIC};
}
