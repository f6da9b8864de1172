// A stream of bytes as a program of public calls, run on a world and on the naive model: tests/programs/program.h. The
// first byte names the method.
#include "target.h"

#include "programs/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) {
        return 0;
    }
    const bp_method method = (bp_method)(data[0] % bp_method_count());
    source from = source_of_bytes(data + 1, size - 1);
    program p = program_draw(&from);
    const outcome found = program_suits(&p, method) ? program_run(&p, method, DEFECT_NONE) : (outcome){0};
    if (found.failed) {
        (void)program_shrink(&p, method, DEFECT_NONE);
        const outcome shorter = program_run(&p, method, DEFECT_NONE);
        program_print(&p, method, &shorter, stderr);
    }
    require(!found.failed, "a world does not do what the model does");
    program_free(&p);
    return 0;
}
