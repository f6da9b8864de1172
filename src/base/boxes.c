#include "base/boxes.h"

#include "base/parallel.h"

enum {
    COPY_MIN = 4096, // boxes that are worth a task
    COPY_BLOCKS = 64,
    COPY_PIECE = 64 // boxes: longer copies use instructions that wait for each line that other cores have read
};

typedef struct copy {
    const bp_box *from;
    bp_box *to;
    bp_blocks blocks;
} copy;

static void task_copy(void *context, size_t block) {
    const copy *c = context;
    const size_t begin = bp_block_begin(c->blocks, block), end = bp_block_begin(c->blocks, block + 1);
    for (size_t i = begin; i < end; i += COPY_PIECE) {
        const size_t count = end - i < COPY_PIECE ? end - i : COPY_PIECE;
        memcpy(c->to + i, c->from + i, count * sizeof *c->to);
    }
}

void bp_boxes_copy(bp_box *to, const bp_box *from, size_t count, const bp_executor *executor) {
    copy c = {.from = from, .to = to, .blocks = bp_blocks_cut(executor, count, COPY_MIN, COPY_BLOCKS)};
    bp_parallel_for(executor, c.blocks.count, task_copy, &c);
}
