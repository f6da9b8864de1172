"""What is around every page: the bar with the sections, the pages of the section, the headings of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from text import escape, plain


@dataclass
class Page:
    address: str
    title: str
    content: str
    section: str = ""  # which one of SECTIONS it belongs to
    wide: bool = False  # without lists at its sides
    about: str = ""  # a sentence for those who find it elsewhere
    searched: bool = True  # its text, and not only its title, is in the search


@dataclass
class Section:
    name: str
    address: str
    groups: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)  # title, [(name, address)]


HEADING = re.compile(r'<h([23])[^>]* id="([^"]+)"[^>]*>(.*?)</h\1>', re.S)


def page_html(page: Page, sections: list[Section], version: str) -> str:
    depth = page.address.count("/")
    root = "../" * depth
    section = next((each for each in sections if each.name == page.section), None)
    sides = not page.wide
    left = section_html(section, page) if sides and section else ""
    right = contents_html(page) if sides else ""
    shape = "plain" if page.wide else "sided" if left else "single" if right else "bare"
    title = "broadphase" if page.address == "index.html" else f"{page.title} · broadphase"
    about = f'<meta name="description" content="{escape(page.about)}">\n' if page.about else ""
    body = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
{about}<link rel="icon" href="@/theme/icon.svg">
<link rel="stylesheet" href="@/theme/style.css">
<script>document.documentElement.dataset.theme = localStorage.getItem("theme") || "";</script>
<script defer src="@/theme/site.js" data-root="{root}"></script>
</head>
<body class="{shape}">
<a class="skip" href="#content">To the content</a>
<header class="bar">
<a class="brand" href="@/index.html"><img src="@/theme/icon.svg" alt="" width="24" height="24">broadphase</a>
<nav class="sections" aria-label="Sections">{''.join(bar_link(each, page) for each in sections)}</nav>
<button class="search-button" type="button" aria-haspopup="dialog"><span>Search</span> <kbd>/</kbd></button>
<button class="theme-button" type="button" aria-label="Light or dark" title="Light or dark">◐</button>
</header>
<div class="columns">
{left}<main id="content">
{anchored(page.content)}
</main>
{right}</div>
<footer><p>broadphase {version} · MIT licence · <a href="@/guide/changelog.html">what is new</a> ·
<a href="@/guide/licence.html">licence</a></p></footer>
</body>
</html>
"""
    return body.replace("@/", root)


def bar_link(section: Section, page: Page) -> str:
    current = ' aria-current="true"' if section.name == page.section else ""
    return f'<a href="@/{section.address}"{current}>{section.name}</a>'


def section_html(section: Section, page: Page) -> str:
    out = []
    for title, links in section.groups:
        entries = [
            f'<li><a href="@/{address}"' + (' aria-current="page"' if address == page.address else "") + f">{name}</a></li>"
            for name, address in links
        ]
        out.append((f"<h2>{title}</h2>" if title else "") + f"<ul>{''.join(entries)}</ul>")
    if not out:
        return ""
    return (
        f'<details class="pages" open><summary>{section.name}: all pages</summary>'
        f'<nav aria-label="Pages">{"".join(out)}</nav></details>\n'
    )


def contents_html(page: Page) -> str:
    found = HEADING.findall(page.content)
    if len(found) < 3:
        return ""
    entries = [
        f'<li class="level-{level}"><a href="#{anchor}">{escape(short(plain(title)))}</a></li>'
        for level, anchor, title in found
    ]
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>{"".join(entries)}</ul></nav>\n'


def short(title: str) -> str:
    title = re.sub(r" (struct|enum|class|type|macro)$", "", title)
    return title.split(", ")[0] + ", …" if title.count(", ") and title.startswith("bp_") else title


def anchored(content: str) -> str:
    """Every heading with an anchor gets a link to itself."""
    return re.sub(
        r'(<h([2-4])[^>]* id="([^"]+)"[^>]*>)(.*?)(</h\2>)',
        lambda m: f'{m[1]}{m[4]} <a class="anchor" href="#{m[3]}" aria-label="Link to this heading">#</a>{m[5]}',
        content,
        flags=re.S,
    )
