// Chooses the method, and says why: config.method = auto.
//
//     the boxes of a method ---> scene_facts.c: a sample ---> facts (bp_choice) ---> rules ---> a method
//
// The facts are counts and lengths, never times: the order of pairs as they are found depends on the method, and
// results depend on the input alone. For the same reason no rule depends on the number of threads.
#ifndef BP_CHOOSE_H
#define BP_CHOOSE_H

#include "engine/setup.h"

#include <broadphase/broadphase_tune.h>

// Boxes of a call.
typedef struct bp_choose_set {
    const bp_box *boxes;
    size_t count;
} bp_choose_set;

// The method for one call, over these boxes; those of another set are searched for in them, or (NULL) they are searched
// for in themselves. Samples the boxes only if the config leaves the choice open: `wanted` is BP_METHOD_AUTO, and the
// settings have no parameters of a grid.
bp_method bp_choose_once(bp_method wanted, const bp_method_setup *setup, bp_choose_set set, const bp_choose_set *other,
                         bp_choice *choice);

// The method that a world begins with, before it has any boxes.
bp_method bp_choose_first(bp_method wanted);

// A world's choice. It may be revised, but not easily.
typedef struct bp_chooser {
    bool open;        // the config leaves the choice open
    bp_choice choice; // the facts of the last sample, and the rule that chose the current method
    bp_method wanted; // the method that these facts suggest,
    bp_rule rule;     // and the rule that suggests it
    size_t count;     // boxes at the last sample; 0: there was none
    uint32_t age;     // updates since then,
    size_t changed;   // and objects that changed in them, summed up
    bool first;       // the last sample was the first one
    uint32_t votes;   // samples in a row that suggested another method
    uint32_t needed;  // votes for a change; twice as many after each change but the first, so that changes stay rare
} bp_chooser;

bp_chooser bp_chooser_begin(bp_method wanted, const bp_method_setup *setup);

// Counts an update in which `changed` of `count` boxes have changed. True if it is time for another sample.
bool bp_chooser_is_due(bp_chooser *chooser, size_t count, size_t changed);

// Samples boxes of which the fraction `moving` has changed in this update. True if `method` is to be replaced by
// chooser->wanted.
bool bp_chooser_sample(bp_chooser *chooser, const bp_method_setup *setup, bp_method method, const bp_box *boxes,
                       size_t count, double moving);

// The method was replaced; or it could not be, and the chooser will try again later.
void bp_chooser_changed(bp_chooser *chooser);
void bp_chooser_postpone(bp_chooser *chooser);

#endif
