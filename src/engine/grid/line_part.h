// Lines, the part of a line between some bounds, and that part in the form of the kernels.
#ifndef BP_LINE_PART_H
#define BP_LINE_PART_H

#include "kernels/kernels.h"

// The points origin + t * direction for t in begin .. end; or, where `opposite` is another point, the box between the two
// that moves like this. All numbers are finite, except perhaps the end.
typedef struct bp_line {
    double origin[3], opposite[3]; // the min and max corners of the box
    double direction[3];
    double rounding[3]; // error bounds of its points, beyond the rounding of such coordinates
    double begin, end;
} bp_line;

// The part of a line that passes some bounds.
typedef struct bp_line_part {
    const bp_line *line;
    double inverse[3];  // of the direction; infinite where that is 0
    double extent[3];   // of the box that moves
    double rounding[3]; // more than all rounding errors of coordinates together
    double begin, end;
} bp_line_part;

static inline double bp_line_part_point(const bp_line_part *part, int axis, double t) {
    return part->line->origin[axis] + t * part->line->direction[axis];
}

// The part of a line on which it may hit boxes between these bounds. False if there is none.
bool bp_line_part_between(const bp_line *line, const double low[3], const double high[3], bp_line_part *part);

// The part in the form of the kernels. False if its numbers are too large for floats.
bool bp_line_part_probe(const bp_line_part *part, bp_probe_line *probe);

#endif
