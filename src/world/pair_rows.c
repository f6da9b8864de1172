#include "world/pair_rows.h"

#include <string.h>

enum {
    ROOM_STEP = 4,   // entries: the room of a row is a multiple of this,
    SPARE = 2,       // this many are free when rows are made,
    SPARE_SHARE = 4, // and one more for each four in use
    GROWTH = 2,      // entries and ids for which one entry may be added by rows that move, before all are made again
    SCANNED_MAX = 8, // entries: shorter rows are scanned, which is faster than a table by id
    AHEAD = 24       // objects whose rows are fetched before they are needed
};

// In a place: the pair is still there.
static const uint32_t CONFIRMED = (uint32_t)1 << 31;

bp_pair_rows *bp_pair_rows_create(const bp_allocator *allocator) {
    bp_pair_rows *rows = allocator->allocate(allocator->context, sizeof *rows);
    if (rows != NULL) {
        *rows = (bp_pair_rows){.id_count = 0};
        atomic_init(&rows->asked, 0);
        atomic_init(&rows->version, 0);
        atomic_init(&rows->is_making, false);
    }
    return rows;
}

void bp_pair_rows_trim(bp_pair_rows *rows, const bp_allocator *allocator) {
    bp_buffer *const buffers[] = {&rows->rows, &rows->entries, &rows->by_place, &rows->seen};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        bp_buffer_free(buffers[i], allocator);
    }
    rows->id_count = rows->used = rows->used_most = 0;
    atomic_store(&rows->version, 0);
}

void bp_pair_rows_destroy(bp_pair_rows *rows, const bp_allocator *allocator) {
    if (rows != NULL) {
        bp_pair_rows_trim(rows, allocator);
        allocator->release(allocator->context, rows, sizeof *rows);
    }
}

size_t bp_pair_rows_bytes(const bp_pair_rows *rows) {
    return sizeof *rows + rows->rows.bytes + rows->entries.bytes + rows->by_place.bytes + rows->seen.bytes;
}

// An id that is too new has none.
static const bp_pair_row *row_of(const bp_pair_rows *rows, uint32_t id) {
    static const bp_pair_row none = {.count = 0};
    return id < rows->id_count ? (const bp_pair_row *)rows->rows.data + id : &none;
}

static bp_pair_row *own_row(bp_pair_rows *rows, uint32_t id) {
    return (bp_pair_row *)rows->rows.data + id;
}

static bp_pair_entry *entries_of(const bp_pair_rows *rows, const bp_pair_row *row) {
    return (bp_pair_entry *)rows->entries.data + row->begin;
}

size_t bp_pair_rows_of(const bp_pair_rows *rows, bp_id id, const bp_pair_entry **entries) {
    *entries = entries_of(rows, row_of(rows, id));
    return row_of(rows, id)->count;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static bool reserve_entries(bp_pair_rows *rows, size_t count, const bp_allocator *allocator) {
    return bp_buffer_reserve_slack(&rows->entries, allocator, rows->used * sizeof(bp_pair_entry), count,
                                   sizeof(bp_pair_entry));
}

// Empty rows for ids up to id_count.
static bool reserve_ids(bp_pair_rows *rows, size_t id_count, const bp_allocator *allocator) {
    const size_t before = rows->id_count;
    if (id_count <= before) {
        return true;
    }
    if (!bp_buffer_reserve_slack(&rows->rows, allocator, before * sizeof(bp_pair_row), id_count, sizeof(bp_pair_row)) ||
        !bp_buffer_reserve_slack(&rows->seen, allocator, before * sizeof(uint32_t), id_count, sizeof(uint32_t))) {
        return false;
    }
    memset((bp_pair_row *)rows->rows.data + before, 0, (id_count - before) * sizeof(bp_pair_row));
    memset((uint32_t *)rows->seen.data + before, 0, (id_count - before) * sizeof(uint32_t));
    rows->id_count = id_count;
    return true;
}

bool bp_pair_rows_make(bp_pair_rows *rows, const bp_pairs *pairs, size_t id_count, const bp_allocator *allocator) {
    rows->id_count = rows->used = 0;
    memset(rows->left, 0, sizeof rows->left);
    if (!reserve_ids(rows, id_count, allocator) ||
        !bp_buffer_reserve_slack(&rows->by_place, allocator, 0, pairs->count, sizeof(uint32_t))) {
        rows->id_count = 0;
        return false;
    }
    for (size_t i = 0; i < pairs->count; ++i) {
        ++own_row(rows, pairs->data[i].a)->room;
        ++own_row(rows, pairs->data[i].b)->room;
    }
    size_t used = 0;
    for (uint32_t id = 0; id < id_count; ++id) {
        bp_pair_row *row = own_row(rows, id);
        row->begin = used;
        row->room = (row->room + row->room / SPARE_SHARE + SPARE + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
        used += row->room;
    }
    rows->used_most = used + (used + id_count) / GROWTH;
    if (!reserve_entries(rows, rows->used_most + (used + id_count) / GROWTH,
                         allocator)) { // the last update may add many
        rows->id_count = 0;
        return false;
    }
    rows->used = used;
    for (size_t i = 0; i < pairs->count; ++i) {
        bp_pair_rows_add(rows, pairs->data[i], i);
    }
    return true;
}

bool bp_pair_rows_are_scattered(const bp_pair_rows *rows) {
    return rows->used > rows->used_most;
}

// Room that rows leave is a list for each length; the first entry of each says where the next one begins.
static void leave_room(bp_pair_rows *rows, size_t begin, size_t room) {
    if (room > 0 && room / ROOM_STEP < BP_ROOMS_LEFT) {
        size_t *left = &rows->left[room / ROOM_STEP];
        memcpy((bp_pair_entry *)rows->entries.data + begin, left, sizeof *left);
        *left = begin + 1;
    }
}

// Where a row of this length may begin. False if memory is short.
static bool find_room(bp_pair_rows *rows, size_t room, size_t *begin, const bp_allocator *allocator) {
    const size_t length = room / ROOM_STEP;
    size_t *left = &rows->left[length < BP_ROOMS_LEFT ? length : 0]; // of length 0 there is none
    if (*left != 0) {
        *begin = *left - 1;
        memcpy(left, (const bp_pair_entry *)rows->entries.data + *begin, sizeof *left);
        return true;
    }
    if (!reserve_entries(rows, rows->used + room, allocator)) {
        return false;
    }
    *begin = rows->used;
    rows->used += room;
    return true;
}

// Moves a row that is full to where it has more room.
static bool move_row(bp_pair_rows *rows, bp_pair_row *row, uint32_t coming, const bp_allocator *allocator) {
    const size_t room = ((size_t)row->count + row->count / 2 + coming + ROOM_STEP) / ROOM_STEP * ROOM_STEP;
    size_t begin;
    if (!find_room(rows, room, &begin, allocator)) {
        return false;
    }
    const bp_pair_row before = *row;
    *row = (bp_pair_row){.begin = begin, .count = before.count, .room = (uint32_t)room};
    memcpy(entries_of(rows, row), entries_of(rows, &before), row->count * sizeof(bp_pair_entry));
    leave_room(rows, before.begin, before.room);
    return true;
}

bool bp_pair_rows_reserve(bp_pair_rows *rows, const bp_pairs *more, size_t pair_count, size_t id_count,
                          const bp_allocator *allocator) {
    if (!reserve_ids(rows, id_count, allocator) ||
        !bp_buffer_reserve_slack(&rows->by_place, allocator, rows->by_place.bytes, pair_count, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *coming = rows->seen.data; // for so long the entries that each row is about to get
    for (size_t i = 0; i < more->count; ++i) {
        coming[more->data[i].a] = coming[more->data[i].b] = 0;
    }
    for (size_t i = 0; i < more->count; ++i) {
        ++coming[more->data[i].a];
        ++coming[more->data[i].b];
    }
    for (size_t i = 0; i < 2 * more->count; ++i) {
        const uint32_t id = i % 2 == 0 ? more->data[i / 2].a : more->data[i / 2].b;
        bp_pair_row *row = own_row(rows, id);
        if (row->room - row->count < coming[id] && !move_row(rows, row, coming[id], allocator)) {
            return false;
        }
    }
    return true;
}

// ---- entries --------------------------------------------------------------------------------------------------------

void bp_pair_rows_fetch(const bp_pair_rows *rows, bp_pair pair) {
    bp_prefetch_write(entries_of(rows, row_of(rows, pair.a)));
    bp_prefetch_write(entries_of(rows, row_of(rows, pair.b)));
}

void bp_pair_rows_add(bp_pair_rows *rows, bp_pair pair, size_t place) {
    bp_pair_row *a = own_row(rows, pair.a), *b = own_row(rows, pair.b);
    const uint32_t entry = a->count++, twin = b->count++;
    entries_of(rows, a)[entry] = (bp_pair_entry){.other = pair.b, .place = (uint32_t)place, .twin = twin};
    entries_of(rows, b)[twin] = (bp_pair_entry){.other = pair.a, .place = (uint32_t)place, .twin = entry};
    ((uint32_t *)rows->by_place.data)[place] = entry;
}

void bp_pair_rows_move(bp_pair_rows *rows, bp_pair pair, size_t from, size_t place) {
    uint32_t *by_place = rows->by_place.data;
    bp_pair_entry *entry = &entries_of(rows, row_of(rows, pair.a))[by_place[from]];
    entry->place = entries_of(rows, row_of(rows, pair.b))[entry->twin].place = (uint32_t)place;
    by_place[place] = by_place[from];
}

// The last entry of the row takes its place.
static void remove_entry(bp_pair_rows *rows, uint32_t id, uint32_t at) {
    bp_pair_row *row = own_row(rows, id);
    bp_pair_entry *entries = entries_of(rows, row);
    const bp_pair_entry last = entries[--row->count];
    entries[at] = last;
    if (at < row->count) {
        entries_of(rows, row_of(rows, last.other))[last.twin].twin = at;
        if (id < last.other) {
            ((uint32_t *)rows->by_place.data)[last.place] = at;
        }
    }
}

void bp_pair_rows_remove(bp_pair_rows *rows, bp_pair pair, size_t place) {
    const uint32_t entry = ((const uint32_t *)rows->by_place.data)[place];
    const uint32_t twin = entries_of(rows, row_of(rows, pair.a))[entry].twin;
    remove_entry(rows, pair.a, entry);
    remove_entry(rows, pair.b, twin);
}

// ---- comparing ------------------------------------------------------------------------------------------------------

size_t bp_pair_rows_count(const bp_pair_rows *rows, const bp_changes *changes) {
    size_t count = 0;
    for (size_t i = 0; i < changes->count; ++i) {
        if (i + AHEAD < changes->count) {
            bp_prefetch(row_of(rows, changes->ids[i + AHEAD]));
            const bp_pair_entry *next = entries_of(rows, row_of(rows, changes->ids[i + AHEAD / 2]));
            bp_prefetch(next);
            bp_prefetch(next + SCANNED_MAX - 1);
        }
        count += row_of(rows, changes->ids[i])->count;
    }
    return count;
}

static bool is_changed(const uint64_t *changed, uint32_t id) {
    return (changed[id / 64] >> id % 64 & 1) != 0;
}

// In whose row a pair is looked up: that of a changed object; of two, the smaller one.
static uint32_t owner_of(bp_pair pair, const uint64_t *changed) {
    return is_changed(changed, pair.a) ? pair.a : pair.b;
}

size_t bp_pair_rows_compare(bp_pair_rows *rows, const bp_changes *changes, const uint64_t *changed, bp_pairs *begun,
                            size_t *holes) {
    const uint8_t *marks = changes->marks;
    uint32_t *seen = rows->seen.data;
    const size_t count = begun->count;
    uint32_t last = BP_NO_ID;
    const bp_pair_row *row = NULL;
    bp_pair_entry *entries = NULL;
    begun->count = 0;
    for (size_t i = 0; i < count; ++i) {
        const bp_pair pair = begun->data[i], far = begun->data[i + AHEAD < count ? i + AHEAD : i],
                      near = begun->data[i + AHEAD / 2 < count ? i + AHEAD / 2 : i];
        const uint32_t owner = owner_of(pair, changed), other = pair.a ^ pair.b ^ owner;
        bp_prefetch(row_of(rows, owner_of(far, changed)));
        bp_prefetch(entries_of(rows, row_of(rows, owner_of(near, changed))));
        if (row == NULL || owner != last) { // says where in this row each other object is
            last = owner;
            row = row_of(rows, owner);
            entries = entries_of(rows, row);
            for (uint32_t k = 0; k < row->count && row->count > SCANNED_MAX; ++k) {
                seen[entries[k].other] = k;
            }
        }
        uint32_t entry = row->count > SCANNED_MAX && other < rows->id_count ? seen[other] : 0;
        for (uint32_t k = 0; k < row->count && row->count <= SCANNED_MAX; ++k) {
            entry = entries[k].other == other ? k : entry;
        }
        const bool is_old = entry < row->count && entries[entry].other == other &&
                            ((marks[owner] | (is_changed(changed, other) ? marks[other] : 0)) & BP_MARK_REBORN) == 0;
        if (is_old) {
            entries[entry].place |= CONFIRMED;
        }
        begun->data[begun->count] = pair;
        begun->count += !is_old;
    }
    size_t hole_count = 0;
    for (size_t i = 0; i < changes->count; ++i) {
        const uint32_t id = changes->ids[i];
        row = row_of(rows, id);
        entries = entries_of(rows, row);
        for (uint32_t k = 0; k < row->count; ++k) {
            const uint32_t other = entries[k].other, place = entries[k].place;
            entries[k].place = place & ~CONFIRMED;
            holes[hole_count] = place;
            hole_count += (place & CONFIRMED) == 0 && (!is_changed(changed, other) || id < other);
        }
    }
    return hole_count;
}
