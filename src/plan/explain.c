#include "plan/explain.h"

#include "base/details.h"
#include "base/log.h"

#include <float.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

// ---- warnings -------------------------------------------------------------------------------------------------------

enum {
    ENOUGH = 1000,        // objects: fewer are fast anyway
    MANY_PAIRS = 256,     // per object
    MANY_CANDIDATES = 256 // per object, if only one in this many is a pair
};

// Farther than this many of its sizes from the origin, a float resolves the position of an object only to 1/16 of its
// size.
static const double FAR = 0x1p20;

static const double SLENDER = 16.0; // times as long as thick

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

// More candidates than pairs can explain, and few giants are not why.
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
     "most objects share one cell, so most pairs are tested: give their own boxes instead of ones that hold "
     "them all, scale the scene up if they are smaller than floats can tell, or try method split"},
    {is_all_overlapping,
     "objects overlap hundreds of others each, and writing those pairs is most of the work: give "
     "tighter boxes or a smaller margin, or leave out what is not wanted with groups, masks or islands"},
    {has_giants,
     "a few objects are much larger than the others, or infinite, and are tested against very many: cut them "
     "into pieces, make those that never move static, or mask out the pairs that are not wanted"},
    {does_not_fit,
     "this method tests very many pairs of objects of these shapes and places, of which few overlap: use method "
     "auto or split, or give it other settings"},
    {is_far_out,
     "objects are so far from the origin that floats can hardly tell their places apart: move the origin to "
     "where they are, or use the calls that end in _double"},
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

enum { MANY_OCTAVES = 4, TOO_MANY_OCTAVES = 12 }; // of sizes on a surface, at most

// Places of a surface, by the facts, or of a heap: parts of the space are crowded.
static bool are_crowded(const bp_choice *c) {
    return c->octaves <= TOO_MANY_OCTAVES && c->clumping > 1.5;
}

// What makes boxes fit no grid.
static void print_misfit(page *p, const bp_choice *c) {
    print(p, "other searches test very many pairs that do not overlap: ");
    if (c->sampled == 0) {
        print(p, "these shapes, sizes and places fit no cells");
    } else if (c->infinite > 0.0) {
        print(p, "%.2g of the boxes are infinite along an axis, and fit no cell", c->infinite);
    } else if (c->slenderness > SLENDER) {
        print(p, "the boxes are typically %.3g times as long as wide", c->slenderness);
    } else if (are_crowded(c)) {
        print(p, "sizes over %u octave%s crowd in parts of the space, as on a surface, and most cells are empty",
              (unsigned)c->octaves, c->octaves == 1 ? "" : "s");
    } else if (c->octaves >= MANY_OCTAVES) {
        print(p, "sizes over %u octaves share cells", (unsigned)c->octaves);
    } else {
        print(p, "these places fit no cells");
    }
}

static void print_rule(page *p, const bp_choice *c) {
    switch (c->rule) {
    case BP_RULE_ASKED: print(p, "the config asks for it"); break;
    case BP_RULE_GIVEN: print(p, "the config gives parameters of it"); break;
    case BP_RULE_FEW: print(p, "there are so few objects that testing all pairs is fastest"); break;
    case BP_RULE_ORDERED:
        print(p, "boxes that follow one another are near each other, as the triangles of a mesh are");
        break;
    case BP_RULE_ALIKE: print(p, "the boxes are of similar size"); break;
    case BP_RULE_LONG:
    case BP_RULE_THIN: print(p, "the boxes are typically %.3g times as long as wide", c->slenderness); break;
    case BP_RULE_CLUMPS: print(p, "the boxes are of similar size, and crowded in parts of the space"); break;
    case BP_RULE_SCALES:
        print(p, "places are over many scales: %.2g of the boxes are together in tiny cells of the extent",
              c->together);
        break;
    case BP_RULE_KEPT: print(p, "a world keeps it from update to update"); break;
    case BP_RULE_MISFIT: print_misfit(p, c); break;
    case BP_RULE_POINTS: print(p, "points with one radius are sorted into cells of about that size"); break;
    case BP_RULE_MIXED:
    default: print(p, "it suits boxes of any sizes and places"); break;
    }
}

// What the plan has compared.
static void print_costs(page *p, const bp_choice *c) {
    if (c->foreseen > 0.0 && c->next_foreseen > 0.0 && c->rule != BP_RULE_MISFIT) {
        print(p, "costs: about %.3g ns a box were foreseen; the next best, %s, would take about %.2g times as long\n",
              c->foreseen, bp_method_name((size_t)c->next), c->next_foreseen / c->foreseen);
    }
}

static void print_facts(page *p, const bp_choice *c) {
    if (c->sampled == 0) {
        return;
    }
    print(p,
          "boxes: %u looked at; size about %.3g, over %u octaves (x %u, y %u, z %u); %.3g times as long as wide; "
          "%.2g infinite\n",
          (unsigned)c->sampled, c->size, (unsigned)c->octaves, (unsigned)c->axis_octaves[0],
          (unsigned)c->axis_octaves[1], (unsigned)c->axis_octaves[2], c->slenderness, c->infinite);
    print(p,
          "places: extent %.3g, %.3g, %.3g; filled %.2g; clumping %.2g; a box meets about %.2g; %.2g together in tiny "
          "cells; "
          "farthest %.3g\n",
          c->extent[0], c->extent[1], c->extent[2], c->filling, c->clumping, c->met, c->together, c->farthest);
    print(p, "motion: %.3g of the objects changed; search changed %u times\n", c->moving, (unsigned)c->changes);
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
    print(&p, "%s, because ", method != NULL ? method : "no method");
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
