// The picture of the demo, as SVG: a slice through the scene and a bar chart of the times for each number of boxes.
#ifndef TOOL_DEMO_PICTURE_H
#define TOOL_DEMO_PICTURE_H

#include "formats/failure.h"

#include <broadphase/broadphase.h>

enum { DEMO_TEXT_MAX = 64, DEMO_ROWS_MAX = 64, DEMO_NOTES_MAX = 4, DEMO_NOTE_LENGTH_MAX = 256 };

// A method with a number of threads. The times are those of the median step, unless the row was left out.
typedef struct demo_row {
    bp_method method;
    uint32_t threads;
    size_t objects;
    bool is_default;    // the method that the library chooses for these boxes
    double left_out_ms; // 0: measured; else what a step takes, or would take
    double update_ms, find_ms;
    double speed_up; // times as fast as brute force; 0: unknown
    size_t pairs;
    double bytes_per_object;
} demo_row;

// Rows of the same number of boxes stand together: those measured, the fastest first, then those left out.
typedef struct demo_results {
    demo_row rows[DEMO_ROWS_MAX];
    size_t row_count;
    char notes[DEMO_NOTES_MAX][DEMO_NOTE_LENGTH_MAX]; // sentences below the chart
    size_t note_count;
} demo_results;

static inline double demo_total_ms(const demo_row *row) {
    return row->update_ms + row->find_ms;
}

// Texts that the table and the picture share; each returns `text`.
const char *demo_time_text(char text[DEMO_TEXT_MAX], double ms);
const char *demo_speed_up_text(char text[DEMO_TEXT_MAX], const demo_row *row);
const char *demo_left_out_text(char text[DEMO_TEXT_MAX], const demo_row *row);

// `boxes` are those of the slice.
bool demo_picture_write(const char *path, const demo_results *results, const bp_box *boxes, size_t count, failure *why);

#endif
