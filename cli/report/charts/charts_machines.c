// Charts of other machines: cards, and many processes.
#include "report/report_chart.h"

// clang-format off
static const report_chart CARDS_CHARTS[] = {
    {
        .id = "cuda-growth", .suite = "cuda",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene!=identical",
        .x = "n", .y = "kernels_ms/n*1e6", .series = "scene",
        .x_label = "objects", .y_label = "time per object, ns",
        .title = "Time per object on one card",
        .shows = "Equal cubes (uniform) take {range|uniform} ns each, sizes 1:12 (mixed) {range|mixed}, sizes 1:40 "
                 "(more-polydisperse) {range|more-polydisperse}.",
        .paper = "Schornbaum 2009, §5.2: 1.14·10⁹ bodies took 9,120 processor cores in 2009.",
    },
    {
        .id = "cuda-stages", .suite = "cuda",
        .kind = CHART_STACKS, .where = "scene=uniform",
        .x = "n",
        .y = "keys:keys_ms/n*1e6,sort:sort_ms/n*1e6,arrange:arrange_ms/n*1e6,sweep:sweep_ms/n*1e6,scan:scan_ms/n*1e6",
        .series = "",
        .x_label = "", .y_label = "time per object, ns",
        .title = "Where the card spends it (uniform)",
        .shows = "Of the largest scene's time per box, the sweep takes {last|sweep} ns, fetching boxes in order "
                 "{last|arrange}, the sort {last|sort}.",
    },
};
// clang-format on

const report_section SECTION_CARDS = {
    .id = "cuda",
    .title = "On the GPU",
    .text = "Boxes and pairs in the card's memory; kernels timed by events, transfers apart.",
    .charts = CARDS_CHARTS,
    .chart_count = sizeof CARDS_CHARTS / sizeof *CARDS_CHARTS,
};

// clang-format off
static const report_chart PROCESSES_CHARTS[] = {
    {
        .id = "mpi-weak", .suite = "mpi", .experiment = "weak",
        .kind = CHART_LINES, .flags = CHART_WHOLE_X,
        .x = "ranks", .y = "efficiency", .series = "scene", .mark = 0.8,
        .x_label = "ranks, as many objects each", .y_label = "efficiency",
        .title = "Weak scaling",
        .shows = "Efficiency lies between {low|} and {high|}; the dashed line is what was promised for two ranks.",
    },
    {
        .id = "mpi-phases", .suite = "mpi", .experiment = "weak",
        .kind = CHART_STACKS,
        .x = "ranks", .y = "balance:balance_ms,exchange:exchange_ms,find:find_ms,report:report_ms", .series = "",
        .x_label = "", .y_label = "time of a step, ms",
        .title = "Where a rank spends it (weak scaling)",
        .shows = "On the most ranks finding takes {last|find} ms, giving pairs their ids {last|report}, the exchange "
                 "{last|exchange}, balance {last|balance}.",
    },
    {
        .id = "mpi-model", .suite = "mpi", .experiment = "model",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "regions", .y = "counted:ghosts,model:model", .series = "",
        .x_label = "regions", .y_label = "ghosts per region",
        .title = "Ghosts: counted beside the model",
        .shows = "What real partitions need is {ratio|counted|model} of what the model says.",
    },
};
// clang-format on

const report_section SECTION_PROCESSES = {
    .id = "mpi",
    .title = "Over many processes",
    .text = "Worlds over MPI, balanced by Zoltan.",
    .charts = PROCESSES_CHARTS,
    .chart_count = sizeof PROCESSES_CHARTS / sizeof *PROCESSES_CHARTS,
};
