"""Files that pages link to, as pages: code with colors, results as they are, folders as lists."""

from __future__ import annotations

from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from documents import Places
from frame import Page
from text import link_names

LONGEST = 400_000  # characters; more is for tools, not for readers


def page(path: str, root: Path, places: Places) -> Page:
    full = root / path
    content = f"<h1><code>{path}</code></h1>" + (folder(path, root, places) if full.is_dir() else file(full))
    return Page(f"source/{path}.html", path, content, searched=False)


def file(path: Path) -> str:
    text = path.read_text()
    try:
        lexer = get_lexer_for_filename(path.name) if path.suffix not in (".txt", ".csv") else TextLexer()
    except ClassNotFound:
        lexer = TextLexer()
    return f'<pre class="source" tabindex="0"><code>{link_names(highlight(text, lexer, HtmlFormatter(nowrap=True)))}</code></pre>'


def folder(path: str, root: Path, places: Places) -> str:
    entries = []
    for each in sorted((root / path).iterdir()):
        shown = f"{path}/{each.name}"
        if each.is_file() and each.stat().st_size <= LONGEST:
            places.sources.add(shown)
            entries.append(f'<li><a href="@/source/{shown}.html">{each.name}</a></li>')
        else:
            entries.append(f"<li>{each.name}</li>")
    return f"<ul>{''.join(entries)}</ul>"
