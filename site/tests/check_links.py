#!/usr/bin/python3
"""Checks a folder of HTML pages: every link and every picture leads to a file in it, every anchor to an element, no id occurs
twice, and nothing is fetched from elsewhere.

usage: site/tests/check_links.py FOLDER
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FETCHED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}


class PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.inside_svg = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.inside_svg += tag == "svg"
        if "id" in given and not self.inside_svg:  # each chart names its own parts
            self.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in FETCHED and FETCHED[tag] in given:
            self.fetched.append(given[FETCHED[tag]])

    def handle_endtag(self, tag: str) -> None:
        self.inside_svg -= tag == "svg"


def read_page(path: Path) -> PageReader:
    reader = PageReader()
    reader.feed(path.read_text())
    return reader


def problems_of(path: Path, folder: Path, pages: dict[Path, PageReader]) -> list[str]:
    page = pages[path]
    found = [f"the id {each} occurs twice" for each in sorted({each for each in page.ids if page.ids.count(each) > 1})]
    for address in page.fetched:
        if re.match(r"([a-z]+:)?//", address):
            found.append(f"fetches {address}")
    for address in page.links + page.fetched:
        if re.match(r"[a-z]+:", address):
            continue
        target, _, anchor = address.partition("#")
        file = (path.parent / unquote(target)).resolve() if target else path
        if not file.is_file() or folder not in file.parents:
            found.append(f"leads nowhere: {address}")
        elif anchor and file in pages and unquote(anchor) not in pages[file].ids:
            found.append(f"no such anchor: {address}")
    return found


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    pages = {path: read_page(path) for path in sorted(folder.rglob("*.html"))}
    count = 0
    for path in pages:
        for problem in problems_of(path, folder, pages):
            print(f"{path.relative_to(folder)}: {problem}")
            count += 1
    links = sum(len(page.links) + len(page.fetched) for page in pages.values())
    print(f"{len(pages)} pages, {links} links, {count} problems")
    return 1 if count or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
