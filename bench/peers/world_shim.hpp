// Makes a bench_world_peer of a C++ class that is derived from WorldShim and has a constructor (boxes, count, static_count).
#ifndef BENCH_WORLD_SHIM_HPP
#define BENCH_WORLD_SHIM_HPP

#include "peers/world_peer.h"

#include <exception>
#include <vector>

class WorldShim {
public:
    virtual ~WorldShim() = default;
    virtual void move(const bp_id *ids, const bp_box *boxes, size_t count) = 0;
    virtual void replace(const bp_id *ids, const bp_box *boxes, size_t count) = 0;
    virtual void update() = 0;
    virtual void pairs(bp_pairs *pairs, bp_pairs *stale) const = 0;
    virtual void rays(const bp_ray *, size_t, bp_ray_hit *) {
    }
};

// One that lists all pairs of true boxes in each update, from two structures: of static objects and of the others.
class ListingWorld : public WorldShim {
public:
    ListingWorld(const bp_box *boxes, size_t count, size_t static_count)
        : boxes_(boxes, boxes + count), static_count_(static_count) {
    }
    ~ListingWorld() override {
        free(list_.data);
    }
    ListingWorld(const ListingWorld &) = delete;
    ListingWorld &operator=(const ListingWorld &) = delete;

    void move(const bp_id *ids, const bp_box *boxes, size_t count) override {
        for (size_t i = 0; i < count; i++) {
            const uint32_t id = ids ? ids[i] : static_cast<uint32_t>(i);
            boxes_[id] = boxes[i];
            place(id);
        }
    }
    void replace(const bp_id *ids, const bp_box *boxes, size_t count) override {
        for (size_t i = 0; i < count; i++) remove(ids[i]);
        for (size_t i = 0; i < count; i++) {
            boxes_[ids[i]] = boxes[i];
            add(ids[i]);
        }
    }
    void update() override {
        list_.count = 0;
        find();
    }
    void pairs(bp_pairs *pairs, bp_pairs *) const override {
        for (size_t i = 0; i < list_.count; i++) bench_push(pairs, list_.data[i].a, list_.data[i].b);
    }

protected:
    virtual void place(uint32_t id) = 0; // its box has changed
    virtual void remove(uint32_t id) = 0;
    virtual void add(uint32_t id) = 0;
    virtual void find() = 0;

    bool is_static(uint32_t id) const {
        return id < static_count_;
    }
    void take_pair(uint32_t a, uint32_t b) {
        bench_push_exact(&list_, boxes_.data(), a, b);
    }

    std::vector<bp_box> boxes_;
    size_t static_count_;

private:
    bp_pairs list_{};
};

template <class Shim> bench_world_peer make_world(const char *who, const char *method, const char *note) {
    bench_world_peer peer{};
    peer.who = who;
    peer.method = method;
    peer.note = note;
    peer.create = [](const bp_box *boxes, size_t count, size_t static_count) -> void * {
        try {
            return static_cast<WorldShim *>(new Shim(boxes, count, static_count));
        } catch (const std::exception &) {
            return nullptr;
        }
    };
    peer.move = [](void *state, const bp_id *ids, const bp_box *boxes, size_t count) {
        static_cast<WorldShim *>(state)->move(ids, boxes, count);
    };
    peer.replace = [](void *state, const bp_id *ids, const bp_box *boxes, size_t count) {
        static_cast<WorldShim *>(state)->replace(ids, boxes, count);
    };
    peer.update = [](void *state) { static_cast<WorldShim *>(state)->update(); };
    peer.pairs = [](const void *state, bp_pairs *pairs, bp_pairs *stale) {
        static_cast<const WorldShim *>(state)->pairs(pairs, stale);
    };
    peer.destroy = [](void *state) { delete static_cast<WorldShim *>(state); };
    return peer;
}

// The same for a class that has rays.
template <class Shim> bench_world_peer make_ray_world(const char *who, const char *method, const char *note) {
    bench_world_peer peer = make_world<Shim>(who, method, note);
    peer.rays = [](void *state, const bp_ray *rays, size_t count, bp_ray_hit *hits) {
        static_cast<WorldShim *>(state)->rays(rays, count, hits);
    };
    return peer;
}

#endif
