#include "world/query/query.h"

enum {
    PAGE = 256, // results on the stack
    GROWTH = 16 // of the page, when it was too small
};

bp_status bp_visits_run(const bp_world *world, bp_visits v) {
    bp_ray_hit_double page[PAGE];
    bp_buffer buffer = {0};
    if (v.visit == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "visit: NULL; a function that takes the results is needed");
    }
    bp_shortlist list = bp_shortlist_begin(page, sizeof(bp_ray_hit_double), v.page > 0 ? v.page : PAGE);
    list.is_few = true;
    list.rounds = v.rounds;
    atomic_uint *reading = &((bp_world *)world)->reading; // nothing else of the world changes
    atomic_fetch_add(reading, 1);
    for (bool has_more = true; has_more;) {
        list.kept = list.offered = 0;
        list.most = v.max_t;
        v.search(v.question, &list);
        bp_shortlist_sort(&list);
        has_more = list.kept == list.capacity;
        for (size_t i = 0; i < list.kept; ++i) {
            list.previous = bp_shortlist_get(&list, i);
            list.is_continued = true;
            if (!(list.previous.t <= v.max_t) || v.visit(v.context, list.previous.id, list.previous.t, &v.max_t) == 0) {
                has_more = false;
                break;
            }
        }
        if (has_more && list.capacity < PAGE) {
            list.capacity = PAGE;
        } else if (has_more && bp_buffer_reserve(&buffer, bp_world_allocator(world), 0,
                                                 bp_size_multiply(list.capacity, GROWTH), sizeof *page)) {
            list.items = buffer.data;
            list.capacity *= GROWTH;
        }
    }
    atomic_fetch_sub(reading, 1);
    bp_buffer_free(&buffer, bp_world_allocator(world));
    return BP_OK;
}
