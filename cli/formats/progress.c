#include "formats/progress.h"

#include "formats/number.h"
#include "formats/platform.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 32 };

static const double FIRST_DRAW_AFTER = 0.5;
static const double DRAW_EVERY = 0.1;

static struct {
    bool enabled, drawn;
    const char *label;
    uint64_t total;
    double next_draw;
} progress;

// For work of unknown length a signal handler shows the seconds; it may only read what does not change meanwhile.
static struct {
    const char *label;
    size_t label_length;
    volatile sig_atomic_t seconds;
} ticker;

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_enable(bool wanted) {
    progress.enabled = wanted && isatty(STDERR_FILENO);
}

static void tick(void) {
    char line[128] = "\r";
    char *end = line + 1;
    memcpy(end, ticker.label, ticker.label_length);
    end += ticker.label_length;
    memcpy(end, " ... ", 5);
    end = number_write_u32(end + 5, (uint32_t)++ticker.seconds);
    memcpy(end, " s", 2);
    ssize_t written = write(STDERR_FILENO, line, (unsigned)(end + 2 - line));
    (void)written; // an error here cannot be reported
}

static void start_ticker(const char *label) {
    enum { LABEL_MAX = 80 };
    size_t length = strlen(label);
    ticker.label = label;
    ticker.label_length = length < LABEL_MAX ? length : LABEL_MAX;
    ticker.seconds = 0;
    platform_every_second(tick);
}

void progress_begin(const char *label, uint64_t total) {
    progress.label = label;
    progress.total = total;
    progress.drawn = false;
    progress.next_draw = seconds_now() + FIRST_DRAW_AFTER;
    if (progress.enabled && total == 0) start_ticker(label);
}

static void draw(uint64_t done) {
    double share = (double)done / (double)progress.total;
    int filled = (int)(share * BAR_WIDTH);
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < filled ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f%%", progress.label, bar, 100.0 * share);
}

void progress_at(uint64_t done) {
    if (!progress.enabled || progress.label == NULL || progress.total == 0) return;
    double now = seconds_now();
    if (now < progress.next_draw) return;
    draw(done > progress.total ? progress.total : done);
    progress.drawn = true;
    progress.next_draw = now + DRAW_EVERY;
}

void progress_end(void) {
    bool ticked = false;
    if (progress.enabled && progress.label != NULL && progress.total == 0) {
        platform_every_second(NULL);
        ticked = ticker.seconds > 0;
    }
    if (progress.drawn || ticked) fprintf(stderr, "\r\033[K");
    progress.label = NULL;
    progress.drawn = false;
}
