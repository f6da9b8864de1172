// Progress. On a terminal, one line that is overwritten: a bar, the time left, the current point. Otherwise a line per
// point.
#include "core/bench.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 16 };

static struct {
    double total, done, start, shown;
    bool terminal;
} meter;

void meter_begin(void) {
    memset(&meter, 0, sizeof meter);
    meter.start = seconds_now();
    meter.terminal = isatty(STDERR_FILENO) != 0;
}

void meter_expect(double weight) {
    meter.total += weight;
}

static void print_bar(double share) {
    char bar[BAR_WIDTH + 1] = "";
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
    fputs(bar, stderr);
}

// Estimated from the share of the work that is done; unknown before the first point is finished.
static void print_left(void) {
    const double elapsed = seconds_now() - meter.start;
    const double share = meter.total > 0 ? meter.done / meter.total : 0;
    fputc('[', stderr);
    if (meter.terminal) print_bar(share);
    if (meter.done > 0 && share < 1.001)
        fprintf(stderr, " %3.0f %%, %3.0f s left]", 100 * share, elapsed * fmax(1 / share - 1, 0));
    else
        fprintf(stderr, " %3.0f s so far]", elapsed);
}

void meter_show(const char *what) {
    const double now = seconds_now();
    if (!meter.terminal || now - meter.shown < 0.1) return;
    meter.shown = now;
    fputs("\r\033[K", stderr);
    print_left();
    fprintf(stderr, " %.60s", what);
    fflush(stderr);
}

void meter_done(double weight) {
    meter.done += weight;
    if (weight <= 0) return;
    if (meter.terminal) {
        fputs("\r\033[K", stderr);
    } else {
        print_left();
        fputc('\n', stderr);
    }
}

void meter_skip(double weight) {
    meter.total -= weight;
}

double meter_weight_left(void) {
    return meter.total - meter.done;
}

double meter_seconds_for(double weight) {
    return meter.done > 0 ? (seconds_now() - meter.start) * weight / meter.done : 0;
}

void meter_end(void) {
    if (meter.terminal) fputs("\r\033[K", stderr);
    fprintf(stderr, "Finished after %.0f s.\n", seconds_now() - meter.start);
}
