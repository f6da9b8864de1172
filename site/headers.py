"""Reads a public header: its sections, what each declares, and the `///` comments.

    /// comment         --->  Group      one comment, and the declarations right below it
    declaration;                Item     a function, struct, enum, class, type or macro, with its members
    // ---- rule ----   --->  Section

The headers are laid out by clang-format, so a line says what it is by how it begins. No compiler is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Member:
    """A field of a struct or a constant of an enum."""

    name: str
    code: str
    comment: str


@dataclass
class Item:
    kind: str  # function, struct, enum, class, type, macro
    name: str
    code: str  # the declaration, without the body of a function
    members: list[Member] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)  # of a class: its public part


@dataclass
class Group:
    """Declarations that share a comment; without any, a note between them."""

    comment: str
    items: list[Item] = field(default_factory=list)


@dataclass
class Section:
    title: str
    level: int  # 2: between rules; 3: within such a section
    comment: str
    groups: list[Group] = field(default_factory=list)


@dataclass
class Header:
    comment: str
    sections: list[Section]

    def items(self) -> list[Item]:
        return [item for section in self.sections for group in section.groups for item in group.items]


HIDDEN = re.compile(r"namespace (\w*detail) \{")  # not for readers
SKIPPED = re.compile(r'(extern "C" \{|namespace \w+ \{|\}.*|public:|struct \w+;.*|class \w+;.*|using .*|friend .*)$')


def read_header(text: str) -> Header:
    lines = text.replace(" BP_ZERO", "").splitlines()  # the default of a field in C++
    end = next(i for i, line in enumerate(lines) if not line.startswith("///"))
    return Header(comment_text(lines[:end]), Scanner(lines[end:]).scan())


def comment_text(lines: list[str]) -> str:
    return "\n".join(re.sub(r"^\s*//+<? ?", "", line) for line in lines)


class Scanner:
    """Goes through lines once. `comment` is what waits for its declaration."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at = lines, 0
        self.sections = [Section("", 2, "")]
        self.comment: list[str] = []
        self.group: Group | None = None  # to which a declaration without a comment belongs, if it follows at once

    def scan(self) -> list[Section]:
        while self.at < len(self.lines):
            self.scan_line(self.lines[self.at].strip())
        return [section for section in self.sections if section.groups or section.comment]

    def scan_line(self, line: str) -> None:
        if line.startswith("///"):
            self.comment.append(line)
            self.at += 1
        elif line.startswith("//"):
            self.scan_plain_comment()
        elif line.startswith("#"):
            self.scan_directive()
        elif HIDDEN.match(line):
            self.skip_to(f"}} // namespace {HIDDEN.match(line).group(1)}")  # type: ignore[union-attr]
        elif line in ("private:", "protected:"):
            self.at = len(self.lines)
        elif line == "":
            self.comment, self.group, self.at = [], None, self.at + 1
        elif SKIPPED.match(line) and not self.comment:
            self.at += 1
        else:
            self.scan_declaration()

    def skip_to(self, line: str) -> None:
        while self.lines[self.at].strip() != line:
            self.at += 1
        self.at += 1

    def take_comment_lines(self) -> list[str]:
        begin = self.at
        while self.at < len(self.lines) and re.match(r"\s*//(?!/)", self.lines[self.at]):
            self.at += 1
        return self.lines[begin : self.at]

    def scan_plain_comment(self) -> None:
        block = self.take_comment_lines()
        followed = self.at < len(self.lines) and self.lines[self.at].strip() != ""
        title = re.match(r"\s*// ---- (.*?) -*$", block[0])
        if re.match(r"\s*// -{60,}$", block[0]):
            self.sections.append(Section(comment_text(block[1:2]), 2, comment_text(block[2:]).strip("\n")))
        elif title:
            self.sections.append(Section(title.group(1), 3, comment_text(block[1:]).strip("\n")))
        elif not followed:  # a note for readers; what stands right above code is for those who change it
            self.sections[-1].groups.append(Group(comment_text(block)))

    def scan_directive(self) -> None:
        macro = re.match(r"#define (\w+)", self.lines[self.at])
        if macro and self.comment:
            self.add(Item("macro", macro.group(1), self.lines[self.at].strip()))
        while self.lines[self.at].endswith("\\"):
            self.at += 1
        self.at += 1

    def scan_declaration(self) -> None:
        taken: list[str] = []
        depth = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            taken.append(line)
            self.at += 1
            bare = bare_code(line)
            depth += sum(bare.count(c) for c in "({[") - sum(bare.count(c) for c in ")}]")
            if depth == 0 and bare.rstrip()[-1:] in (";", "}"):
                break
        item = read_declaration(taken)
        if item:
            self.add(item)

    def add(self, item: Item) -> None:
        if self.comment or self.group is None:
            self.group = Group(comment_text(self.comment))
            self.sections[-1].groups.append(self.group)
        self.comment = []
        self.group.items.append(item)


def bare_code(line: str) -> str:
    """Without literals and comments, so that brackets can be counted."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(?:\\.|[^'\\])'", "''", line)
    return re.sub(r"//.*", "", line)


def read_declaration(lines: list[str]) -> Item | None:
    code = "\n".join(lines)
    flat = " ".join(bare_code(line).strip() for line in lines)
    struct = re.match(r"(?:typedef )?(struct|enum)(?: (\w+))? \{", flat)
    if struct:
        name = struct.group(2) or ""
        members = read_members(lines[1:-1], struct.group(1))
        return Item(struct.group(1), name or members[0].name, code, members)
    named_class = re.match(r"(?:template <.*?> )?class (\w+)(.*?) \{", flat)
    if named_class:
        body = [line[4:] if line.startswith("    ") else line for line in lines[1:-1]]
        public = next((i for i, line in enumerate(body) if line.strip() == "public:"), 0)
        code = re.sub(r" : public \w*detail::.*", "", flat[: named_class.end() - 2])
        return Item("class", named_class.group(1), code + ";", [], Scanner(body[public:]).scan())
    function_type = re.match(r"typedef .*\(\*(\w+)\)\(", flat)
    if function_type:
        return Item("type", function_type.group(1), signature(flat))
    other_type = re.match(r"typedef (struct )?.*?(\w+);", flat)
    if other_type:
        return Item("struct" if other_type.group(1) else "type", other_type.group(2), flat.rstrip())
    template, flat = split_template(flat)
    function = re.search(r"(~?\w+|operator\s*\S+?)\(", flat)
    return Item("function", function.group(1), template + signature(flat)) if function else None


def split_template(flat: str) -> tuple[str, str]:
    """`template <...>` as a line of its own, with what a caller may name; conditions and defaults are left out."""
    if not flat.startswith("template <"):
        return "", flat
    end = len("template <") + next(i for i, depth in enumerate(depths(flat[len("template <") :])) if depth < 0) + 1
    named = [each for each in split_parameters(flat[len("template <") : end - 1]) if "=" not in each]
    return f"template <{', '.join(named)}>\n", flat[end:].lstrip()


def signature(flat: str) -> str:
    """A function's declaration: no body, no marks of the linker, one parameter a line where it is long."""
    flat = re.sub(r"^(BP_API|inline|\[\[.*?\]\]) ", "", flat)
    flat = re.sub(r"\( +", "(", flat)
    opened = flat.index("(", flat.index("operator()") + 10 if "operator()" in flat else 0)
    if flat.startswith("typedef"):
        opened = flat.index("(", flat.index(")"))
    closed = closing(flat, opened)
    tail = re.split(r"\s*(?:\{|(?<!:):(?!:)|;)", flat[closed + 1 :])[0]
    head, parameters = flat[:opened], split_parameters(flat[opened + 1 : closed])
    one_line = f"{head}({', '.join(parameters)}){tail};"
    if len(one_line) <= 76:
        return one_line
    return f"{head}(\n    " + ",\n    ".join(parameters) + f"){tail};"


def closing(text: str, opened: int) -> int:
    depth = 0
    for i in range(opened, len(text)):
        depth += (text[i] in "({[") - (text[i] in ")}]")
        if depth == 0:
            return i
    raise ValueError(f"no closing bracket: {text}")


def depths(text: str) -> list[int]:
    """How many brackets are open after each character; < and > inside parentheses are comparisons."""
    found, round_ones, angles = [], 0, 0
    for c in text:
        round_ones += (c in "({[") - (c in ")}]")
        angles += (c == "<") - (c == ">") if round_ones == 0 else 0
        found.append(round_ones + angles)
    return found


def split_parameters(text: str) -> list[str]:
    parts, begin = [], 0
    for i, depth in enumerate(depths(text)):
        if text[i] == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return parts + [text[begin:].strip()] if text.strip() else []


def parameters_of(item: Item) -> list[tuple[str, str]]:
    """(name, declaration) of each parameter of a function of C."""
    flat = " ".join(item.code.split())
    opened = flat.index("(")
    found = []
    for parameter in split_parameters(flat[opened + 1 : closing(flat, opened)]):
        name = re.search(r"\(\*(\w+)\)", parameter) or re.search(r"(\w+)(\[\w*\])*$", parameter)
        if name and parameter != "void":
            found.append((name.group(1), parameter.replace("( ", "(")))
    return found


def read_members(lines: list[str], kind: str) -> list[Member]:
    members: list[Member] = []
    before: list[str] = []
    for line in lines:
        code, _, after = line.partition("///<")
        if line.strip().startswith("///"):
            before.append(line)
        elif code.strip() and not code.strip().startswith("//"):
            declared = bare_code(code).strip()
            comment = comment_text(before) if before else after.strip()
            members.append(Member(member_name(declared, kind), declared.rstrip(",;"), comment))
            before = []
        elif after and members:
            members[-1].comment += " " + after.strip()
        elif line.strip() == "":
            before = []
    return members


def member_name(declared: str, kind: str) -> str:
    if kind == "enum":
        return re.match(r"\w+", declared).group(0)  # type: ignore[union-attr]
    pointer = re.search(r"\(\*(\w+)\)", declared)
    if pointer:
        return pointer.group(1)
    return re.search(r"(\w+)(\[\w*\])*;", declared).group(1)  # type: ignore[union-attr]
