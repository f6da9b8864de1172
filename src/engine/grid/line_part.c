#include "engine/grid/line_part.h"

#include "base/boxes.h"

// Shortens the part to the time that the line is between `from` and `to` on an axis. False if it never is.
static bool clip_part(bp_line_part *part, int axis, double from, double to) {
    const double origin = part->line->origin[axis];
    const double low = from - part->extent[axis] - part->rounding[axis], high = to + part->rounding[axis];
    if (part->line->direction[axis] == 0.0) {
        return low <= origin && origin <= high;
    }
    const bool forwards = part->line->direction[axis] > 0.0;
    const double enters = ((forwards ? low : high) - origin) * part->inverse[axis];
    const double leaves = ((forwards ? high : low) - origin) * part->inverse[axis];
    part->begin = enters > part->begin ? enters : part->begin;
    part->end = leaves < part->end ? leaves : part->end;
    return part->begin <= part->end;
}

bool bp_line_part_between(const bp_line *line, const double low[3], const double high[3], bp_line_part *part) {
    *part = (bp_line_part){.line = line, .begin = line->begin, .end = line->end};
    bool meets = true;
    for (int axis = 0; axis < 3 && meets; ++axis) {
        const double farthest = fabs(line->origin[axis]) + fabs(line->opposite[axis]);
        part->inverse[axis] = 1.0 / line->direction[axis];
        part->extent[axis] = line->opposite[axis] - line->origin[axis];
        part->rounding[axis] =
            0x1p-45 * (fabs(low[axis]) + fabs(high[axis]) + farthest) + line->rounding[axis] + 0x1p-149;
        meets = clip_part(part, axis, low[axis], high[axis]);
    }
    return meets;
}

// The largest component of the direction.
static double speed_of(const bp_line *line) {
    double speed = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double component = fabs(line->direction[axis]);
        speed = component > speed ? component : speed;
    }
    return speed;
}

bool bp_line_part_probe(const bp_line_part *part, bp_probe_line *probe) {
    const double speed = speed_of(part->line), length = (part->end - part->begin) * speed, limit = 0x1p40;
    bool small = length < 1e36;
    probe->length = bp_round_up(length * (1.0 + 0x1p-20));
    for (int axis = 0; axis < 3; ++axis) {
        const double forwards = part->line->direction[axis] < 0.0 ? -1.0 : 1.0;
        const double inverse = forwards * speed * part->inverse[axis];
        const double origin = bp_line_part_point(part, axis, part->begin);
        // Floats round by 2^-24 of the coordinates. Along axes in which the line does not move, the limit makes faces
        // within this distance pass, too.
        const double tolerance = 0x1p-20 * length + part->rounding[axis];
        const float after = bp_round_up(origin + part->extent[axis] + tolerance);
        const float before = bp_round_down(origin - tolerance);
        probe->inverse[axis] = (float)(forwards * (inverse < limit ? inverse : limit));
        probe->near_origin[axis] = forwards > 0.0 ? after : before;
        probe->far_origin[axis] = forwards > 0.0 ? before : after;
        small &= fabs(origin) + part->extent[axis] < 1e36;
    }
    return small;
}
