// Makes a bench_peer of a C++ class with a constructor (count, boxes), update(boxes) and find(pairs), and a
// bench_sets_peer of one with a constructor (sets), update(sets) and find(pairs).
#ifndef BENCH_SHIM_HPP
#define BENCH_SHIM_HPP

#include "peers/sets_peer.h"

#include <exception>

template <class Shim>
constexpr bench_peer make_peer(const char *who, const char *method, const char *note, bench_kind kind,
                               bool keeps = false, size_t max_count = 0) {
    bench_peer peer{};
    peer.who = who;
    peer.method = method;
    peer.note = note;
    peer.kind = kind;
    peer.exact = true;
    peer.keeps = keeps;
    peer.max_count = max_count;
    peer.create = [](size_t count, const bp_box *boxes) -> void * {
        try {
            return new Shim(count, boxes);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.update = [](void *state, const bp_box *boxes) { static_cast<Shim *>(state)->update(boxes); };
    peer.find = [](void *state, bp_pairs *pairs) { static_cast<Shim *>(state)->find(*pairs); };
    peer.destroy = [](void *state) { delete static_cast<Shim *>(state); };
    return peer;
}

template <class Shim>
constexpr bench_sets_peer make_sets_peer(const char *who, const char *method, const char *note, bool keeps = false) {
    bench_sets_peer peer{};
    peer.who = who;
    peer.method = method;
    peer.note = note;
    peer.keeps = keeps;
    peer.create = [](const bench_sets *sets) -> void * {
        try {
            return new Shim(*sets);
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.update = [](void *state, const bench_sets *sets) { static_cast<Shim *>(state)->update(*sets); };
    peer.find = [](void *state, bp_pairs *pairs) { static_cast<Shim *>(state)->find(*pairs); };
    peer.destroy = [](void *state) { delete static_cast<Shim *>(state); };
    return peer;
}

#endif
