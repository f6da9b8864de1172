// broadphase-mpi: the command line for worlds over MPI.
#include "tool.h"

#include "formats/about.h"
#include "formats/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tool_rank, tool_ranks;

static const char HELP[] =
    "usage: mpirun -n P broadphase-mpi COMMAND ...\n"
    "\n"
    "Of all these boxes, which pairs overlap? On as many ranks as there are.\n"
    "\n"
    "Commands:\n"
    "  pairs FILE.npy -o OUT.npy   every pair of overlapping boxes of a file (N x 6 or spheres N x 4, float32). Pairs "
    "are row\n"
    "                              numbers, sorted: the same bytes for any P, and those of 'broadphase pairs'. They "
    "are\n"
    "                              uint32, or uint64 from 2^32 - 1 rows on.\n"
    "  bench --suite weak|strong   steps of a moving scene on 1, 2, 4, ... P ranks\n"
    "  model                       counts the ghosts of real partitions into many regions, beside the model (one "
    "process)\n"
    "\n"
    "Options:\n"
    "  --method NAME, --threads N, --set FIELD=VALUE, --config FILE    each rank's own search; see 'broadphase pairs "
    "--help'\n"
    "  --partition rcb|hsfc    how space is cut (default: rcb)\n"
    "  --stats                 pairs: figures as name=value on standard error\n"
    "  -n N                    bench: objects, of each rank (weak) or of all (strong); model: of all\n"
    "  --scene NAME            bench: default uniform\n"
    "  --steps N               bench: steps to time; the fastest counts (default: 100)\n"
    "  --regions N             model: up to so many (default: 1000)\n"
    "  --seed S, --csv FILE    bench, model: a row for each line\n"
    "  -o FILE, --help, --version\n";

static char last_message[512];

static void keep_message(void *context, const char *text) {
    (void)context;
    (void)snprintf(last_message, sizeof last_message, "%s", text);
}

bp_log tool_log(void) {
    return (bp_log){.write = keep_message};
}

bool library_good(bp_status status, failure *why) {
    if (status == BP_OK) return true;
    return failure_set(why, STATUS_FAILED, "%s%s%s", bp_mpi_status_text(status), last_message[0] != '\0' ? ": " : "",
                       last_message);
}

bool all_good(bool good, failure *why) {
    int bad = good ? tool_ranks : tool_rank, first;
    MPI_Allreduce(&bad, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == tool_ranks) return true;
    MPI_Bcast(why, sizeof *why, MPI_BYTE, first, MPI_COMM_WORLD);
    return false;
}

// ---- the command line ----------------------------------------------------------------------------------------------

static bool parse_count(const char *option, const char *text, size_t *value, failure *why) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) {
        return failure_set(why, STATUS_WRONG_CALL, "%s: expected a whole number, found '%.100s'", option, text);
    }
    *value = (size_t)number;
    return true;
}

static bool parse_partition(const char *text, bp_mpi_partition *partition, failure *why) {
    *partition = strcmp(text, "hsfc") == 0 ? BP_MPI_HSFC : BP_MPI_RCB;
    if (strcmp(text, "hsfc") == 0 || strcmp(text, "rcb") == 0) return true;
    return failure_set(why, STATUS_WRONG_CALL, "--partition: expected rcb or hsfc, found '%.100s'", text);
}

// An option that has a value.
static bool parse_option(mpi_call *call, const char *option, const char *value, failure *why) {
    bp_config *local = &call->config.local;
    bp_method_settings *methods = &call->settings;
    size_t seed = 0;
    if (strcmp(option, "-o") == 0) return call->output = value, true;
    if (strcmp(option, "--suite") == 0) return call->suite = value, true;
    if (strcmp(option, "--scene") == 0) return call->scene = value, true;
    if (strcmp(option, "--csv") == 0) return call->csv = value, true;
    if (strcmp(option, "-n") == 0) return parse_count(option, value, &call->count, why);
    if (strcmp(option, "--steps") == 0) return parse_count(option, value, &call->steps, why);
    if (strcmp(option, "--regions") == 0) return parse_count(option, value, &call->regions, why);
    if (strcmp(option, "--partition") == 0) return parse_partition(value, &call->config.partition, why);
    if (strcmp(option, "--method") == 0) return settings_set(local, methods, "method", value, why);
    if (strcmp(option, "--threads") == 0) return settings_set(local, methods, "threads", value, why);
    if (strcmp(option, "--set") == 0) return settings_apply(local, methods, value, why);
    if (strcmp(option, "--config") == 0) return settings_read(local, methods, value, why);
    if (strcmp(option, "--seed") == 0) {
        const bool good = parse_count(option, value, &seed, why);
        call->seed = seed;
        return good;
    }
    return failure_set(why, STATUS_WRONG_CALL, "unknown option '%.100s'", option);
}

static bool parse(int count, char **words, mpi_call *call, failure *why) {
    *call = (mpi_call){.scene = "uniform", .steps = 100, .regions = 1000, .seed = 1};
    call->config.local.settings = &call->settings;
    about_call(count, words, call->text, sizeof call->text);
    for (int i = 2; i < count; ++i) {
        if (strcmp(words[i], "--stats") == 0) {
            call->stats = true;
        } else if (strcmp(words[i], "--quiet") == 0) {
            call->quiet = true;
        } else if (words[i][0] != '-') {
            if (call->input != NULL) return failure_set(why, STATUS_WRONG_CALL, "expected one file of boxes");
            call->input = words[i];
        } else if (i + 1 == count) {
            return failure_set(why, STATUS_WRONG_CALL, "%.100s: expected a value after it", words[i]);
        } else if (!parse_option(call, words[i], words[i + 1], why)) {
            return false;
        } else {
            ++i;
        }
    }
    call->config.local.log = tool_log();
    return true;
}

static bool has_word(int count, char **words, const char *word) {
    bool found = false;
    for (int i = 1; i < count; ++i) found |= strcmp(words[i], word) == 0;
    return found;
}

static bool run_command(int count, char **words, failure *why) {
    mpi_call call;
    if (has_word(count, words, "--help") || has_word(count, words, "--version")) {
        const bool help = has_word(count, words, "--help");
        if (tool_rank == 0)
            printf("%s%s%s", help ? HELP : "broadphase-mpi ", help ? "" : bp_version(), help ? "" : "\n");
        return true;
    }
    if (count < 2) return failure_set(why, STATUS_WRONG_CALL, "expected a command");
    if (!all_good(parse(count, words, &call, why), why)) return false;
    if (strcmp(words[1], "pairs") == 0) return run_pairs(&call, why);
    if (strcmp(words[1], "bench") == 0) return run_bench(&call, why);
    if (strcmp(words[1], "model") == 0) return run_model(&call, why);
    return failure_set(why, STATUS_WRONG_CALL, "unknown command '%.100s'", words[1]);
}

int main(int count, char **words) {
    failure why = {.status = STATUS_FAILED};
    if (MPI_Init(&count, &words) != MPI_SUCCESS) return STATUS_FAILED;
    MPI_Comm_rank(MPI_COMM_WORLD, &tool_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tool_ranks);
    const bool good = run_command(count, words, &why);
    if (!good && tool_rank == 0) {
        fprintf(stderr, "broadphase-mpi: %s\n", why.text);
        if (why.status == STATUS_WRONG_CALL) fprintf(stderr, "try: broadphase-mpi --help\n");
    }
    MPI_Finalize();
    return good ? STATUS_DONE : (int)why.status;
}
