// Verdicts: predicates over figures over rows.
//
//     rows --chart_select--> points --figure_measure--> numbers --claim_holds--> a verdict
//
// To add a claim: write a row in claims/claims_WORK.c; bench/README.md has an example.
#include "report/report_claims.h"

#include "formats/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const report_work WORK_SCHORNBAUM, WORK_KOCH, WORK_ZYCH, WORK_ZHYHALLO, WORK_GISSLER;

const report_work *const REPORT_WORKS[] = {
    &WORK_SCHORNBAUM, &WORK_KOCH, &WORK_ZYCH, &WORK_ZHYHALLO, &WORK_GISSLER,
};
const size_t REPORT_WORK_COUNT = sizeof REPORT_WORKS / sizeof *REPORT_WORKS;

const char *verdict_text(claim_verdict verdict) {
    static const char *const TEXTS[] = {"agrees", "agrees in direction", "differs", "not measured"};
    return TEXTS[verdict];
}

// ---------------------------------------------------------------------------------------------------------------------
// Predicates

static bool fail_predicate(const char *place, const char *expected, failure *why) {
    return failure_set(why, STATUS_FAILED, "expected %s, found '%s'", expected, place);
}

static void skip_spaces(const char **place) {
    *place += strspn(*place, " ");
}

// A number, or a figure in braces.
static bool read_operand(const figure_source *source, const char **place, figure_range *range, failure *why) {
    skip_spaces(place);
    if (**place == '{') {
        const size_t length = strcspn(*place, "}");
        if ((*place)[length] == '\0') return fail_predicate(*place, "a '}'", why);
        if (!figure_measure(source, *place + 1, length - 1, range)) {
            return fail_predicate(*place, "a figure of report_figures.c, and one of the claim's selections", why);
        }
        *place += length + 1;
        return true;
    }
    char *end;
    const double value = strtod(*place, &end);
    if (end == *place) return fail_predicate(*place, "a number or a figure in braces", why);
    *range = (figure_range){value, value, 1};
    *place = end;
    return true;
}

typedef enum comparison { BELOW, AT_MOST, ABOVE, AT_LEAST, NEAR } comparison;

// "<", "<=", ">", ">=" or "~10%".
static bool read_comparison(const char **place, comparison *kind, double *tolerance, failure *why) {
    skip_spaces(place);
    *tolerance = 0.0;
    const char sign = **place;
    if (sign == '<' || sign == '>') {
        const bool equal = (*place)[1] == '=';
        *kind = sign == '<' ? (equal ? AT_MOST : BELOW) : (equal ? AT_LEAST : ABOVE);
        *place += 1 + equal;
        return true;
    }
    char *end = NULL;
    if (sign == '~') *tolerance = strtod(*place + 1, &end) / 100.0;
    if (end == NULL || end == *place + 1 || *end != '%') return fail_predicate(*place, "<, <=, >, >= or ~10%", why);
    *kind = NEAR;
    *place = end + 1;
    return true;
}

static bool compare(const figure_range *left, comparison kind, double tolerance, const figure_range *right) {
    switch (kind) {
    case BELOW: return left->high < right->low;
    case AT_MOST: return left->high <= right->low;
    case ABOVE: return left->low > right->high;
    case AT_LEAST: return left->low >= right->high;
    case NEAR: break;
    }
    return fabs(left->low - right->low) <= tolerance * fabs(right->low) &&
           fabs(left->high - right->high) <= tolerance * fabs(right->high);
}

static bool read_condition(const figure_source *source, const char **place, bool *holds, bool *measured, failure *why) {
    figure_range left, right;
    comparison kind = BELOW;
    double tolerance;
    if (!read_operand(source, place, &left, why) || !read_comparison(place, &kind, &tolerance, why) ||
        !read_operand(source, place, &right, why)) {
        return false;
    }
    skip_spaces(place);
    if (**place != '\0' && **place != ';') return fail_predicate(*place, "a ';' or the end", why);
    if (left.count == 0 || right.count == 0) {
        *measured = false;
    } else {
        *holds = *holds && compare(&left, kind, tolerance, &right);
    }
    return true;
}

bool claim_holds(const figure_source *source, const char *predicate, bool *holds, bool *measured, failure *why) {
    *holds = *measured = true;
    for (const char *place = predicate; *place != '\0'; place += *place == ';') {
        if (!read_condition(source, &place, holds, measured, why)) return false;
    }
    *holds = *holds && *measured;
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Claims

static const report_chart *find_chart(const char *id) {
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        for (size_t k = 0; k < REPORT_SECTIONS[i]->chart_count; k++) {
            if (strcmp(REPORT_SECTIONS[i]->charts[k].id, id) == 0) return &REPORT_SECTIONS[i]->charts[k];
        }
    }
    return NULL;
}

// Which charts a claim selects its points by: the one of the page, then its own.
static size_t list_selections(const report_claim *claim, const report_chart *charts[CLAIM_SELECTIONS]) {
    size_t count = 0;
    if (claim->chart != NULL) charts[count++] = find_chart(claim->chart);
    for (size_t i = 0; i < CLAIM_ROWS && claim->rows[i].suite != NULL; i++) charts[count++] = &claim->rows[i];
    return count;
}

static bool judge_points(const report_claim *claim, const figure_source *source, claim_result *result, failure *why) {
    bool agrees, direction = false, measured, weaker_measured = true;
    if (!claim_holds(source, claim->agrees, &agrees, &measured, why)) return false;
    if (claim->direction != NULL && !claim_holds(source, claim->direction, &direction, &weaker_measured, why)) {
        return false;
    }
    const figure_tally told = figures_tell(source, claim->ours, result->ours, sizeof result->ours);
    if (!measured || !weaker_measured || told.missing > 0) return true;
    result->verdict = agrees ? VERDICT_AGREES : direction ? VERDICT_DIRECTION : VERDICT_DIFFERS;
    if (!agrees && claim->reason != NULL) {
        result->in_reason = figures_tell(source, claim->reason, result->reason, sizeof result->reason);
    }
    return true;
}

static bool judge_folder(const report_claim *claim, const report_data *data, const char *folder,
                         chart_data *points[CLAIM_SELECTIONS], claim_result *result, failure *why) {
    const report_chart *charts[CLAIM_SELECTIONS];
    const size_t count = list_selections(claim, charts);
    *result = (claim_result){.verdict = VERDICT_NOT_MEASURED};
    for (size_t i = 0; i < count; i++) {
        if (charts[i] == NULL) return failure_set(why, STATUS_FAILED, "there is no chart '%s'", claim->chart);
        if (!chart_select(charts[i], data, folder, points[i], why)) return false;
    }
    const figure_source source = {(const chart_data *const *)points, count};
    if (!judge_points(claim, &source, result, why)) return false;
    if (result->verdict == VERDICT_NOT_MEASURED) {
        result->ours[0] = '\0';
    } else {
        result->folder = folder;
    }
    return true;
}

static bool is_machine(const char *folder, const char *machine) {
    const char *slash = strrchr(folder, '/');
    return machine == NULL || strcmp(slash == NULL ? folder : slash + 1, machine) == 0;
}

static bool judge_folders(const report_claim *claim, const report_data *data, char **folders, size_t folder_count,
                          chart_data *points[CLAIM_SELECTIONS], claim_result *result, failure *why) {
    *result = (claim_result){.verdict = VERDICT_NOT_MEASURED};
    for (size_t i = 0; i < folder_count && result->verdict == VERDICT_NOT_MEASURED; i++) {
        if (!is_machine(folders[i], claim->machine)) continue;
        if (!judge_folder(claim, data, folders[i], points, result, why)) return false;
    }
    return true;
}

bool claim_judge(const report_work *work, const report_claim *claim, const report_data *data, char **folders,
                 size_t folder_count, claim_result *result, failure *why) {
    chart_data *all = malloc(CLAIM_SELECTIONS * sizeof *all), *points[CLAIM_SELECTIONS];
    if (all == NULL) return failure_memory(why);
    for (size_t i = 0; i < CLAIM_SELECTIONS; i++) points[i] = &all[i];
    const bool good = judge_folders(claim, data, folders, folder_count, points, result, why);
    free(all);
    return good || failure_prefix(why, "the claim of %s, %s: ", work->name, claim->figures);
}

// ---------------------------------------------------------------------------------------------------------------------
// Figures of works

bool claim_next_figure(const char **place, char figure[REPORT_TEXT]) {
    *place += strspn(*place, ", ");
    const size_t length = strcspn(*place, ",");
    snprintf(figure, REPORT_TEXT, "%.*s", (int)length, *place);
    *place += length;
    return length > 0;
}

const report_claim *claim_about(const report_work *work, const char *figure) {
    for (size_t i = 0; i < work->claim_count; i++) {
        char name[REPORT_TEXT];
        for (const char *place = work->claims[i].figures; claim_next_figure(&place, name);) {
            if (strcmp(name, figure) == 0) return &work->claims[i];
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// As lines

static bool write_verdicts_of(const report_work *work, const report_data *data, char **folders, size_t folder_count,
                              output_file *output, failure *why) {
    char figure[REPORT_TEXT];
    for (const char *place = work->figures; claim_next_figure(&place, figure);) {
        const report_claim *claim = claim_about(work, figure);
        claim_result result = {.verdict = VERDICT_NOT_MEASURED};
        if (claim != NULL && !claim_judge(work, claim, data, folders, folder_count, &result, why)) return false;
        output_text(output, "%s\t%s\t%s\t", work->name, figure, verdict_text(result.verdict));
        output_bytes(output, result.ours, strlen(result.ours));
        if (*result.reason != '\0') output_bytes(output, " ", 1);
        output_bytes(output, result.reason, strlen(result.reason));
        output_bytes(output, "\n", 1);
    }
    return true;
}

bool verdicts_write(const report_data *data, char **folders, size_t folder_count, const char *path, failure *why) {
    output_file output;
    if (!output_open(&output, path, why)) return false;
    for (size_t i = 0; i < REPORT_WORK_COUNT; i++) {
        if (write_verdicts_of(REPORT_WORKS[i], data, folders, folder_count, &output, why)) continue;
        output_abandon(&output);
        return false;
    }
    return output_close(&output, why);
}
