/// broadphase: tuning. Why did the library choose this method, and which config is the fastest for your scene?
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_TUNE_H
#define BROADPHASE_TUNE_H

#include <broadphase/broadphase_methods.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------------------
// 1. Explaining a choice

/// Explains the statistics of a call or update in English, a line each: the method, the rule that chose it and the numbers
/// that the rule looked at; and warnings for scenes that are slow, each with a remedy. Writes at most `capacity` bytes,
/// a final zero included, and returns the length of the whole text without it, as snprintf does.
BP_API size_t bp_explain(const bp_stats *stats, char *text, size_t capacity);

/// Why a search ran.
typedef enum bp_rule {
    BP_RULE_ASKED = 0, ///< config.method names it
    BP_RULE_GIVEN, ///< the settings name hierarchical-grid by its parameters: hierarchy_factor, cell_size, grid_size, ...
    BP_RULE_FEW,   ///< too few objects to be worth planning: all pairs are tested
    BP_RULE_ORDERED, ///< boxes that follow one another are near each other, as in a mesh: tree, in the order of the boxes
    BP_RULE_ALIKE,   ///< the cheapest search for objects of similar sizes, spread evenly
    BP_RULE_LONG,    ///< ... for objects 4 to 16 times as long as wide
    BP_RULE_THIN,    ///< ... for objects 16 times as long as wide, or more
    BP_RULE_CLUMPS, ///< ... for objects of similar sizes that are crowded in parts of the space
    BP_RULE_SCALES, ///< ... for clusters of very different scales, where a curve cannot tell small boxes apart
    BP_RULE_MIXED,  ///< ... for objects of many sizes, or infinite ones
    BP_RULE_KEPT,   ///< a world: tree, which follows its changes
    BP_RULE_MISFIT, ///< another search had to test too many pairs that do not overlap: split
    BP_RULE_POINTS  ///< neighbours of points that have one radius: linked-cells, in a form for points
} bp_rule;

/// What BP_METHOD_AUTO looked at, in a sample of the boxes, and the rule that decided. If there was nothing to choose, only the
/// rule is set, and the rest is zero. The choice depends on the input alone: not on times, nor on the number of threads.
typedef struct bp_choice {
    bp_rule rule;
    uint32_t sampled; ///< boxes in the sample
    uint32_t octaves; ///< factors of two between the smallest and the largest size (longest edge), without outliers
    uint32_t axis_octaves[3]; ///< factors of two between the shortest and the longest edge along each axis
    double size;              ///< the median size, rounded to a power of two
    double extent[3];         ///< of the space that the boxes occupy
    double together;          ///< share of the boxes that are in the same cell of a grid of 512^3 as another one
    double unevenness;    ///< the longest edge along an axis divided by the mean one, on the axis where this is largest
    double clumping;      ///< how much more often two boxes share a cell of the extent than if spread evenly
    double met;           ///< others that a box is expected to overlap
    double filling;       ///< the volume of all boxes, divided by that of the extent
    double giants;        ///< share of boxes that are infinite, or 16 times the median and 1/8 of the extent
    double infinite;      ///< share of boxes that are infinite along an axis
    double slenderness;   ///< the longest edge divided by the second longest: the median, as a power of two
    double flatness;      ///< the second longest edge divided by the shortest, as a binary logarithm: the mean
    double farthest;      ///< largest coordinate
    double moving;        ///< worlds: share of the objects that had changed in the update that looked
    uint32_t changes;     ///< worlds: how often the search was changed
    bp_method next;       ///< the search that would have been the next best, and
    double foreseen;      ///< what the table of costs foresaw for the one that ran, in nanoseconds a box of one core
    double next_foreseen; ///< and for the next best; 0: costs were not compared
    uint64_t reserved[6];
} bp_choice;

/// More statistics of a call or update.
typedef struct bp_details {
    bp_choice choice;     ///< why this method
    bp_compact_sort sort; ///< compact-grid: the sort that ran (never BP_SORT_AUTOMATIC); otherwise 0
    double changed_share; ///< compact-grid: share of objects that have changed cell since the last update
    uint32_t handed_over; ///< 1: another search had to test too many pairs, and split took over
    double sort_seconds;  ///< compact-grid: time of the sort alone, a part of bp_stats.build_seconds
    uint64_t reserved[6];
} bp_details;

/// Reads bp_stats.details. `stats` may be NULL: then everything is zero.
BP_API bp_details bp_stats_details(const bp_stats *stats);

// ---------------------------------------------------------------------------------------------------------------------
// 2. Tuning

/// A scene: what happens to a world in each of `steps` steps. Step 0 gets an empty world and fills it; later steps move,
/// add or remove objects. The scene is played many times, each time from step 0 with a new world, and must do the same each
/// time. A status other than BP_OK ends the tuning, which returns it.
typedef struct bp_scenario {
    bp_status (*step)(void *context, bp_world *world, size_t step) BP_ZERO;
    void *context BP_ZERO;
    size_t steps BP_ZERO;
    uint64_t reserved[2] BP_ZERO; ///< 0
} bp_scenario;

/// A config and how fast it was.
typedef struct bp_tuned {
    bp_config config;            ///< yours, with another method and update; config.settings points to `settings` here
    bp_method_settings settings; ///< yours, with other values for that method
    double seconds; ///< for a step, bp_update included: the median of `runs`; step 0 counts only if it is the only step
    double spread;  ///< (slowest - fastest run) / median
    uint32_t runs;  ///< 0: not tried, because it would have taken too long
    uint32_t steps; ///< in each run
    uint64_t reserved[4];
} bp_tuned;

/// Times all methods, some with a few settings, on a scene: all of them on its first steps, the better half on twice as
/// many, and so on, until one is left or `budget` seconds have passed (a run that has begun is finished). Those far behind
/// are dropped at once. `ranked` gets the first `capacity` of them, the fastest first; *found (may be NULL) is how many
/// there are. All of them must find the same number of pairs in the same step, otherwise the result is BP_ERROR_INTERNAL.
/// `config` (NULL: defaults) gives dimensions, threads, margin, flags and hooks; its method has no effect.
/// Processor time is measured with one thread, otherwise elapsed time.
BP_API bp_status bp_tune(const bp_config *config, const bp_scenario *scenario, double budget, bp_tuned *ranked,
                         size_t capacity, size_t *found);

#ifdef __cplusplus
}
#endif

#endif
