// Where standard error is a terminal, one line that is overwritten; else a line per case.
#include "bench.h"

#include <string.h>
#include <unistd.h>

static struct {
    double total, done, start, shown;
    bool terminal;
} progress;

void progress_begin(double total_weight) {
    memset(&progress, 0, sizeof progress);
    progress.total = total_weight;
    progress.start = now_seconds();
    progress.terminal = isatty(STDERR_FILENO) != 0;
}

// From the share of the work that is done; unknown before the first case is.
static void print_left(void) {
    const double elapsed = now_seconds() - progress.start;
    if (progress.done > 0)
        fprintf(stderr, "%3.0f %%, %3.0f s left", 100 * progress.done / progress.total,
                elapsed * (progress.total - progress.done) / progress.done);
    else
        fprintf(stderr, "%3.0f s so far", elapsed);
}

void progress_show(const char *what) {
    const double now = now_seconds();
    if (!progress.terminal || now - progress.shown < 0.1) return;
    progress.shown = now;
    fputs("\r\033[K[", stderr);
    print_left();
    fprintf(stderr, "] %s", what);
    fflush(stderr);
}

void progress_done(double weight) {
    progress.done += weight;
    if (progress.terminal) return;
    fputc('[', stderr);
    print_left();
    fputs("]\n", stderr);
}

void progress_end(void) {
    if (progress.terminal) fputs("\r\033[K", stderr);
    fprintf(stderr, "Finished after %.0f s.\n", now_seconds() - progress.start);
}
