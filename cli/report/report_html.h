// Words of HTML: text, cells, and the style of the page.
#ifndef TOOL_REPORT_HTML_H
#define TOOL_REPORT_HTML_H

#include "formats/stream.h"

// The style of the page as a whole, and of its parts: facts, verdicts, charts; two because a string has its limits.
extern const char HTML_STYLE[];
extern const char HTML_PART_STYLE[];
// The style of the charts alone, for files of them.
extern const char HTML_CHART_STYLE[];

// As it is.
void html_raw(output_file *output, const char *text);
// With '<' and '&' escaped, and raised digits as <sup>.
void html_text(output_file *output, const char *text);
// <tag class='class'>text</tag>
void html_element(output_file *output, const char *tag, const char *class, const char *text);
void html_cell(output_file *output, const char *class, const char *text);
// A section's heading, and the text below it.
void html_heading(output_file *output, const char *id, const char *title, const char *text);

#endif
