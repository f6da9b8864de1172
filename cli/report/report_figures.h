// Figures about the points of charts, as numbers and in sentences. What they are called: report_figures.c.
#ifndef TOOL_REPORT_FIGURES_H
#define TOOL_REPORT_FIGURES_H

#include "report/report_chart.h"

// Selections of points; "{2:...}" means the second.
typedef struct figure_source {
    const chart_data *const *points;
    size_t count;
} figure_source;

typedef struct figure_range {
    double low, high;
    size_t count; // of numbers; 0: not measured
} figure_range;

enum { FIGURE_WORDS = 192 };

// "exponent|octree", `length` characters. False where no figure has that name, or no selection that number.
bool figure_measure(const figure_source *source, const char *words, size_t length, figure_range *range);

typedef struct figure_tally {
    size_t all, missing;
} figure_tally;

// Writes a text with the figures in its braces. Returns how many there were, and how many could not be computed.
figure_tally figures_tell(const figure_source *source, const char *text, char *sentence, size_t size);

// The same without the parts, between semicolons, whose figures could not be computed; "" where none is left.
void figures_tell_known(const figure_source *source, const char *text, char *sentence, size_t size);

#endif
