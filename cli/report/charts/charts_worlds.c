// Charts of worlds with motion, neighbours, queries, the choice of the method, hostile shapes, and recordings.
#include "report/report_chart.h"

// clang-format off
static const report_chart WORLDS_CHARTS[] = {
    {
        .id = "living-share", .suite = "living",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "scene=uniform;who=broadphase",
        .x = "tail", .y = "total_ms*1000", .series = "",
        .y_label = "time of an update, µs",
        .title = "10⁶ boxes of which all, some or none move",
        .shows = "An update takes {at||all} µs when all objects move, {at||1%-anew} when a different 1 % moves in each "
                 "step, {at||0.1%-anew} with 0.1 %, and {at||none} when nothing moves.",
    },
    {
        .id = "living-bullet", .suite = "living",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "scene!=uniform",
        .x = "scene tail n", .y = "total_ms", .series = "head",
        .y_label = "time of an update, ms",
        .title = "Beside Bullet's worlds",
        .shows = "Bullet's default takes {ratio|bullet dbvt|hierarchical-grid|game-level*} times as long as ours in a "
                 "game level, {ratio|bullet dbvt|hierarchical-grid|low-motion margin*} times when all objects jitter, "
                 "and {ratio|bullet dbvt|hierarchical-grid|rest told-anew n = 100*} times when all rest but are passed "
                 "again; worlds at rest return in less than a microsecond.",
    },
    {
        .id = "neighbors-growth", .suite = "neighbors",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "who!=limit;threads=1",
        .x = "n", .y = "total_ms/n*1e6", .series = "name",
        .x_label = "points", .y_label = "time per point, ns",
        .title = "All neighbours within a radius",
        .shows = "The k-d tree takes {ratio|nanoflann kd-tree|hierarchical-grid} times as long when it is searched in the "
                 "order of its leaves; {ratio|nanoflann kd-tree/as-given|hierarchical-grid} times in the given "
                 "order.",
    },
    {
        .id = "near-growth", .suite = "near",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .where = "method=points/32-bits|points/64-bits|boxes/32-bits", .x = "n", .y = "total_ms/n*1e6",
        .series = "method scene",
        .x_label = "points", .y_label = "time per point, ns",
        .title = "Thirty neighbours each, in open and in periodic space",
        .shows = "A periodic box costs {ratio|points/32-bits periodic|points/32-bits open} times as much as open space; "
                 "a search by boxes takes {ratio|boxes/32-bits open|points/32-bits open} times as long as the grid of "
                 "points, and 64 bits {ratio|points/64-bits open|points/32-bits open} times as long as 32 bits.",
    },
    {
        .id = "queries-kinds", .suite = "queries",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "tail", .y = "total_ms*1000", .series = "head",
        .y_label = "time of one query, µs",
        .title = "Queries of 10⁶ boxes",
        .shows = "Bullet's tree takes {ratio|bullet tree/top-down|hierarchical-grid} times as long when built from "
                 "the top; {ratio|bullet tree|hierarchical-grid} times when built leaf by leaf.",
    },
};
// clang-format on

const report_section SECTION_WORLDS = {
    .id = "living",
    .title = "Worlds with motion",
    .text = "Worlds in which all, some or no objects move; the neighbours of points; queries of a world. Times are "
            "medians, although the suite itself judges moving worlds by means.",
    .charts = WORLDS_CHARTS,
    .chart_count = sizeof WORLDS_CHARTS / sizeof *WORLDS_CHARTS,
};

// clang-format off
static const report_chart ENGINE_CHARTS[] = {
    {
        .id = "engine-broad-phase", .suite = "engine",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "scene=end;method!=bullet_broadphase/exact",
        .x = "experiment", .y = "total_ms", .series = "name",
        .y_label = "time of the broad phase in a step, ms",
        .title = "The broad phase inside Bullet, in the last third of the steps",
        .shows = "Bullet's default takes {ratio|bullet dbvt|bullet_broadphase|bowl-10000} times as long as ours in a bowl "
                 "of 10,000 spheres, {ratio|bullet dbvt|bullet_broadphase|rain} times in rain on hills, {ratio|bullet "
                 "dbvt|bullet_broadphase|falling} times with 3,000 falling cubes, {ratio|bullet "
                 "dbvt|bullet_broadphase|resting} times with sleeping stacks.",
    },
    {
        .id = "engine-whole-step", .suite = "engine",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "scene=end/whole-step;method!=bullet_broadphase/exact",
        .x = "experiment", .y = "total_ms", .series = "name",
        .y_label = "time of a whole step of the engine, ms",
        .title = "The whole step of the engine: contacts and constraints too",
        .shows = "A step of the bowl of 10,000 takes {ratio|bullet dbvt|bullet_broadphase|bowl-10000} times as long with "
                 "Bullet's default as with ours, one of the rain {ratio|bullet dbvt|bullet_broadphase|rain} times; where "
                 "few objects move, contacts and constraints are nearly all of it: ragdolls {ratio|bullet "
                 "dbvt|bullet_broadphase|ragdolls}.",
    },
};
// clang-format on

const report_section SECTION_ENGINE = {
    .id = "engine",
    .title = "Inside an engine",
    .text = "Worlds of Bullet with rigid bodies, stepped with our broad phase and with Bullet's own. Times are means.",
    .charts = ENGINE_CHARTS,
    .chart_count = sizeof ENGINE_CHARTS / sizeof *ENGINE_CHARTS,
};

// clang-format off
static const report_chart CHOICE_CHARTS[] = {
    {
        .id = "auto-choice", .suite = "auto", .experiment = "auto",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .where = "method=auto",
        .x = "scene", .y = "total_ms", .beside = "method!=auto", .series = "n", .strip = "moving", .mark = 1.15,
        .y_label = "time beside the best method of the case",
        .title = "What the library chooses, beside the best",
        .shows = "In {count} cases, the chosen method takes {mean|} times as long as the best one on average, and {high|} "
                 "times at worst; the dashed line is the promised average.",
        .paper = "Zych 2016, §5, Koch 2020, §5: both ask for an automatic choice, because the best method cannot be "
                 "known in advance.",
    },
};
// clang-format on

const report_section SECTION_CHOICE = {
    .id = "auto",
    .title = "The right method by itself",
    .text = "Every method on every scene, compared with the one that the library chooses.",
    .charts = CHOICE_CHARTS,
    .chart_count = sizeof CHOICE_CHARTS / sizeof *CHOICE_CHARTS,
};

// clang-format off
static const report_chart HOSTILE_CHARTS[] = {
    {
        .id = "worst-time", .suite = "worst", .experiment = "worst",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_WORST, .where = "kind=auto",
        .x = "scene", .y = "total_ms/work", .beside = "method=uniform-boxes", .series = "n", .mark = 15,
        .y_label = "time for each object and pair, beside uniform boxes",
        .title = "The worst of the hostile scenes, alone and between two sets",
        .shows = "In {count} cases, a hostile scene takes {mean|} times as long as uniform boxes on average, and {high|} "
                 "times at worst ({high-at|}); the dashed line is the promise. Calls that took too long were stopped.",
    },
    {
        .id = "worst-peers", .suite = "worst", .experiment = "peers",
        .kind = CHART_DOTS, .flags = CHART_LOG_X, .largest = "n",
        .x = "scene", .y = "total_ms/n*1e6", .series = "name",
        .y_label = "time per object, ns",
        .title = "The method split, which cuts space at planes, beside the default",
        .shows = "The method split takes {ratio|split|auto} times as long as the default; CGAL's segment trees {ratio|cgal "
                 "segment-tree|auto} times.",
    },
    {
        .id = "worst-found", .suite = "worst-search", .experiment = "search",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_WORST, .where = "kind=auto",
        .x = "scene", .y = "total_ms/work", .beside = "method=uniform-boxes", .series = "n", .mark = 20,
        .y_label = "time for each object and pair, beside uniform boxes",
        .title = "The worst that a random search found",
        .shows = "The worst of the scenes that were found take {range|} times as long as uniform boxes; the dashed line "
                 "is what was promised. Their parameters stand in the file.",
    },
};
// clang-format on

const report_section SECTION_HOSTILE = {
    .id = "worst",
    .title = "Hostile shapes",
    .text = "Needles, plates, onions, half-infinite boxes and other shapes with few pairs, in one call with the "
            "default config, alternating with a call on as many uniform boxes. Compared is the time per object "
            "and pair.",
    .charts = HOSTILE_CHARTS,
    .chart_count = sizeof HOSTILE_CHARTS / sizeof *HOSTILE_CHARTS,
};

// clang-format off
static const report_chart RECORDINGS_CHARTS[] = {
    {
        .id = "trace-methods", .suite = "trace",
        .kind = CHART_DOTS, .flags = CHART_LOG_X | CHART_SORT, .where = "who!=limit",
        .x = "name", .y = "total_ms/n*1e6", .series = "scene",
        .y_label = "time per object and step, ns",
        .title = "Recordings of your own",
        .shows = "Beside the best, the hierarchical grid takes {beside|hierarchical-grid} times as long.",
    },
};
// clang-format on

const report_section SECTION_RECORDINGS = {
    .id = "trace",
    .title = "Recordings",
    .text = "Your own scenes, replayed (broadphase bench --suite trace --file FILE.npy).",
    .charts = RECORDINGS_CHARTS,
    .chart_count = sizeof RECORDINGS_CHARTS / sizeof *RECORDINGS_CHARTS,
};
