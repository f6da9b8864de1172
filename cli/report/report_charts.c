// The sections of the report in their order, each with its charts: one file of charts/ for a group of suites.
//
// To add a chart: write a row in one of these files. Its id is the name of its picture; where, x, y and series say which
// rows it shows and how (see report_chart.h); `shows` is one sentence with figures from the data (report_figures.c),
// `paper` what a paper found.
#include "report/report_chart.h"

extern const report_section SECTION_PEERS, SECTION_SCALING, SECTION_SCHORNBAUM, SECTION_KOCH, SECTION_ZHYHALLO,
    SECTION_GISSLER, SECTION_ZYCH, SECTION_WORLDS, SECTION_ENGINE, SECTION_CHOICE, SECTION_HOSTILE, SECTION_RECORDINGS,
    SECTION_CARDS, SECTION_PROCESSES;

const report_section *const REPORT_SECTIONS[] = {
    &SECTION_PEERS,
    &SECTION_SCALING,
    &SECTION_WORLDS,
    &SECTION_ENGINE,
    &SECTION_CHOICE,
    &SECTION_HOSTILE,
    &SECTION_RECORDINGS,
    &SECTION_CARDS,
    &SECTION_PROCESSES,
    // the literature
    &SECTION_SCHORNBAUM,
    &SECTION_KOCH,
    &SECTION_ZYCH,
    &SECTION_ZHYHALLO,
    &SECTION_GISSLER,
};
const size_t REPORT_SECTION_COUNT = sizeof REPORT_SECTIONS / sizeof *REPORT_SECTIONS;
const size_t REPORT_LITERATURE = 9;
