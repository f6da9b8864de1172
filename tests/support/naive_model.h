// A world as described in the manual, implemented with plain loops: the reference for random programs.
//
// It knows which calls must be refused, and why; which ids are given out; which pairs there are; and which of them
// have begun and ended.
#ifndef BP_TESTS_NAIVE_MODEL_H
#define BP_TESTS_NAIVE_MODEL_H

#include "support/naive_query.h"

// The errors of a call, as bits. If there are several, the world may report any of them.
enum { FAULT_BOX = 1u << 0, FAULT_ID = 1u << 1, FAULT_ARGUMENT = 1u << 2 };

typedef struct naive_model {
    bp_config config;
    naive_world world;
    size_t capacity; // of ids
    size_t living;
    pair_list last; // the pairs of the last update
    bool *existed;  // by id: there at the last update
    bool *reborn;   // there at the last update, removed since, and given out again
    bool wide;      // has a 64-bit box, or had one
} naive_model;

// One object of a call.
typedef struct item {
    bp_id id;
    bp_box_double box;
    bp_object object;
} item;

naive_model *naive_model_create(const bp_config *config, size_t capacity);
void naive_model_destroy(naive_model *model);

// Each returns the errors of the call, or 0 after doing it. `items[i].id` of those that are added is filled in.
unsigned naive_model_add(naive_model *model, item *items, size_t count, bool wide);
unsigned naive_model_move(naive_model *model, const item *items, size_t count, bool wide);
unsigned naive_model_remove(naive_model *model, bp_id id);
unsigned naive_model_set_object(naive_model *model, bp_id id, const bp_object *object);

// The boxes of the living, ascending by id, and those ids. Both are the caller's to free.
bp_box_double *naive_model_boxes(const naive_model *model, bp_id **ids);

// Every pair of the world as it is, ascending, as if its config were another.
pair_list naive_model_pairs(const naive_model *model, const bp_config *config);
// The pairs of one list that are not in another, or are those of other objects by now.
pair_list naive_model_events(const naive_model *model, const pair_list *of, const pair_list *against);
// An update has reported these pairs (ascending), which become the model's.
void naive_model_updated(naive_model *model, pair_list pairs);

#endif
