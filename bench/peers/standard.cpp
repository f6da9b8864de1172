// The standard hash map that Zhyhallo and Wozna-Szczesniak name as a baseline, as one would write it: from a cell to a
// list of its objects, cleared and filled anew in each step. Clearing the lists and keeping them was tried: it is faster
// while objects stay where they are, but cells that are empty pile up as they move.
#include "peers/standard.h"

#include "peers/flat_cells.h"
#include "peers/shim.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

void standard_sort(uint64_t *values, size_t count) {
    std::sort(values, values + count);
}

namespace {

class CellMap {
public:
    CellMap(size_t count, const bp_box *) : count_(count) {
    }

    void update(const bp_box *boxes) {
        boxes_ = boxes;
        cells_.clear();
        for (size_t i = 0; i < count_; i++)
            cells_[name(flat_cell(boxes[i].min[0]), flat_cell(boxes[i].min[1]))].push_back(static_cast<uint32_t>(i));
    }

    void find(bp_pairs &pairs) const {
        const float reach = flat_reach(boxes_, count_);
        for (uint32_t i = 0; i < count_; i++) {
            const bp_box &box = boxes_[i];
            for (int32_t y = flat_cell(box.min[1] - reach); y <= flat_cell(box.max[1]); y++)
                for (int32_t x = flat_cell(box.min[0] - reach); x <= flat_cell(box.max[0]); x++)
                    find_in_cell(i, name(x, y), pairs);
        }
    }

    // What the allocator adds is not counted.
    size_t bytes() const {
        size_t sum = cells_.bucket_count() * sizeof(void *);
        for (const auto &cell : cells_) sum += sizeof cell + sizeof(void *) + cell.second.capacity() * sizeof(uint32_t);
        return sum;
    }

private:
    static uint64_t name(int32_t x, int32_t y) {
        return static_cast<uint64_t>(static_cast<uint32_t>(y)) << 32 | static_cast<uint32_t>(x);
    }

    void find_in_cell(uint32_t i, uint64_t cell, bp_pairs &pairs) const {
        const auto found = cells_.find(cell);
        if (found == cells_.end()) return;
        for (const uint32_t j : found->second)
            if (i < j) bench_push_exact(&pairs, boxes_, i, j);
    }

    size_t count_;
    const bp_box *boxes_ = nullptr;
    std::unordered_map<uint64_t, std::vector<uint32_t>> cells_;
};

constexpr bench_peer named(bench_peer peer) {
    peer.named_only = true;
    peer.bytes = [](const void *state) { return static_cast<const CellMap *>(state)->bytes(); };
    return peer;
}

} // namespace

extern "C" const bench_peer standard_peers[] = {
    named(make_peer<CellMap>("std", "unordered-map", "a list of objects for each cell, one thread", BENCH_HASH)),
    {},
};
