"""Text as HTML: code with colors, comments of source files, and links from names to where they are described.

In what these functions return, "@/" stands for the root of the site; frame.py replaces it.
"""

from __future__ import annotations

import html
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

names: dict[str, str] = {}  # every name of the C headers: its address

escape = html.escape


def slug(title: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    title = re.sub(r"[^\w\- ]", "", title.lower())
    return title.replace(" ", "-")


def code_block(code: str, language: str = "") -> str:
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    colored = highlight(code.rstrip("\n"), lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
    kind = "" if language else ' class="drawing"'
    return f'<pre{kind} tabindex="0"><code>{link_names(colored)}</code></pre>'


def link_names(markup: str) -> str:
    """Links the names of the C headers in HTML of code; what is a link already has no such text of its own."""
    return re.sub(r"(?<![\w#/.\"-])(bp_\w+|BP_\w+)(?![\w\"])", link_of, markup)


def link_of(match: re.Match[str]) -> str:
    name = match.group(1)
    return f'<a href="{names[name]}">{name}</a>' if name in names else name


def inline(text: str) -> str:
    """A line of a comment: `code`, and names."""
    parts = re.split(r"`([^`]+)`", escape(text, quote=False))
    for i, part in enumerate(parts):
        linked = link_names(part)
        if i % 2 == 0:
            linked = re.sub(r"(?<!\w)_([A-Z]+)\b", link_of_short_status, linked)
            linked = re.sub(r"(<a [^>]*>)(\w+)(</a>)", r"\1<code>\2</code>\3", linked)
        parts[i] = f"<code>{linked}</code>" if i % 2 else linked
    return "".join(parts)


def link_of_short_status(match: re.Match[str]) -> str:
    """In "BP_ERROR_ARGUMENT, _BOX or _MEMORY" each is meant."""
    address = names.get(f"BP_ERROR_{match.group(1)}")
    return f'<a href="{address}">{match.group(0)}</a>' if address else match.group(0)


def comment_html(comment: str, language: str = "c") -> str:
    """A comment: paragraphs, lists (`- `), and what is indented, which is code or a drawing."""
    out: list[str] = []
    for block in split_blocks(comment.splitlines()):
        first = block[0]
        if re.match(r"\s*- ", first):
            out.append(list_html(block))
        elif first.startswith("  "):
            indent = min(len(line) - len(line.lstrip()) for line in block if line.strip())
            code = "\n".join(line[indent:] for line in block)
            out.append(code_block(code, language if looks_like_code(code) else ""))
        else:
            out.append(f"<p>{inline(' '.join(line.strip() for line in block))}</p>")
    return "\n".join(out)


def split_blocks(lines: list[str]) -> list[list[str]]:
    """Cut at empty lines and wherever indented lines begin or end; empty lines inside a drawing stay."""
    blocks: list[list[str]] = []
    kind = ""
    for line in lines:
        if line.strip() == "":
            kind = "gap" if kind != "drawing" else "drawing gap"
            continue
        is_list = re.match(r"\s*- ", line) or (kind == "list" and line.startswith("    "))
        new = "list" if is_list else "drawing" if line.startswith("  ") else "paragraph"
        if new == kind or (new == "drawing" and kind == "drawing gap"):
            blocks[-1] += ["", line] if kind == "drawing gap" else [line]
        else:
            blocks.append([line])
        kind = new
    return blocks


def list_html(lines: list[str]) -> str:
    entries: list[str] = []
    for line in lines:
        entry = re.match(r"\s*- (.*)", line)
        if entry:
            entries.append(entry.group(1))
        else:
            entries[-1] += " " + line.strip()
    return "<ul>" + "".join(f"<li>{inline(entry)}</li>" for entry in entries) + "</ul>"


def looks_like_code(text: str) -> bool:
    return bool(re.search(r"[;{]\s*(//.*)?$|^#include", text, re.M))


def first_sentence(comment: str) -> str:
    flat = " ".join(comment.split())
    end = re.search(r"(?<![.\s])[.?](?= |$)", flat)
    return flat[: end.end()] if end else flat


def sentences(comment: str) -> list[str]:
    prose = " ".join(line.strip() for line in comment.splitlines() if not line.startswith("    "))
    return re.split(r"(?<=[.?!)])\s+(?=[A-Z`*(])", prose)


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))
