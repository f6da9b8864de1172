// Colours by entrant, shapes and dashes by setting; at most seven series in a picture.
#include "report/report_styles.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Colours

typedef struct known_style {
    const char *name;
    const char *colour;
    int point;
} known_style;

// These look the same on the whole page, with whatever settings: the longest name that a label begins with counts.
static const known_style KNOWN[] = {
    // ours
    {"hierarchical-grid", "#1f77b4", 7},
    {"hierarchical-grid form=linked", "#d55e00", 5},
    {"auto", "#1f77b4", 7},
    {"broadphase", "#1f77b4", 7},
    {"brute-force", "#7f7f7f", 5},
    {"linked-cells", "#e69f00", 5},
    {"form=linked", "#d55e00", 5}, // where the name of the grid is dropped
    {"octree", "#8456b8", 9},
    {"plain-octree", "#8456b8", 9},
    {"plain-octree-kept", "#e69f00", 9},
    {"loose-octree", "#b58ad6", 11},
    {"bvh", "#d6402c", 13},
    {"sweep-and-prune", "#2f9e44", 11},
    {"compact-grid", "#00909e", 9},
    {"spatial-hash", "#b58900", 13},
    {"cuckoo-grid", "#d6409f", 5},
    {"pivot-grid", "#8c564b", 11},
    {"dense", "#8c564b", 11}, // where the name of the pivot grid is dropped
    {"chunk=8", "#2a7f8e", 7},
    {"chunk=32", "#5b8ff9", 5},
    {"narrow-phase", "#4a5568", 7},
    {"bullet_broadphase", "#1f77b4", 7},
    // others
    {"embree collide", "#009e73", 9},
    {"embree refit", "#009e73", 8},
    {"bullet", "#c2569b", 13},
    {"bullet dbvt", "#c2569b", 13},
    {"bullet dbvt/deferred", "#e08cc0", 12},
    {"bullet tree", "#9b59b6", 12},
    {"bullet sweep16", "#8a8f1d", 11},
    {"bullet sweep32", "#8a8f1d", 10},
    {"bullet brute-force", "#a3a3a3", 4},
    {"boost rtree", "#a0522d", 4},
    {"fcl tree", "#6a7fdb", 5},
    {"fcl ssap", "#6a7fdb", 4},
    {"fcl hash", "#6a7fdb", 1},
    {"cgal segment-tree", "#e4572e", 11},
    {"ode sap", "#b07aa1", 7},
    {"ode hash", "#b07aa1", 6},
    {"nanoflann kd-tree", "#e07b39", 5},
    {"pozzer table", "#c0504d", 9},
    {"std unordered-map", "#7f7f7f", 13},
    {"limit", "#8a94a0", 9},
    {"boxes read and pairs written", "#8a94a0", 13},
    // scenes
    {"uniform", "#1f77b4", 7},
    {"mixed", "#d55e00", 5},
    {"low-motion", "#009e73", 9},
    {"long", "#a05195", 13},
    {"reference", "#b8860b", 11},
    {"very-inhomogeneous", "#5b8ff9", 6},
    {"very-polydisperse", "#c0504d", 4},
    {"more-polydisperse", "#009e73", 9},
    {"flat", "#009e73", 9},
    {"stretched", "#b8860b", 11},
    {"ours", "#1f77b4", 7},
};
enum { KNOWN_COUNT = sizeof KNOWN / sizeof *KNOWN };

// What is not known takes these in turn.
static const known_style OTHERS[] = {
    {"", "#1f77b4", 7},  {"", "#d55e00", 5}, {"", "#009e73", 9}, {"", "#a05195", 13},
    {"", "#b8860b", 11}, {"", "#5b8ff9", 6}, {"", "#c0504d", 4}, {"", "#7f7f7f", 8},
};
enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS };

static const char *const DASHES[] = {"solid", "(10,4)", "(3,3)", "(12,4,3,4)", "(6,3)", "(16,4)", "(2,4)"};
static const int POINTS[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
enum { DASH_COUNT = sizeof DASHES / sizeof *DASHES, POINT_COUNT = sizeof POINTS / sizeof *POINTS };

// What a label says of whose numbers these are.
static bool skip_word(const char **label, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(*label, word, length) != 0 || (*label)[length] != ' ') return false;
    *label += length + 1;
    return true;
}

// Whether a label begins with a name that ends there, or goes on with settings.
static bool begins_with(const char *label, const char *name) {
    const size_t length = strlen(name);
    return strncmp(label, name, length) == 0 && (label[length] == '\0' || label[length] == ' ');
}

static const known_style *find_known(const char *label) {
    const known_style *found = NULL;
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (!begins_with(label, KNOWN[i].name)) continue;
        if (found == NULL || strlen(KNOWN[i].name) > strlen(found->name)) found = &KNOWN[i];
    }
    return found;
}

// The series that a chart is about: the default method, or the library beside others.
static bool is_main(const char *label) {
    return strcmp(label, "hierarchical-grid") == 0 || strcmp(label, "broadphase") == 0;
}

static bool is_colour_taken(const series_style *styles, size_t count, const char *colour) {
    for (size_t i = 0; i < count; i++) {
        if (styles[i].colour != NULL && strcmp(styles[i].colour, colour) == 0) return true;
    }
    return false;
}

static bool is_shape_taken(const series_style *styles, size_t count, const char *colour, int point) {
    for (size_t i = 0; i < count; i++) {
        if (styles[i].colour == NULL || strcmp(styles[i].colour, colour) != 0) continue;
        if (styles[i].point == point) return true;
    }
    return false;
}

// The wanted shape, or another one that no series of this colour has yet.
static int free_point(const series_style *styles, size_t count, const char *colour, int wanted) {
    for (size_t i = 0; i < POINT_COUNT && is_shape_taken(styles, count, colour, wanted); i++) wanted = POINTS[i];
    return wanted;
}

static size_t count_of_colour(const series_style *styles, size_t count, const char *colour) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += styles[i].colour != NULL && strcmp(styles[i].colour, colour) == 0;
    return found;
}

static int hollow(int point) {
    return point >= 5 && point % 2 == 1 ? point - 1 : point;
}

static void style_known(const chart_data *points, size_t index, series_style *styles) {
    const char *label = points->series[index].label;
    const bool published = skip_word(&label, "published");
    if (!published) (void)skip_word(&label, "ours");
    const known_style *known = find_known(label);
    if (known == NULL) return;
    const size_t others = count_of_colour(styles, index, known->colour);
    const int wanted = published ? hollow(known->point) : known->point;
    styles[index] = (series_style){known->colour, free_point(styles, index, known->colour, wanted),
                                   published ? "(2,3)" : DASHES[others % DASH_COUNT], !published && is_main(label)};
}

static void style_other(const chart_data *points, size_t index, series_style *styles) {
    size_t other = 0;
    while (other + 1 < OTHER_COUNT && is_colour_taken(styles, points->series_count, OTHERS[other].colour)) other++;
    styles[index] = (series_style){OTHERS[other].colour,
                                   free_point(styles, points->series_count, OTHERS[other].colour, OTHERS[other].point),
                                   DASHES[other % DASH_COUNT], false};
}

void chart_style(const chart_data *points, series_style styles[CHART_SERIES_MAX]) {
    memset(styles, 0, CHART_SERIES_MAX * sizeof *styles);
    for (size_t i = 0; i < points->series_count; i++) style_known(points, i, styles);
    for (size_t i = 0; i < points->series_count; i++) {
        if (styles[i].colour == NULL) style_other(points, i, styles);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Which series

// Whether a label is in a list like "octree|sweep*".
static bool is_named(const char *label, const char *names) {
    for (const char *name = names; *name != '\0';) {
        const size_t length = strcspn(name, "|");
        const bool open = length > 0 && name[length - 1] == '*';
        if (strncmp(label, name, length - open) == 0 && (open || label[length] == '\0')) return true;
        name += length + (name[length] == '|');
    }
    return false;
}

// Whether fewer than seven series come before this one: ours as it comes, then those that end lower.
static bool is_among_smallest(const chart_data *all, size_t index) {
    const chart_series *series = &all->series[index];
    if (series->count == 0) return false;
    if (is_main(series->label)) return true;
    size_t before = 0;
    for (size_t i = 0; i < all->series_count; i++) {
        const chart_series *other = &all->series[i];
        if (i == index || other->count == 0) continue;
        before += is_main(other->label) || other->points[other->count - 1].y < series->points[series->count - 1].y;
    }
    return before < CHART_SHOWN_MAX;
}

// Of categories with the worst first, only those.
static void keep_worst(chart_data *picked) {
    if (picked->category_count <= CHART_WORST_MAX) return;
    picked->category_count = CHART_WORST_MAX;
    for (size_t i = 0; i < picked->series_count; i++) {
        chart_series *series = &picked->series[i];
        while (series->count > 0 && series->points[series->count - 1].x >= CHART_WORST_MAX) series->count--;
    }
}

void chart_pick(const report_chart *chart, const chart_data *all, chart_data *picked) {
    const bool few = all->series_count <= CHART_SHOWN_MAX || chart->kind == CHART_STACKS;
    picked->series_count = 0;
    picked->category_count = all->category_count;
    memcpy(picked->categories, all->categories, sizeof picked->categories);
    for (size_t i = 0; i < all->series_count; i++) {
        const bool wanted = few                    ? true
                            : chart->shown != NULL ? is_named(all->series[i].label, chart->shown)
                                                   : is_among_smallest(all, i);
        if (wanted) picked->series[picked->series_count++] = all->series[i];
    }
    if ((chart->flags & CHART_WORST) != 0) keep_worst(picked);
}
