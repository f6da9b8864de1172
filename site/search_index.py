"""The index of the search: an entry for each heading, with the text below it, and one for each constant.

It is a script that sets a variable, not a file of data, because pages opened from a disk may not read files.
"""

from __future__ import annotations

import json
import re

from frame import Page
from text import plain

CUT = re.compile(r'(<h([1-4])(?:[^>]* id="([^"]+)")?[^>]*>.*?</h\2>|<tr id="[^"]+" data-name>.*?</tr>|<figure id=[^>]*>\s*<h3>.*?</h3>)', re.S)


def entries_of(page: Page) -> list[list[str]]:
    """[title, page, address, text]"""
    found = [[page.title, page.title, page.address, ""]]
    rest = re.sub(r"<svg.*?</svg>", " ", page.content, flags=re.S)
    at = 0
    for match in CUT.finditer(rest):
        found[-1][3] += text_of(rest[at : match.start()]) + " "
        at = match.end()
        piece = match.group(0)
        if piece.startswith("<tr"):
            anchor = re.match(r'<tr id="([^"]+)"', piece)[1]  # type: ignore[index]
            found[-1:-1] = [[anchor, page.title, f"{page.address}#{anchor}", text_of(piece.partition("</td>")[2])]]
        elif piece.startswith("<figure"):
            anchor = re.match(r"<figure id=['\"]([^'\"]+)", piece)[1]  # type: ignore[index]
            found.append([text_of(piece), page.title, f"{page.address}#{anchor}", ""])
        elif match.group(2) != "1":
            title = re.sub(r" (struct|enum|class|type|macro)$", "", text_of(match.group(1)))
            address = f"{page.address}#{match.group(3)}" if match.group(3) else page.address
            found.append([title, page.title, address, ""])
    found[-1][3] += text_of(rest[at:])
    return [[title, where, address, text.strip()] for title, where, address, text in found]


def text_of(markup: str) -> str:
    return " ".join(plain(re.sub(r"<(?:/td|/p|/li|br|/pre|/th)[^>]*>", " ", markup)).split())


def index_script(pages: list[Page]) -> str:
    entries = []
    for page in pages:
        found = entries_of(page)
        entries += found if page.searched else [[page.title, "source", page.address, ""]]
    rows = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
    return f"window.searchIndex = [\n{rows}\n];\n"
