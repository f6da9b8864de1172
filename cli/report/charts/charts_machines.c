// Charts of other machines: cards, and many processes.
#include "report/report_chart.h"

// clang-format off
static const report_chart CARDS_CHARTS[] = {
    {
        .id = "cuda-growth", .suite = "cuda",
        .kind = CHART_LINES, .flags = CHART_LOG, .where = "scene!=identical",
        .x = "n", .y = "kernels_ms/n*1e6", .series = "scene",
        .x_label = "objects", .y_label = "time per object, ns",
        .title = "Time per object on one GPU",
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
        .title = "Where the time goes on the GPU (uniform)",
        .shows = "In the largest scene, per box, the sweep takes {last|sweep} ns, putting boxes in order {last|arrange} ns, "
                 "and sorting {last|sort} ns.",
    },
};
// clang-format on

const report_section SECTION_CARDS = {
    .id = "cuda",
    .title = "On the GPU",
    .text = "Boxes and pairs are in the memory of the GPU; kernels are timed by events, transfers are not counted.",
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
        .shows = "Efficiency is between {low|} and {high|}; the dashed line is the promise for two ranks.",
    },
    {
        .id = "mpi-phases", .suite = "mpi", .experiment = "weak",
        .kind = CHART_STACKS,
        .x = "ranks", .y = "balance:balance_ms,exchange:exchange_ms,find:find_ms,report:report_ms", .series = "",
        .x_label = "", .y_label = "time of a step, ms",
        .title = "Where a rank spends its time (weak scaling)",
        .shows = "With the most ranks, the search takes {last|find} ms, assigning ids to pairs {last|report} ms, the "
                 "exchange {last|exchange} ms, and balancing {last|balance} ms.",
    },
    {
        .id = "mpi-model", .suite = "mpi", .experiment = "model",
        .kind = CHART_LINES, .flags = CHART_LOG,
        .x = "regions", .y = "counted:ghosts,model:model", .series = "",
        .x_label = "regions", .y_label = "ghosts per region",
        .title = "Ghosts: counted beside the model",
        .shows = "Real partitions need {ratio|counted|model} times the ghosts that the model predicts.",
    },
};
// clang-format on

const report_section SECTION_PROCESSES = {
    .id = "mpi",
    .title = "On many processes (MPI)",
    .text = "Worlds over MPI, balanced by Zoltan.",
    .charts = PROCESSES_CHARTS,
    .chart_count = sizeof PROCESSES_CHARTS / sizeof *PROCESSES_CHARTS,
};
