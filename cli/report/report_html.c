// Words of HTML, and the style of the page: light and dark, wide and narrow, on paper.
#include "report/report_html.h"

#include <string.h>

const char HTML_CHART_STYLE[] = "svg tspan,svg text{font-family:inherit}\n"
                                "svg .gridline{stroke:var(--line,#ddd)}\n"
                                "svg text{fill:var(--ink,#333)}\n"
                                "svg [stroke='rgb( 51,  51,  51)']{stroke:var(--ink,#333)}\n"
                                "@media(prefers-color-scheme:dark){svg{--ink:#d5dae0;--line:#333a42}}\n";

const char HTML_STYLE[] =
    ":root{--ink:#1f2933;--soft:#5f6b7a;--line:#dfe4ea;--paper:#fff;--back:#f5f7f9;--good:#166534;--bad:#9a3412;"
    "--near:#1d5f8a;--link:#1d5f8a}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#d5dae0;--soft:#93a0ae;--line:#333a42;--paper:#1b2026;"
    "--back:#12161a;--good:#6ee7a0;--bad:#fdba74;--near:#8cc8f0;--link:#8cc8f0}}\n"
    "body{margin:0;background:var(--back);color:var(--ink);"
    "font:16px/1.5 'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif}\n"
    "main{max-width:1220px;margin:0 auto;padding:32px 24px 64px}\n"
    "h1{font-size:30px;line-height:1.2;margin:0 0 8px}\n"
    "h2{font-size:22px;line-height:1.3;margin:48px 0 4px;padding-top:16px;border-top:2px solid var(--ink)}\n"
    "h3{font-size:16px;line-height:1.3;margin:0 0 6px}h3 small{font-weight:400;font-size:13px;margin-left:4px}\n"
    "sup{font-size:.72em;line-height:0}p{margin:6px 0;max-width:76ch}a{color:var(--link)}code{font-size:.92em}\n"
    ".soft{color:var(--soft)}\n"
    "nav{margin:16px 0;display:flex;flex-wrap:wrap;gap:4px 18px;font-size:15px}\n"
    "table{border-collapse:collapse;margin:12px 0;font-size:14.5px}\n"
    "th,td{padding:4px 14px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--soft);font-weight:600}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".kept,.agrees{color:var(--good);font-weight:600}.missed,.differs{color:var(--bad);font-weight:600}\n"
    ".direction{color:var(--near);font-weight:600}.open{color:var(--soft)}\n"
    ".wide{overflow-x:auto}.wide td{white-space:nowrap}\n";

const char HTML_PART_STYLE[] =
    // the facts at the top
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:14px;margin:20px 0}\n"
    ".fact{padding:14px 16px;background:var(--paper);border:1px solid var(--line);border-radius:6px}\n"
    ".fact b{display:block;font-size:26px;line-height:1.2;font-weight:650}"
    ".fact span{font-size:14px;line-height:1.4;display:block;margin-top:4px}\n"
    // verdicts
    ".chips{display:grid;grid-template-columns:max-content 1fr;gap:8px 16px;margin:14px 0;font-size:14.5px}\n"
    ".chips div{display:flex;flex-wrap:wrap;gap:4px}\n"
    ".chip{padding:0 7px;border:1px solid currentColor;border-radius:9px;font-size:12.5px;line-height:18px;"
    "text-decoration:none;white-space:nowrap}\n"
    ".verdicts{width:100%}.verdicts td:first-child:not([colspan]){white-space:nowrap;padding-right:16px}"
    ".verdicts td:nth-child(2),.verdicts td:nth-child(3){width:40%}"
    ".verdicts th[colspan]{color:var(--ink);padding-top:20px;white-space:normal}.verdicts th span{font-weight:400}\n"
    ".verdicts td p{margin:0 0 4px}\n"
    // charts
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr));gap:22px;margin-top:"
    "18px;align-items:start}\n"
    "figure{margin:0;padding:16px 18px;background:var(--paper);border:1px solid var(--line);border-radius:6px;"
    "min-width:0}\n"
    "figure p{font-size:14.5px;line-height:1.45}figure .chart{overflow-x:auto}"
    "figure svg{display:block;width:100%;min-width:480px;max-width:560px;height:auto;margin:8px 0}\n"
    "figure figure{padding:8px 0;border:0}.legend{display:none}"
    ".legend span{display:inline-block;margin-right:14px}.legend i{font-style:normal}\n"
    ".judged>span{display:inline-block;margin-right:12px}"
    ".paper{color:var(--soft);border-left:3px solid var(--line);padding-left:10px}\n"
    "details{margin-top:8px;font-size:14px}summary{cursor:pointer;color:var(--soft)}"
    "details table{font-size:12.5px;margin:6px 0}details td,details th{padding:2px 12px 2px 0;white-space:nowrap}\n"
    // on narrow screens a shadow at the edge where a chart goes on
    "@media(max-width:700px){figure .chart{background:linear-gradient(to left,var(--paper) 40%,transparent) 100% "
    "0/48px "
    "100% no-repeat local,linear-gradient(to left,var(--line),transparent) 100% 0/20px 100% no-repeat scroll}}\n"
    "@media(max-width:700px){.peers .aside{display:none}.peers th{white-space:normal}.legend{display:block}figure "
    "svg{min-width:440px}main{padding:20px 14px "
    "48px}.figures{gap:14px}figure{padding:12px}"
    ".facts{grid-template-columns:1fr 1fr;gap:10px}.fact{padding:10px 12px}.fact b{font-size:21px}"
    ".chips{grid-template-columns:1fr;gap:4px}.chips div{margin-bottom:8px}"
    ".verdicts,.verdicts tbody,.verdicts tr,.verdicts td,.verdicts th{display:block;border:0;padding:0}"
    ".verdicts td:nth-child(2),.verdicts td:nth-child(3){width:auto}"
    ".verdicts tr{padding:8px 0;border-bottom:1px solid var(--line)}.verdicts tr.head{display:none}"
    ".verdicts td:nth-child(3) p:first-child::before{content:'Here: ';color:var(--soft)}"
    ".verdicts td:first-child{font-weight:600}}\n"
    "@media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}figure{break-inside:avoid;border:0;"
    "padding:0}.figures{display:block}figure{margin-bottom:18pt}h2{break-after:avoid}nav{display:none}}\n";

// A raised digit or minus at `text`: as a plain one, and its length in UTF-8. 0: there is none.
static size_t raised(const char *text, char *plain) {
    static const char *const RAISED[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};
    for (size_t i = 0; i < sizeof RAISED / sizeof *RAISED; i++) {
        size_t length = strlen(RAISED[i]);
        if (strncmp(text, RAISED[i], length) != 0) continue;
        *plain = "0123456789-"[i];
        return length;
    }
    return 0;
}

// Raised digits become <sup>: those of fonts are small, and differ from each other.
void html_text(output_file *output, const char *text) {
    while (*text != '\0') {
        char plain;
        size_t length = raised(text, &plain);
        if (length > 0) {
            output_text(output, "<sup>%c</sup>", plain);
        } else if (*text == '<' || *text == '&') {
            output_text(output, *text == '<' ? "&lt;" : "&amp;");
        } else {
            output_bytes(output, text, 1);
        }
        text += length > 0 ? length : 1;
    }
}

void html_raw(output_file *output, const char *text) {
    output_bytes(output, text, strlen(text));
}

void html_element(output_file *output, const char *tag, const char *class, const char *text) {
    output_text(output, *class == '\0' ? "<%s>" : "<%s class='%s'>", tag, class);
    html_text(output, text);
    output_text(output, "</%s>", tag);
}

void html_cell(output_file *output, const char *class, const char *text) {
    html_element(output, "td", class, text);
}

void html_heading(output_file *output, const char *id, const char *title, const char *text) {
    output_text(output, "<h2 id='%s'>", id);
    html_text(output, title);
    html_raw(output, "</h2>\n<p>");
    html_text(output, text);
    html_raw(output, "</p>\n");
}
