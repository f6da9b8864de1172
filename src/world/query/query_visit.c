#include "world/query/query_visit.h"

enum {
    PAGE = 256,  // results on the stack
    GROWTH = 16, // of the page, when it was too small
    FEW = 16     // results that are sorted by insertion
};

static bool comes_before(bp_visit_item a, bp_visit_item b) {
    return a.t < b.t || (a.t == b.t && a.id < b.id);
}

// ---- the heap -------------------------------------------------------------------------------------------------------

// Puts an item at position `at`, or below it, so that no child among the first `count` comes after its parent.
static void sift_down(bp_visit_item *items, size_t count, size_t at, bp_visit_item item) {
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && comes_before(items[child], items[child + 1]);
        if (!comes_before(item, items[child])) {
            break;
        }
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

static void make_heap(bp_visits *v) {
    for (size_t at = v->is_heap ? 0 : v->kept / 2; at-- > 0;) {
        sift_down(v->items, v->kept, at, v->items[at]);
    }
    v->is_heap = true;
}

static void insert_items(bp_visits *v) {
    for (size_t i = 1; i < v->kept; ++i) {
        const bp_visit_item item = v->items[i];
        size_t at = i;
        for (; at > 0 && comes_before(item, v->items[at - 1]); --at) {
            v->items[at] = v->items[at - 1];
        }
        v->items[at] = item;
    }
    v->is_heap = false;
}

static void sort_items(bp_visits *v) {
    if (v->kept <= FEW) {
        insert_items(v);
        return;
    }
    make_heap(v);
    for (size_t count = v->kept; count-- > 1;) {
        const bp_visit_item largest = v->items[0];
        sift_down(v->items, count, 0, v->items[count]);
        v->items[count] = largest;
    }
    v->is_heap = false;
}

// ---- offering and visiting ------------------------------------------------------------------------------------------

static void drop(bp_visits *v, bp_visit_item item) {
    if (!v->dropped || comes_before(item, v->first_dropped)) {
        v->first_dropped = item;
    }
    v->dropped = true;
}

void bp_visits_offer(bp_visits *v, bp_id id, double t) {
    const bp_visit_item item = {.t = v->rounds ? (double)(float)t : t, .id = id};
    const bool visited = v->any && !comes_before(v->last, item);
    if (visited || !(item.t <= v->max_t) || (v->dropped && comes_before(v->first_dropped, item))) {
        return;
    }
    if (v->kept < v->capacity) {
        v->items[v->kept++] = item;
        v->is_heap = false;
        return;
    }
    make_heap(v);
    if (!comes_before(item, v->items[0])) {
        drop(v, item);
        return;
    }
    drop(v, v->items[0]);
    sift_down(v->items, v->kept, 0, item);
}

// Visits the first items of a sorted page, and takes them out of it.
static void visit_first(bp_visits *v, size_t count) {
    for (size_t i = 0; i < count && !v->ended; ++i) {
        v->ended = !(v->items[i].t <= v->max_t);
        if (!v->ended) {
            v->any = true;
            v->last = v->items[i];
            v->ended = v->visit(v->context, v->last.id, v->last.t, &v->max_t) == 0;
        }
    }
    for (size_t i = count; i < v->kept; ++i) {
        v->items[i - count] = v->items[i];
    }
    v->kept -= count;
}

bool bp_visits_is_done(bp_visits *v, double t) {
    const double bound = v->rounds ? (double)(float)t : t;
    size_t before = 0;
    sort_items(v);
    while (before < v->kept && v->items[before].t < bound) {
        ++before;
    }
    visit_first(v, before);
    return v->ended || !(bound <= v->max_t) || (v->kept == 0 && v->dropped);
}

// ---- pages ----------------------------------------------------------------------------------------------------------

// A larger page for the rest; if memory is short, the same.
static void turn_page(bp_visits *v, bp_buffer *buffer, const bp_allocator *allocator) {
    v->dropped = false;
    if (v->capacity <= SIZE_MAX / GROWTH &&
        bp_buffer_reserve(buffer, allocator, 0, v->capacity * GROWTH, sizeof(bp_visit_item))) {
        v->items = buffer->data;
        v->capacity *= GROWTH;
    }
}

bp_status bp_visits_run(const bp_world *world, bp_visits *v, bp_visit_search search, void *search_context) {
    if (v->visit == NULL) {
        return bp_world_refuse(world, BP_ERROR_ARGUMENT, "visit: NULL; a function that takes the results is needed");
    }
    bp_visit_item page[PAGE];
    bp_buffer buffer = {0};
    v->items = page;
    v->capacity = PAGE;
    atomic_uint *reading = &((bp_world *)world)->reading; // nothing else of the world changes
    atomic_fetch_add(reading, 1);
    for (bool more = true; more;) {
        search(search_context, v);
        sort_items(v);
        visit_first(v, v->kept);
        more = v->dropped && !v->ended;
        if (more) {
            turn_page(v, &buffer, bp_world_allocator(world));
        }
    }
    atomic_fetch_sub(reading, 1);
    bp_buffer_free(&buffer, bp_world_allocator(world));
    return BP_OK;
}
