#include "base/pair_sort.h"

#include "base/parallel.h"
#include "base/radix_sort.h"

#include <string.h>

enum {
    BUCKET_PAIRS = 1024,  // in a bucket, about: so that it stays in the first-level cache
    BUCKET_BITS_MAX = 12, // of a, that choose a bucket
    DIGIT_BITS_MIN = 8,
    DIGIT_BITS_MAX = 12,
    DIGITS = 1 << DIGIT_BITS_MAX,
    STEPS_MAX = 8,      // four digits of b, four of a
    INSERTED_MAX = 24,  // pairs: up to here inserting them one by one is fastest
    INSERTED_SHARE = 4, // places by which a pair may be moved, on average, when those of each a are inserted
    WHOLE_MAX = 32768,  // pairs that are not partitioned, if b is one digit and a another: two steps instead of four
    BLOCK_MIN = 8192,   // pairs that are worth a task
    BLOCKS_MAX = 256,
    BUCKETS_PER_TASK = 8
};

// A digit of a pair as one number, a before b.
typedef struct digit {
    uint32_t shift, mask;
} digit;

typedef struct pair_sort {
    const bp_pair *from;
    bp_pair *partitioned, *to;
    uint32_t id_bits, bucket_bits;
    digit digits[STEPS_MAX]; // of a bucket's pairs, the least significant first
    size_t digit_count, digits_of_b;
    bp_blocks blocks;       // of pairs
    bp_blocks bucket_tasks; // of buckets
    size_t *counters;       // per block and bucket: how many pairs, then where the next one goes
    size_t *starts;         // per bucket, and where the last one ends
} pair_sort;

static uint32_t bit_count(size_t value) {
    uint32_t bits = 0;
    while (bits < 32 && value >> bits != 0) {
        ++bits;
    }
    return bits;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// ---- one bucket -----------------------------------------------------------------------------------------------------

static uint64_t key_of(const bp_pair *pair) {
    return (uint64_t)pair->a << 32 | pair->b;
}

static size_t digit_of(const bp_pair *pair, digit d) {
    return (size_t)(key_of(pair) >> d.shift) & d.mask;
}

// Cuts `bits` bits from `first` on into digits of nearly the same length, `most` bits at most. Returns their number.
static size_t cut_digits(digit *digits, uint32_t first, uint32_t bits, uint32_t most) {
    const uint32_t count = (bits + most - 1) / most;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t begin = bits * i / count, end = bits * (i + 1) / count;
        digits[i] = (digit){.shift = first + begin, .mask = ((uint32_t)1 << (end - begin)) - 1};
    }
    return count;
}

static void sort_by_digit(const bp_pair *from, bp_pair *to, size_t count, digit d) {
    size_t position[DIGITS];
    memset(position, 0, ((size_t)d.mask + 1) * sizeof *position);
    for (size_t i = 0; i < count; ++i) {
        ++position[digit_of(&from[i], d)];
    }
    (void)bp_counts_to_positions(position, (size_t)d.mask + 1);
    for (size_t i = 0; i < count; ++i) {
        to[position[digit_of(&from[i], d)]++] = from[i];
    }
}

// By an odd number of digits, the least significant first. The result is in `to`; `from` is overwritten.
static void sort_by_digits(const digit *digits, size_t digit_count, bp_pair *from, bp_pair *to, size_t count) {
    for (size_t i = 0; i < digit_count; ++i) {
        sort_by_digit(i % 2 == 0 ? from : to, i % 2 == 0 ? to : from, count, digits[i]);
    }
}

// Inserts pairs one by one, as long as that does not take much. False if it would.
static bool insert_pairs(const bp_pair *from, bp_pair *to, size_t count, size_t most) {
    size_t moved = 0;
    for (size_t i = 0; i < count && moved <= most; ++i) {
        const bp_pair next = from[i];
        size_t at = i;
        for (; at > 0 && key_of(&to[at - 1]) > key_of(&next); --at, ++moved) {
            to[at] = to[at - 1];
        }
        to[at] = next;
    }
    return moved <= most;
}

// From anywhere (`to` itself included) to `to`, by way of a spare bucket.
static void sort_by(const digit *digits, size_t digit_count, const bp_pair *from, bp_pair *spare, bp_pair *to,
                    size_t count) {
    if (digit_count == 0) {
        memmove(to, from, count * sizeof *to);
    } else if (digit_count % 2 != 0) {
        if (from != spare) {
            memcpy(spare, from, count * sizeof *spare);
        }
        sort_by_digits(digits, digit_count, spare, to, count);
    } else if (from != spare) {
        sort_by_digit(from, spare, count, digits[0]);
        sort_by_digits(digits + 1, digit_count - 1, spare, to, count);
    } else {
        sort_by_digit(spare, to, count, digits[0]);
        sort_by_digits(digits + 1, digit_count - 1, to, spare, count);
        memcpy(to, spare, count * sizeof *to);
    }
}

// By a; then those of each a, mostly few, are inserted. If they are many: by all digits.
static void sort_bucket(const pair_sort *s, const bp_pair *from, bp_pair *spare, bp_pair *to, size_t count) {
    sort_by(s->digits + s->digits_of_b, s->digit_count - s->digits_of_b, from, spare, to, count);
    if (count > 0 && !insert_pairs(to, to, count, INSERTED_SHARE * count)) {
        sort_by(s->digits, s->digit_count, to, spare, to, count);
    }
}

static void task_sort_buckets(void *context, size_t task) {
    const pair_sort *s = context;
    const size_t end = bp_block_begin(s->bucket_tasks, task + 1);
    for (size_t bucket = bp_block_begin(s->bucket_tasks, task); bucket < end; ++bucket) {
        const size_t start = s->starts[bucket];
        sort_bucket(s, s->partitioned + start, s->partitioned + start, s->to + start, s->starts[bucket + 1] - start);
    }
}

// ---- partitioning ---------------------------------------------------------------------------------------------------

static size_t bucket_of(const pair_sort *s, const bp_pair *pair) {
    return (size_t)((uint64_t)pair->a >> (s->id_bits - s->bucket_bits)); // 64 bits: it may be by 32
}

static size_t *counters_of(const pair_sort *s, size_t block) {
    return s->counters + (block << s->bucket_bits);
}

static void task_count(void *context, size_t block) {
    const pair_sort *s = context;
    size_t *counters = counters_of(s, block);
    memset(counters, 0, sizeof *counters << s->bucket_bits);
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        ++counters[bucket_of(s, &s->from[i])];
    }
}

static void task_partition(void *context, size_t block) {
    const pair_sort *s = context;
    size_t *counters = counters_of(s, block);
    const size_t end = bp_block_begin(s->blocks, block + 1);
    for (size_t i = bp_block_begin(s->blocks, block); i < end; ++i) {
        s->partitioned[counters[bucket_of(s, &s->from[i])]++] = s->from[i];
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

bool bp_sort_pairs(const bp_pair *from, bp_pair *to, size_t count, size_t id_count, bp_buffer *scratch,
                   const bp_runtime *runtime) {
    if (count <= INSERTED_MAX) {
        return insert_pairs(from, to, count, SIZE_MAX);
    }
    const bp_executor *executor = &runtime->executor;
    const bp_blocks blocks = bp_blocks_cut(executor, count, BLOCK_MIN, BLOCKS_MAX);
    // Room for as many buckets as there may be, whatever the ids: so a steady number of pairs allocates once.
    const uint32_t count_bits = bit_count(count / BUCKET_PAIRS); // one more than the logarithm
    const uint32_t most = count_bits == 0 ? 0 : least(count_bits - 1, BUCKET_BITS_MAX);
    const size_t buckets = (size_t)1 << most;
    const size_t counters = bp_size_multiply(buckets * blocks.count + buckets + 1, sizeof(size_t));
    const size_t bytes = bp_size_add(bp_size_multiply(count, sizeof(bp_pair)), counters);
    if (!bp_buffer_reserve_slack(scratch, &runtime->allocator, 0, bytes, 1)) {
        return false;
    }
    const uint32_t id_bits = bit_count(id_count - 1);
    const uint32_t bucket_bits = count <= WHOLE_MAX && id_bits <= DIGIT_BITS_MAX ? 0 : least(most, id_bits);
    // Counters that are as many as the pairs of a bucket, about, cost no more than these.
    const uint32_t pair_bits = bit_count(count >> bucket_bits);
    const uint32_t digit_bits = pair_bits < DIGIT_BITS_MIN ? DIGIT_BITS_MIN : least(pair_bits, DIGIT_BITS_MAX);
    pair_sort s = {.from = from,
                   .partitioned = scratch->data,
                   .to = to,
                   .id_bits = id_bits,
                   .bucket_bits = bucket_bits,
                   .blocks = blocks};
    s.digits_of_b = s.digit_count = cut_digits(s.digits, 0, id_bits, digit_bits);
    s.digit_count += cut_digits(s.digits + s.digit_count, 32, id_bits - bucket_bits, digit_bits);
    if (bucket_bits == 0) {
        sort_bucket(&s, from, s.partitioned, to, count);
        return true;
    }
    s.starts = (size_t *)(void *)(s.partitioned + count);
    s.counters = s.starts + ((size_t)1 << bucket_bits) + 1;
    s.bucket_tasks = bp_blocks_cut(executor, (size_t)1 << bucket_bits, BUCKETS_PER_TASK, SIZE_MAX);
    bp_parallel_for(executor, blocks.count, task_count, &s);
    size_t place = 0;
    for (size_t bucket = 0; bucket >> bucket_bits == 0; ++bucket) {
        s.starts[bucket] = place;
        for (size_t block = 0; block < blocks.count; ++block) {
            size_t *counter = counters_of(&s, block) + bucket;
            const size_t here = *counter;
            *counter = place;
            place += here;
        }
    }
    s.starts[(size_t)1 << bucket_bits] = place;
    bp_parallel_for(executor, blocks.count, task_partition, &s);
    bp_parallel_for(executor, s.bucket_tasks.count, task_sort_buckets, &s);
    return true;
}
