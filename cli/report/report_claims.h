// What the works that this library builds on found, figure by figure, and whether our rows say the same.
//
// A claim is a predicate over rows: nobody writes a verdict, it is computed anew from every set of results.
#ifndef TOOL_REPORT_CLAIMS_H
#define TOOL_REPORT_CLAIMS_H

#include "report/report_figures.h"

enum { CLAIM_ROWS = 4, CLAIM_SELECTIONS = CLAIM_ROWS + 1, CLAIM_TEXT = 1024 };

// Predicates are conditions that must all hold, separated by ';', each comparing figures (report_figures.c) and numbers:
//
//     "{exponent|hash-grid uniform} <= 1.1; {ratio|all pairs|hash-grid} > 2"
//     "{at|hash-grid|100000} ~10% 960000"         within 10 % of what stands on the right
//     "{exponent|a} < {exponent|b}"
//
// A figure with a range must keep the condition at both of its ends.
//
// Predicates say what the work says, not what our rows show. Where it prints a count, ours agrees within 10 %; a ratio of
// times, within 20 %, because its machine was another one. Where it uses words, these are read alike in all works:
//
//     linear                 an exponent of at most 1.1; between linear and quasi-linear: at most 1.2
//     quadratic              one within 10 % of 2
//     grows, falls           by more than 10 %, or at each step
//     does not depend on     the largest is less than 1.25 times the smallest
//     faster, slower         at all places, or in the mean where the work says "in general"
//
// "Agrees in direction" means that the same one wins, or that it changes the same way, by another amount.
typedef struct report_claim {
    const char *figures;           // of the work, as it names them, separated by commas: "Fig. 20", "Table 8, Table 9"
    const char *found;             // what it found there, in one sentence
    const char *printed;           // its numbers; NULL: it prints none
    const char *chart;             // the id of a chart: its points are the first selection; NULL: none
    report_chart rows[CLAIM_ROWS]; // the next selections: suite, experiment, kind, flags, where, x, y, series, ...
    const char *machine;   // only the results of this folder of bench/results; NULL: the first that has the rows
    const char *agrees;    // a predicate
    const char *direction; // a weaker one: "agrees in direction"; NULL: none
    const char *ours;      // a sentence with figures: what our rows say, beside `printed`
    const char *reason;    // why we do not agree, with figures; shown when that is so
} report_claim;

typedef struct report_work {
    const char *id;      // of the place in the page
    const char *name;    // "Schornbaum 2009"
    const char *title;   // authors, title, place
    const char *figures; // all figures and tables that measure something, separated by commas
    const report_claim *claims;
    size_t claim_count;
} report_work;

extern const report_work *const REPORT_WORKS[];
extern const size_t REPORT_WORK_COUNT;

typedef enum claim_verdict {
    VERDICT_AGREES,
    VERDICT_DIRECTION,
    VERDICT_DIFFERS,
    VERDICT_NOT_MEASURED,
    VERDICT_COUNT
} claim_verdict;

const char *verdict_text(claim_verdict verdict);

typedef struct claim_result {
    claim_verdict verdict;
    const char *folder;      // whose rows were used; NULL: not measured
    char ours[CLAIM_TEXT];   // "" where not measured
    char reason[CLAIM_TEXT]; // "" where the claim agrees, or has none
    figure_tally in_reason;
} claim_result;

// Judges a claim by the first folder that has all of its rows. False where the claim itself is wrong, as in a predicate
// that cannot be read.
bool claim_judge(const report_work *work, const report_claim *claim, const report_data *data, char **folders,
                 size_t folder_count, claim_result *result, failure *why);

// Whether a predicate holds. Where a figure is missing *measured is false. False where it cannot be read.
bool claim_holds(const figure_source *source, const char *predicate, bool *holds, bool *measured, failure *why);

// The next part of a list with commas, from *place on; false at its end.
bool claim_next_figure(const char **place, char figure[REPORT_TEXT]);

// The claim about a figure of a work; NULL: there is none.
const report_claim *claim_about(const report_work *work, const char *figure);

// One line for each figure of each work, for a person or for grep: work, figure, verdict, sentences; tabs between them.
bool verdicts_write(const report_data *data, char **folders, size_t folder_count, const char *path, failure *why);

#endif
