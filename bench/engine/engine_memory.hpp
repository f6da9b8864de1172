// Memory for one world of Bullet.
//
// Worlds that share a heap lie in the holes that others have left while they grew, which may double the time of a step.
// So each gets memory of its own, as the only world of a game has it.
#ifndef BENCH_ENGINE_MEMORY_HPP
#define BENCH_ENGINE_MEMORY_HPP

#include <LinearMath/btAlignedAllocator.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

class EngineMemory {
public:
    // While it lives, Bullet allocates from this memory, and gives back to it. One at a time.
    class Use {
    public:
        explicit Use(EngineMemory &memory) {
            current = &memory;
            btAlignedAllocSetCustomAligned(allocate, release);
        }
        ~Use() {
            btAlignedAllocSetCustomAligned(nullptr, nullptr);
        }
        Use(const Use &) = delete;
        Use &operator=(const Use &) = delete;
    };

private:
    // Before each block. Blocks that are free form a list for each of their sizes.
    struct alignas(16) Block {
        size_t size_class;
        Block *next;
    };
    static constexpr size_t unit = sizeof(Block), fine_count = 1024, chunk_size = size_t(1) << 20;

    // Up to fine_count units as they are, then powers of two. (Bullet asks for no larger alignment than 16.)
    static size_t class_of(size_t size) {
        size_t found = (size + unit - 1) / unit;
        if (found >= fine_count)
            for (found = fine_count; size_of(found) < size;) ++found;
        return found;
    }
    static size_t size_of(size_t size_class) {
        return size_class < fine_count ? unit * size_class : unit * fine_count << (size_class - fine_count);
    }

    static void *allocate(size_t size, int) {
        const size_t size_class = class_of(size);
        Block *&first = current->free_[size_class];
        Block *block = first ? first : current->cut(sizeof(Block) + size_of(size_class));
        first = first ? first->next : nullptr;
        block->size_class = size_class;
        return block + 1;
    }
    static void release(void *memory) {
        if (!memory) return;
        Block *block = static_cast<Block *>(memory) - 1;
        block->next = current->free_[block->size_class];
        current->free_[block->size_class] = block;
    }

    // A new block, behind the last one. (What is left of a chunk that is too small is lost.)
    Block *cut(size_t size) {
        if (left_ < size) {
            left_ = std::max(size, chunk_size);
            chunks_.emplace_back(new Block[left_ / unit]);
            next_ = chunks_.back().get();
        }
        Block *block = next_;
        next_ += size / unit;
        left_ -= size;
        return block;
    }

    static inline EngineMemory *current = nullptr;
    std::vector<std::unique_ptr<Block[]>> chunks_;
    Block *next_ = nullptr; // in the last chunk ...
    size_t left_ = 0;       // ... which has so many bytes left
    Block *free_[fine_count + 48] = {};
};

#endif
