"""The methods: a page for each, from its card in docs/methods.md and the comment that opens its source file (idea, drawing,
cost); and one page that shows them all."""

from __future__ import annotations

import re
from pathlib import Path

from documents import Document, Places
from text import comment_html, escape, inline, slug

FOLDERS = ("src/engine", "src/literature")
AUTO = "src/plan/plan.h"  # it says more than the driver


def opening_comment(path: Path) -> str:
    lines: list[str] = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    return "\n".join(lines)


def opening_html(comment: str) -> str:
    """The words that all methods are described by stand out."""
    return re.sub(r"<p>(Idea|Purpose|Layout|Building|Cost|Source):", r"<p><strong>\1:</strong>", comment_html(comment, ""))


class Methods:
    def __init__(self, root: Path, card_file: Document) -> None:
        self.root, self.cards = root, card_file
        self.files = {"auto": root / AUTO}
        for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.c")):
            name = re.match(r"([a-z-]+): ", opening_comment(path))
            if name and any(part.title == name.group(1) for part in card_file.parts):
                self.files[name.group(1)] = path
        self.names = [part.title for part in card_file.parts[1:]]
        missing = set(self.names) - set(self.files)
        if missing:
            raise SystemExit(f"site: no source file opens with these methods of docs/methods.md: {sorted(missing)}")

    def address(self, name: str) -> str:
        return f"methods/{name}.html"

    def summary(self, name: str) -> str:
        comment = opening_comment(self.files[name]).split("\n\n")[0]
        text = " ".join(comment.split())
        text = text.partition(": ")[2] if text.startswith(name) else text
        return text[0].upper() + text[1:]

    def page(self, name: str, places: Places) -> str:
        comment = opening_comment(self.files[name])
        body = comment.partition("\n\n")[2]
        card = self.cards.part(slug(name))
        source = self.files[name].relative_to(self.root).as_posix()
        places.sources.add(source)
        card_tokens = [token for token in card.tokens[3:]]
        return "\n".join(
            [
                f'<h1 id="{slug(name)}">{name}</h1>',
                f'<p class="lead">{inline(self.summary(name))}</p>',
                self.cards.html(places, [type(card)(card.title, card_tokens)]),
                '<h2 id="source">In the source</h2>',
                f'<p class="soft">This is how <a href="@/source/{source}.html">{source}</a> opens.</p>',
                opening_html(body),
                self.parts_html(name, places),
            ]
        )

    def parts_html(self, name: str, places: Places) -> str:
        """The other files of its folder that have something to show."""
        folder = self.files[name].parent
        if folder in (*(self.root / folder for folder in FOLDERS), (self.root / AUTO).parent):
            return ""
        out = []
        for path in sorted(folder.glob("*.[ch]")):
            comment = opening_comment(path)
            title, _, body = comment.partition("\n\n")
            if path in self.files.values() or not re.search(r"^    ", body, re.M):
                continue
            source = path.relative_to(self.root).as_posix()
            places.sources.add(source)
            title = " ".join(title.split())
            out.append(
                f'<details id="{path.stem}-{path.suffix[1:]}"><summary><code>{path.name}</code> {inline(title)}</summary>'
                f"{opening_html(body)}"
                f'<p class="soft"><a href="@/source/{source}.html">{source}</a></p></details>'
            )
        return '<h2 id="parts">Its parts</h2>' + "\n".join(out) if out else ""

    def index(self, readme: Document, places: Places) -> str:
        tiles = [
            f'<a class="tile" href="@/{self.address(name)}"><code>{name}</code><span>{escape(self.summary(name))}</span></a>'
            for name in self.names
        ]
        part = readme.html(places, [readme.part("methods")])
        table = re.search(r'<div class="wide".*?</table></div>', part, re.S)[0]  # type: ignore[index]
        for name in self.names:
            link = f'<td><code><a href="@/{self.address(name)}">{name}</a></code></td>'
            table = table.replace(f"<td><code>{name}</code></td>", link)
        lead, literature = self.cards.html(places, self.cards.parts[:1]).split("</p>", 1)
        return f"""{lead}</p>
<div class="tiles">{"".join(tiles)}</div>
<h2 id="side-by-side">Side by side</h2>
{table}
<h2 id="about-the-cards">About the cards</h2>
{literature}"""
