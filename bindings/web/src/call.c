// Calls: their settings, their sentence when they fail, and memory for what they are given.
#include "formats/settings.h"
#include "web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t web_results[WEB_RESULTS];
char web_sentence[512];

// ---------------------------------------------------------------------------------------------------------------------
// What the library asks of its machine

WEB_IMPORT(now) double web_now(void); // milliseconds

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    const double seconds = web_now() / 1e3;
    time->tv_sec = (time_t)seconds;
    time->tv_nsec = (long)(1e9 * (seconds - (double)time->tv_sec));
    return 0;
}

clock_t clock(void) {
    return (clock_t)(web_now() / 1e3 * (double)CLOCKS_PER_SEC);
}

// There is no environment.
char *getenv(const char *name) {
    (void)name;
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

void *WEB_EXPORT(web_allocate)(size_t size) {
    web_forget_sentence();
    return malloc(size);
}

void WEB_EXPORT(web_release)(void *memory) {
    free(memory);
}

uint32_t *WEB_EXPORT(web_results_address)(void) {
    return web_results;
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls

static void keep_sentence(void *context, const char *text) {
    (void)context;
    (void)snprintf(web_sentence, sizeof web_sentence, "%s", text);
}

void web_forget_sentence(void) {
    web_sentence[0] = '\0';
}

const char *WEB_EXPORT(web_status_sentence)(bp_status status) {
    return web_sentence[0] != '\0' ? web_sentence : bp_status_text(status);
}

web_call *WEB_EXPORT(web_call_create)(void) {
    web_forget_sentence();
    web_call *call = calloc(1, sizeof *call);
    if (call == NULL) return NULL;
    call->config.settings = &call->methods;
    call->config.stats = &call->stats;
    call->config.log = (bp_log){.write = keep_sentence};
    return call;
}

void WEB_EXPORT(web_call_destroy)(web_call *call) {
    free(call);
}

// A word of the tool's --set.
bp_status WEB_EXPORT(web_call_set)(web_call *call, const char *field, const char *value) {
    failure why;
    if (settings_set(&call->config, &call->methods, field, value, &why)) return BP_OK;
    keep_sentence(NULL, why.text);
    return BP_ERROR_ARGUMENT;
}

void WEB_EXPORT(web_call_set_flags)(web_call *call, uint32_t flags) {
    call->config.flags = flags;
}

uint32_t WEB_EXPORT(web_call_dimensions)(const web_call *call) {
    return call->config.dimensions == 2 ? 2 : 3;
}

WEB_IMPORT(filter) int web_filter(uint32_t handle, uint32_t a, uint32_t b);

static int ask_filter(void *context, uint32_t a, uint32_t b) {
    return web_filter(web_address(context), a, b);
}

void WEB_EXPORT(web_call_set_filter)(web_call *call, uint32_t handle) {
    call->config.filter = (bp_filter){.pass = ask_filter, .context = (void *)(uintptr_t)handle};
}

// ---------------------------------------------------------------------------------------------------------------------
// Two dimensions

// Moves rows of `width` values to rows of `new_width`, the last one first. `places` are those of the values in the new row;
// the others are 0. (All but the rows are constants where it is called, so that it is fast inline.)
static inline void spread(char *rows, size_t count, size_t value_size, const size_t *places, size_t width,
                          size_t new_width) {
    for (size_t row = count; row-- > 0;) {
        char spread[6 * sizeof(double)] = {0};
        for (size_t i = 0; i < width; ++i) {
            memcpy(spread + places[i] * value_size, rows + (row * width + i) * value_size, value_size);
        }
        memcpy(rows + row * new_width * value_size, spread, new_width * value_size);
    }
}

void web_spread_boxes(const web_call *call, void *boxes, size_t count, bool is_double) {
    static const size_t places[] = {0, 1, 3, 4};
    if (call->config.dimensions != 2) return;
    if (is_double) {
        spread(boxes, count, sizeof(double), places, 4, 6);
    } else {
        spread(boxes, count, sizeof(float), places, 4, 6);
    }
}

void web_spread_points(const web_call *call, void *points, size_t count, bool is_double) {
    static const size_t places[] = {0, 1};
    if (call->config.dimensions != 2) return;
    if (is_double) {
        spread(points, count, sizeof(double), places, 2, 3);
    } else {
        spread(points, count, sizeof(float), places, 2, 3);
    }
}
