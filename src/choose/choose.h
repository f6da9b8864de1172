// Which method, and why: config.method = auto.
//
//     boxes, as a method would see them ---> facts.c: a sample ---> facts (bp_choice) ---> rules ---> a method
//
// The facts are counts and lengths, never times: the order of pairs as they are found depends on the method, and results
// depend on the input alone. For the same reason no rule asks for the number of threads.
#ifndef BP_CHOOSE_H
#define BP_CHOOSE_H

#include "choose/scene_facts.h"
#include "methods/method.h"

// The method for one call. Looks at the boxes only if the config leaves the choice open.
bp_method bp_choose_once(const bp_config *config, bp_candidates candidates, bp_choice *choice);

// The method that a world begins with, before there is anything to look at.
bp_method bp_choose_first(const bp_config *config);

// A world's choice: it changes its mind, but not easily.
typedef struct bp_chooser {
    bp_choice choice; // the facts when it last looked, and the rule that chose the method there is
    bp_method wanted; // what these facts speak for,
    bp_rule rule;     // and by which rule
    size_t count;     // boxes when it last looked; 0: it has not
    uint32_t age;     // updates since then,
    size_t changed;   // and objects that changed in these, counted each time
    bool first;       // it looked for the first time
    uint32_t votes;   // looks in a row that spoke against the method there is
    uint32_t
        needed; // for a change; twice as many after each one but the first, so that there are few in any number of steps
} bp_chooser;

bp_chooser bp_chooser_begin(const bp_config *config);

// Counts an update in which `changed` of `count` boxes are others. True if it is time to look again.
bool bp_chooser_is_due(bp_chooser *chooser, const bp_config *config, size_t count, size_t changed);

// Looks at boxes of which the share `moving` has changed in this update. True if `method` is to be changed for chooser->wanted.
bool bp_chooser_look(bp_chooser *chooser, const bp_config *config, bp_method method, bp_candidates candidates,
                     double moving);

// The change was made, or could not be: then there will be another try, later.
void bp_chooser_changed(bp_chooser *chooser);
void bp_chooser_postpone(bp_chooser *chooser);

#endif
