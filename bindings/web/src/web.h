// What JavaScript calls. The functions here are the C header's, with numbers and addresses for arguments, as WebAssembly
// has nothing else; package/ makes JavaScript of them.
//
// One thread, one call at a time: so results and sentences have fixed places, and scratch space is kept between calls.
#ifndef BROADPHASE_WEB_H
#define BROADPHASE_WEB_H

#include <broadphase/broadphase.h>
#include <broadphase/broadphase_methods.h>
#include <broadphase/broadphase_tune.h>
#include <stdbool.h>

#define WEB_EXPORT(name) __attribute__((export_name(#name))) name
#define WEB_IMPORT(name) __attribute__((import_module("web"), import_name(#name)))

// A config, and what it points to. A world keeps one as long as it lives.
typedef struct web_call {
    bp_config config;
    bp_method_settings methods;
    bp_stats stats;
} web_call;

// What a call gives back beside its status: addresses and counts.
enum { WEB_RESULTS = 8 };
extern uint32_t web_results[WEB_RESULTS];

// Numbers as JavaScript gives them, `width` to a row: float32, or float64 if `is_double`. In two dimensions the rows have
// no z, but the array has room for it: web_spread_boxes and web_spread_points move them apart, in place.
void web_spread_boxes(const web_call *call, void *boxes, size_t count, bool is_double);
void web_spread_points(const web_call *call, void *points, size_t count, bool is_double);

// The sentence that explains the last failure.
extern char web_sentence[512];
void web_forget_sentence(void);

static inline uint32_t web_address(const void *pointer) {
    return (uint32_t)(uintptr_t)pointer;
}

#endif
