// broadphase report: results of benchmarks -> one HTML page with charts.
#include "commands/command.h"
#include "report/report_claims.h"
#include "report/report_html.h"
#include "report/report_page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(member) offsetof(command_line, member)

enum { PATH_SIZE = 4096 };

static const tool_option OPTIONS[] = {
    {"--charts", "FOLDER", OPTION_TEXT, AT(charts), "also write each chart as a file, NAME.svg"},
    {"--verdicts", NULL, OPTION_FLAG, AT(verdicts),
     "print only whether the results agree with the literature, a line each"},
    {"-o", "FILE.html", OPTION_TEXT, offsetof(command_line, output), "the page (default: report.html)"},
};

static const char DEFAULT_FOLDER[] = "bench/results/zen4-2-cores";

typedef struct report_run {
    const command_line *arguments;
    report_data data;
    chart_data *points;
    report_figure *figures;
    size_t figure_count, capacity;
    char work[PATH_SIZE]; // gnuplot's files
} report_run;

// ---------------------------------------------------------------------------------------------------------------------
// Charts

// The machine: the last part of a folder's path.
static const char *last_part(const char *folder) {
    const char *slash = strrchr(folder, '/');
    return slash == NULL || slash[1] == '\0' ? folder : slash + 1;
}

static report_figure *add_figure(report_run *run) {
    if (run->figure_count == run->capacity) {
        size_t capacity = run->capacity == 0 ? 32 : 2 * run->capacity;
        report_figure *grown = realloc(run->figures, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        run->figures = grown;
        run->capacity = capacity;
    }
    report_figure *figure = &run->figures[run->figure_count++];
    *figure = (report_figure){0};
    return figure;
}

static bool write_chart(const report_run *run, const report_figure *figure, failure *why) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.svg", run->arguments->charts, figure->id);
    output_file output;
    if (!output_open(&output, path, why)) return false;
    const char *body = strchr(figure->svg, '>') + 1; // the style comes behind the opening tag
    output_bytes(&output, figure->svg, (size_t)(body - figure->svg));
    output_text(&output, "\n<style>\n%s</style>", HTML_CHART_STYLE);
    output_bytes(&output, body, strlen(body));
    return output_close(&output, why);
}

static bool draw(report_run *run, const report_chart *chart, const char *folder, bool first, failure *why) {
    report_figure *figure = add_figure(run);
    if (figure == NULL) return failure_memory(why);
    figure->chart = chart;
    figure->folder = folder;
    figure->again = !first;
    snprintf(figure->id, sizeof figure->id, "%s%s%s", chart->id, first ? "" : "-", first ? "" : last_part(folder));
    const chart_data *const selections[] = {run->points};
    const figure_source source = {selections, 1};
    figures_tell_known(&source, chart->shows, figure->sentence, sizeof figure->sentence);
    if (!chart_draw(chart, run->points, figure->id, run->work, &figure->svg, why)) return false;
    return run->arguments->charts == NULL || write_chart(run, figure, why);
}

static size_t count_points(const chart_data *points) {
    size_t count = 0;
    for (size_t i = 0; i < points->series_count; i++) count += points->series[i].count;
    return count;
}

// The folder that is shown first: the machine that the chart prefers, or the one with the most points.
static bool find_first(report_run *run, const report_chart *chart, char **folders, size_t folder_count, size_t *first,
                       failure *why) {
    size_t most = 0;
    *first = 0;
    for (size_t i = 0; i < folder_count; i++) {
        if (!chart_select(chart, &run->data, folders[i], run->points, why)) return false;
        const size_t count = count_points(run->points);
        const bool preferred = chart->machine != NULL && strcmp(last_part(folders[i]), chart->machine) == 0;
        if (count > most || (preferred && count > 0)) *first = i;
        if (preferred && count > 0) return true;
        if (count > most) most = count;
    }
    return true;
}

static bool draw_folder(report_run *run, const report_chart *chart, const char *folder, bool first, failure *why) {
    if (!chart_select(chart, &run->data, folder, run->points, why)) return false;
    return run->points->series_count == 0 || draw(run, chart, folder, first, why);
}

// A chart is drawn for each folder that has something to show.
static bool draw_chart(report_run *run, const report_chart *chart, char **folders, size_t folder_count, failure *why) {
    size_t first;
    if (!find_first(run, chart, folders, folder_count, &first, why)) return false;
    if (!draw_folder(run, chart, folders[first], true, why)) return false;
    for (size_t i = 0; i < folder_count; i++) {
        if (i != first && !draw_folder(run, chart, folders[i], false, why)) return false;
    }
    return true;
}

static bool draw_section(report_run *run, const report_section *section, char **folders, size_t folder_count,
                         failure *why) {
    for (size_t i = 0; i < section->chart_count; i++) {
        if (!draw_chart(run, &section->charts[i], folders, folder_count, why)) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The work

static bool make_folders(report_run *run, failure *why) {
    const char *base = getenv("TMPDIR");
    snprintf(run->work, sizeof run->work, "%s/broadphase-report-XXXXXX", base == NULL || *base == '\0' ? "/tmp" : base);
    if (mkdtemp(run->work) == NULL) {
        run->work[0] = '\0';
        return failure_set(why, STATUS_FAILED, "no folder for temporary files: %s; set TMPDIR", strerror(errno));
    }
    const char *charts = run->arguments->charts;
    if (charts == NULL || mkdir(charts, 0777) == 0 || errno == EEXIST) return true;
    return failure_set(why, STATUS_FAILED, "%s: cannot be created: %s", charts, strerror(errno));
}

static bool list_verdicts(report_run *run, char **folders, size_t folder_count, failure *why) {
    return report_data_read(&run->data, folders, folder_count, why) &&
           verdicts_write(&run->data, folders, folder_count, output_path(run->arguments), why);
}

static bool make_report(report_run *run, char **folders, size_t folder_count, failure *why) {
    const char *path = run->arguments->output == NULL ? "report.html" : run->arguments->output;
    if (!report_data_read(&run->data, folders, folder_count, why) || !make_folders(run, why)) return false;
    run->points = malloc(sizeof *run->points);
    if (run->points == NULL) return failure_memory(why);
    for (size_t i = 0; i < REPORT_SECTION_COUNT; i++) {
        if (!draw_section(run, REPORT_SECTIONS[i], folders, folder_count, why)) return false;
    }
    const report_page page = {&run->data, folders, folder_count, run->figures, run->figure_count};
    if (!report_page_write(&page, path, why)) return false;
    if (!run->arguments->quiet) {
        fprintf(stderr, "%s: %zu charts from %zu rows of %zu files; %zu charts without data are listed at its end\n",
                path, run->figure_count, run->data.row_count, run->data.file_count, report_page_missing(&page));
    }
    return true;
}

static void clean_up(report_run *run) {
    static const char *const FILES[] = {"chart.gnuplot", "chart.svg", "messages"};
    for (size_t i = 0; run->work[0] != '\0' && i < sizeof FILES / sizeof *FILES; i++) {
        char path[PATH_SIZE + 32];
        snprintf(path, sizeof path, "%s/%s", run->work, FILES[i]);
        (void)remove(path);
    }
    if (run->work[0] != '\0') (void)rmdir(run->work);
    for (size_t i = 0; i < run->figure_count; i++) free(run->figures[i].svg);
    free(run->figures);
    free(run->points);
    report_data_free(&run->data);
}

static bool run_report(const command_line *arguments, failure *why) {
    char folder[sizeof DEFAULT_FOLDER];
    memcpy(folder, DEFAULT_FOLDER, sizeof folder);
    char *standard[] = {folder};
    const bool named = arguments->operand_count > 0;
    report_run report = {.arguments = arguments};
    char **folders = named ? arguments->operands : standard;
    const size_t folder_count = named ? arguments->operand_count : 1;
    bool good = arguments->verdicts ? list_verdicts(&report, folders, folder_count, why)
                                    : make_report(&report, folders, folder_count, why);
    clean_up(&report);
    return good;
}

const tool_command command_report = {
    .name = "report",
    .summary = "Makes one HTML page with charts from benchmark results. Needs gnuplot.",
    .synopsis = "[FOLDER...] [-o FILE.html] [--charts FOLDER] [--verdicts]",
    .example = "  broadphase report\n"
               "  broadphase report bench/results/zen4-2-cores bench/results/h200 -o report.html\n"
               "\n"
               "A folder holds CSV files of 'broadphase bench --csv', of broadphase-cuda and of broadphase-mpi\n"
               "(default: bench/results/zen4-2-cores). The page is report.html, unless -o says otherwise; the lines\n"
               "of --verdicts go to standard output.\n",
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof *OPTIONS,
    .uses = USES_QUIET,
    .run = run_report,
};
