#include "commands/inputs.h"

#include <string.h>

bool inputs_check(const input_named *inputs, size_t count, failure *why) {
    file_format format;
    size_t standard_inputs = 0;
    for (size_t i = 0; i < count; i++) {
        if (!file_format_of_input(inputs[i].path, &format, why)) return false;
        standard_inputs += strcmp(inputs[i].path, "-") == 0;
    }
    return standard_inputs <= 1 || failure_set(why, STATUS_WRONG_CALL, "standard input can be read only once");
}

bool inputs_read(const input_named *inputs, size_t count, box_list *lists, uint32_t *dimensions, failure *why) {
    for (size_t i = 0; i < count; i++) {
        const box_rules rules = {.dimensions = *dimensions == 2 ? 2 : 3, .kind = inputs[i].kind};
        if (!row_file_read(inputs[i].path, rules, &lists[i], why)) return false;
    }
    const bool is_flat = box_form_is_flat(lists[0].form);
    if (*dimensions != 2 && count == 2 && is_flat != box_form_is_flat(lists[1].form)) {
        return failure_set(why, STATUS_WRONG_CALL,
                           "%s has %s and %s has %s; to compare x and y alone, call with --set dimensions=2",
                           inputs[0].path, box_form_noun(lists[0].form), inputs[1].path, box_form_noun(lists[1].form));
    }
    if (is_flat) *dimensions = 2;
    return true;
}
