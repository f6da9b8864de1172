"""Markdown files of the repository, cut at their second-level headings, as HTML whose links stay inside the site."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from text import code_block, escape, link_names, slug

IMAGES = (".svg", ".png")


class Places:
    """Where each file of the repository, and each heading in it, is found in the site."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pages: dict[str, str] = {}  # file -> page
        self.headings: dict[tuple[str, str], str] = {}  # (file, anchor) -> page
        self.images: set[str] = set()  # files that pages show
        self.sources: set[str] = set()  # files and folders that pages link to, and that are no pages themselves
        self.broken: list[str] = []

    def resolve(self, file: str, link: str) -> str:
        """The address, from the root of the site, of what `link` means in `file`."""
        if re.match(r"[a-z]+:", link):
            return link
        target, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target)) if target else file
        if anchor and path in self.pages:
            if (path, anchor) not in self.headings:
                self.broken.append(f"{file}: there is no heading #{anchor} in {path}")
                return "#"
            return f"@/{self.headings[path, anchor]}#{anchor}"
        if path in self.pages:
            return f"@/{self.pages[path]}"
        if not (self.root / path).exists():
            self.broken.append(f"{file}: there is no {path}")
            return "#"
        if path.endswith(IMAGES):
            self.images.add(path)
            return f"@/assets/{path}"
        self.sources.add(path)
        return f"@/source/{path}.html"


@dataclass
class Part:
    """What stands under a second-level heading; the first part of a file is what stands above all of them."""

    title: str
    tokens: list[Token]
    anchors: list[str] = field(default_factory=list)


class Document:
    def __init__(self, path: str, root: Path) -> None:
        self.path = path
        self.parts = split_parts(markdown.parse((root / path).read_text(), {}))

    def part(self, anchor: str) -> Part:
        for part in self.parts:
            if slug(part.title) == anchor:
                return part
        raise SystemExit(f"site: {self.path} has no heading #{anchor}; site/build.py says which parts it shows where")

    def html(self, places: Places, parts: Sequence[Part] | None = None) -> str:
        tokens = [token for part in parts or self.parts for token in part.tokens]
        return str(markdown.renderer.render(tokens, markdown.options, {"file": self.path, "places": places}))


def split_parts(tokens: list[Token]) -> list[Part]:
    parts = [Part("", [])]
    used: dict[str, int] = {}
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            title = heading_text(tokens[i + 1])
            anchor = slug(title)
            repeated = used.setdefault(anchor, 0)
            used[anchor] += 1
            token.attrs["id"] = f"{anchor}-{repeated}" if repeated else anchor
            if token.tag == "h2":
                parts.append(Part(title, []))
            parts[-1].anchors.append(str(token.attrs["id"]))
        parts[-1].tokens.append(token)
    return parts


def heading_text(token: Token) -> str:
    return "".join(child.content for child in token.children or [] if child.type in ("text", "code_inline"))


# ---- how tokens become HTML ----


def render_fence(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = {"cpp": "cpp", "sh": "bash"}.get(token.info.strip(), token.info.strip())
    if token.type == "code_block" and not language:
        language = "bash" if re.match(r"(make|broadphase|git) ", token.content) else ""
    return code_block(token.content, language) + "\n"


def render_code(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    inside_link = any(token.type == "link_open" for token in tokens[:index][-1:])
    code = escape(tokens[index].content, quote=False)
    return f"<code>{code if inside_link else link_names(code)}</code>"


def render_link(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    token.attrs["href"] = env["places"].resolve(env["file"], str(token.attrs["href"]))
    return str(self.renderToken(tokens, index, options, env))


def render_image(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    address = env["places"].resolve(env["file"], str(token.attrs["src"]))
    return f'<img src="{address}" alt="{escape(" ".join(token.content.split()))}" loading="lazy">'


def render_table_open(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return '<div class="wide" tabindex="0"><table>\n'


def render_table_close(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return "</table></div>\n"


def make_markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    rules: dict[str, Callable[..., str]] = {
        "fence": render_fence,
        "code_block": render_fence,
        "code_inline": render_code,
        "link_open": render_link,
        "image": render_image,
        "table_open": render_table_open,
        "table_close": render_table_close,
    }
    for name, rule in rules.items():
        made.add_render_rule(name, rule)
    return made


markdown = make_markdown()
