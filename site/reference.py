"""The reference: a page for each public header, made from its comments and declarations, and an index of all names."""

from __future__ import annotations

import re
from pathlib import Path

import headers
from headers import Group, Header, Item, Section
from text import comment_html, code_block, escape, first_sentence, inline, link_names, names, sentences, slug

HEADERS = [
    ("include/broadphase/broadphase.h", "The manual: boxes in, pairs out; worlds, queries, config"),
    ("include/broadphase/broadphase_world.h", "More about worlds: handles, visits, memory, checks"),
    ("include/broadphase/broadphase_neighbors.h", "Points within a radius: the neighbor list"),
    ("include/broadphase/broadphase_double.h", "64-bit coordinates, and the exact formulas"),
    ("include/broadphase/broadphase_stream.h", "Saving, loading and recording a world"),
    ("include/broadphase/broadphase_threads.h", "Threads that calls and worlds share"),
    ("include/broadphase/broadphase_methods.h", "The algorithms and their settings"),
    ("include/broadphase/broadphase_tune.h", "Why a method was chosen, and which is the fastest for a scene"),
    ("include/broadphase/broadphase.hpp", "C++17: calls and worlds"),
    ("include/broadphase/broadphase_values.hpp", "C++17: errors, views of arrays, hooks"),
    ("include/broadphase/broadphase_mpi.h", "Objects on many machines, over MPI"),
    ("include/broadphase/broadphase_cuda.h", "Boxes on a GPU, with CUDA"),
    ("integrations/bullet/include/broadphase/bullet.hpp", "Inside Bullet"),
    ("integrations/fcl/include/broadphase/fcl.hpp", "Inside FCL"),
]
KINDS = {"function": "Functions", "struct": "Structs", "enum": "Enums", "type": "Other types", "macro": "Macros"}


def address_of(path: str) -> str:
    return f"reference/{Path(path).name}.html"


def is_cpp(path: str) -> bool:
    return path.endswith(".hpp")


class Reference:
    def __init__(self, root: Path) -> None:
        self.headers: dict[str, Header] = {}
        self.comments: dict[str, str] = {}  # of types and constants, by name
        check_headers(root)
        for path, _ in HEADERS:
            text = (root / path).read_text()
            self.headers[path] = headers.read_header(text)
            check_complete(path, text, self.headers[path])
            if not is_cpp(path):
                self.learn_names(path)

    def learn_names(self, path: str) -> None:
        for section in self.headers[path].sections:
            for group in section.groups:
                for item in group.items:
                    names[item.name] = f"@/{address_of(path)}#{item.name}"
                    self.comments[item.name] = group.comment
                    if item.kind == "enum":
                        for member in item.members:
                            names[member.name] = f"@/{address_of(path)}#{member.name}"
                            self.comments[member.name] = member.comment

    # ---- a page ----

    def page(self, path: str) -> str:
        header = self.headers[path]
        self.used: set[str] = set()
        out = [
            f"<h1><code>&lt;broadphase/{Path(path).name}&gt;</code></h1>",
            comment_html(header.comment, "cpp" if is_cpp(path) else "c"),
            f'<p class="soft">Made from the comments of <a href="@/source/{path}.html">{path}</a>.</p>',
        ]
        self.defined = {item.name for item in header.items() if item.code.rstrip().endswith("}" + f" {item.name};")}
        self.defined |= {item.name for item in header.items() if item.kind == "struct" and item.members}
        for section in header.sections:
            out.append(self.section_html(section, path))
        return "\n".join(out)

    def section_html(self, section: Section, path: str, level: int = 0) -> str:
        level = level or section.level
        out = []
        if section.title:
            title = re.sub(r"^\d+\. ", "", section.title)
            title = title[0].upper() + title[1:]
            out.append(f'<h{level} id="{slug(section.title)}">{inline(title)}</h{level}>')
        out.append(comment_html(section.comment))
        out += [self.group_html(group, section, path) for group in section.groups]
        return "\n".join(out)

    def group_html(self, group: Group, section: Section, path: str) -> str:
        if not group.items:
            return f'<div class="note">{comment_html(group.comment)}</div>'
        cpp = is_cpp(path)
        out = ['<section class="item">', self.heading_html(group, cpp)]
        out.append(self.code_html(group, cpp))
        out.append(comment_html(group.comment, "cpp" if cpp else "c"))
        for item in group.items:
            if item.members and not cpp:
                out.append(self.members_html(item))
            if item.sections:
                out.append(self.class_html(item, path))
        functions = [item for item in group.items if item.kind == "function"]
        if functions and not cpp:
            out.append(self.parameters_html(functions, group, section))
            out.append(self.statuses_html(group))
        out.append("</section>")
        return "\n".join(part for part in out if part)

    def heading_html(self, group: Group, cpp: bool) -> str:
        shown: list[str] = []
        for item in group.items:
            label = heading_label(item)
            if label not in shown:
                shown.append(label)
        anchors = [self.anchor(label, group, cpp) for label in shown]
        marks = [escape(shown[0])]
        marks += [f"<span{anchor}>{escape(label)}</span>" for label, anchor in zip(shown[1:], anchors[1:])]
        kind = {"function": "", "type": "type", "macro": "macro"}.get(group.items[0].kind, group.items[0].kind)
        badge = f' <span class="kind">{kind}</span>' if kind else ""
        return f'<h3{anchors[0]}><code>{"</code>, <code>".join(marks)}</code>{badge}</h3>'

    def anchor(self, label: str, group: Group, cpp: bool) -> str:
        item = next(item for item in group.items if heading_label(item) == label)
        forward = item.kind == "struct" and not item.members and item.name in self.defined
        if forward or (item.kind == "enum" and not re.match(r"typedef", item.code.strip())):
            return ""
        name = self.unique(item.name) if cpp else item.name
        return f' id="{name}"' if name else ""

    def unique(self, name: str) -> str:
        """In C++ functions have overloads: the first has the plain name."""
        if name in self.used:
            return ""
        self.used.add(name)
        return name

    def code_html(self, group: Group, cpp: bool) -> str:
        simple = [item.code for item in group.items if item.kind in ("function", "type", "macro")]
        simple += [item.code for item in group.items if item.kind == "class" and item.code != f"class {item.name};"]
        opaque = [item.code for item in group.items if item.kind == "struct" and not item.members]
        return code_block(listed(simple + opaque), "cpp" if cpp else "c") if simple + opaque else ""

    def members_html(self, item: Item) -> str:
        rows = []
        for member in item.members:
            name = member.name if item.kind == "enum" else f"{item.name}.{member.name}"
            shown = member.code if item.kind == "struct" else member.name
            rows.append(
                f'<tr id="{name}" data-name><td><code>{link_names(escape(shown, quote=False))}</code></td>'
                f"<td>{inline(' '.join(member.comment.split()))}</td></tr>"
            )
        return f'<div class="wide"><table class="members">{"".join(rows)}</table></div>'

    def class_html(self, item: Item, path: str) -> str:
        out = []
        for section in item.sections:
            if section.title:
                title = section.title[0].upper() + section.title[1:]
                out.append(f'<h4 id="{slug(item.name + "-" + section.title)}">{inline(title)}</h4>')
            for group in section.groups:
                out.append(code_block(listed([each.code for each in group.items]), "cpp"))
                if group.comment:
                    out.append(f'<div class="of-member">{comment_html(group.comment, "cpp")}</div>')
        return "\n".join(out)

    # ---- functions of C: what a parameter is, and which statuses there are ----

    def parameters_html(self, functions: list[Item], group: Group, section: Section) -> str:
        rows: dict[str, str] = {}
        for function in functions:
            parameters = headers.parameters_of(function)
            for i, (name, declaration) in enumerate(parameters):
                if declaration not in rows:
                    rows[declaration] = self.meaning(name, declaration, parameters, i, group, section)
        if not rows:
            return ""
        cells = [
            f"<tr><td><code>{link_names(escape(declaration, quote=False))}</code></td><td>{inline(meaning)}</td></tr>"
            for declaration, meaning in rows.items()
        ]
        return (
            '<div class="wide"><table class="members"><thead><tr><th>parameter</th><th></th></tr></thead>'
            f'<tbody>{"".join(cells)}</tbody></table></div>'
        )

    def meaning(self, name: str, declaration: str, parameters: list[tuple[str, str]], i: int, group: Group, section: Section) -> str:
        """The sentences that name it; else what its type is."""
        named = re.compile(rf"`{name}`|(?<!\w)\*{name}\b|\b{name}\[")
        for comment in (group.comment, section.comment):
            said = [sentence for sentence in sentences(comment) if named.search(sentence)]
            if said:
                return " ".join(said)
        if name == "count" or name.endswith("_count"):
            return f"How many {counted(name, parameters, i)}."
        kind = re.search(r"\bbp_\w+", declaration)
        return first_sentence(self.comments.get(kind.group(0), "")) if kind else ""

    def statuses_html(self, group: Group) -> str:
        statuses = list(dict.fromkeys(self.statuses_of(group.comment)))
        if not statuses:
            return ""
        rows = [
            f'<tr><td><code>{link_names(status)}</code></td><td>{inline(self.comments.get(status, ""))}</td></tr>'
            for status in statuses
        ]
        return (
            '<div class="wide"><table class="members"><thead><tr><th>status</th><th></th></tr></thead>'
            f'<tbody>{"".join(rows)}</tbody></table></div>'
        )

    def statuses_of(self, comment: str) -> list[str]:
        flat = " ".join(comment.split())
        found = []
        for run in re.findall(r"BP_ERROR_[A-Z]+(?:(?:,| or) _[A-Z]+)*", flat):
            found += ["BP_ERROR_" + word for word in re.findall(r"_([A-Z]+)(?![A-Z_])", run.replace("BP_ERROR", ""))]
        as_other = re.search(r"[Oo]therwise as (bp_\w+)", flat)
        return found + (self.statuses_of(self.comments.get(as_other.group(1), "")) if as_other else [])

    # ---- all names ----

    def index(self) -> str:
        out = ["<h1>Reference</h1>", "<p>The headers are the manual. These pages are made from them.</p>"]
        out.append('<div class="tiles">')
        for path, about in HEADERS:
            out.append(f'<a class="tile" href="@/{address_of(path)}"><code>{Path(path).name}</code><span>{about}</span></a>')
        out.append("</div>")
        out.append('<p>Python has <a href="@/python/reference.html">a reference of its own</a>.</p>')
        found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        for path, _ in HEADERS:
            if is_cpp(path):
                continue
            for item in self.headers[path].items():
                if item.kind in found and not re.match(r"enum \{", item.code.strip()):
                    found[item.kind][item.name] = first_sentence(self.comments[item.name])
        for kind, title in KINDS.items():
            rows = [
                f'<tr><td><code><a href="{names[name]}">{name}</a></code></td><td>{inline(about)}</td></tr>'
                for name, about in sorted(found[kind].items())
            ]
            out.append(f'<h2 id="{slug(title)}">{title}</h2><div class="wide"><table class="members">{"".join(rows)}</table></div>')
        return "\n".join(out)


def listed(declarations: list[str]) -> str:
    """One below the other; apart, if one of them has several lines."""
    return ("\n\n" if any("\n" in each for each in declarations) else "\n").join(declarations)


def heading_label(item: Item) -> str:
    if item.kind == "enum" and not item.code.strip().startswith("typedef"):
        prefix = item.members[0].name if len(item.members) == 1 else "flags"
        return prefix
    return item.name


def counted(name: str, parameters: list[tuple[str, str]], i: int) -> str:
    """What a count counts: the array that has its name, or the one before it, or the one after it."""
    of_name = name.removesuffix("_count")
    if of_name != name:
        return f"`{of_name}`"
    neighbors = [parameters[k] for k in (i - 1, i + 1) if 0 <= k < len(parameters)]
    arrays = [each for each, declaration in neighbors if "*" in declaration and "world" not in each]
    return f"`{arrays[0]}`" if arrays else "of them"


def check_headers(root: Path) -> None:
    """Every public header must be there."""
    folders = (root / "include", *root.glob("integrations/*/include"))
    public = {str(path.relative_to(root)) for folder in folders for path in folder.glob("broadphase/*")}
    missing = public - {path for path, _ in HEADERS}
    if missing:
        raise SystemExit(f"site: the reference misses {', '.join(sorted(missing))}")


def check_complete(path: str, text: str, header: Header) -> None:
    """What the library exports must be there, whatever the headers will look like."""
    exported = set(re.findall(r"^BP_API[^(;]*?(\w+)\(", text, re.M))
    missing = exported - {item.name for item in header.items()}
    if missing:
        raise SystemExit(f"site: {path}: the reference misses {', '.join(sorted(missing))}")
