#include "commands/library.h"

#include <stdio.h>

static void keep_log_line(void *context, const char *text) {
    library_log *log = context;
    snprintf(log->text, sizeof log->text, "%s", text);
}

bp_log library_log_hook(library_log *log) {
    return (bp_log){.write = keep_log_line, .context = log};
}

bool library_done(bp_status status, const library_log *log, failure *why) {
    if (status == BP_OK) return true;
    bool wrong_call = status == BP_ERROR_ARGUMENT || status == BP_ERROR_UNSUPPORTED;
    const char *advice = "try fewer boxes, another --method, or a machine with more memory";
    const char *text = log->text[0] != '\0' ? log->text : status == BP_ERROR_MEMORY ? advice : "";
    return failure_set(why, wrong_call ? STATUS_WRONG_CALL : STATUS_FAILED, "%s%s%s", bp_status_text(status),
                       text[0] != '\0' ? ": " : "", text);
}
