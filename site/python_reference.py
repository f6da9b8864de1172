"""The reference of the Python package, from its docstrings: those in C as their sources have them, the rest by `ast`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from text import code_block, escape, inline

FOLDER = "bindings/python"
LITERAL = r'"(?:[^"\\]|\\.)*"'
DOCSTRING = re.compile(rf"const char (\w+)_doc\[\] =\s*((?:(?:{LITERAL}|[A-Z_]+)\s*)+);")
MACRO = re.compile(rf"^#define ([A-Z_]+)\s+((?:\\\s*\n\s*)?{LITERAL}(?:\s*\\\s*\n\s*{LITERAL})*)", re.M)
ONE_CALL = ["pairs", "mesh_pairs", "neighbors", "neighbor_pairs", "nearest_neighbors", "neighbor_images", "neighbor_list",
            "neighbor_matrix", "pair_matrix"]
OTHERS = ["Settings", "explain", "tune", "methods"]
SETTINGS = {"SETTING_NAMES": "**settings"}  # all their names, in the wheel


def read_docstrings(root: Path) -> dict[str, str]:
    """By name; methods of World as World.name. A signature, if there is one, is the first line."""
    found: dict[str, str] = {}
    for path in sorted((root / FOLDER / "src").glob("*.c")):
        source = path.read_text()
        macros = SETTINGS | {name: text_of(literals, {}) for name, literals in MACRO.findall(source)}
        for name, literals in DOCSTRING.findall(source):
            text = text_of(literals, macros)
            text = text.replace("\n--\n\n", "\n\n").replace("($self, /)", "()").replace("$self, ", "").replace("$self", "")
            name = re.sub(r"^world_(?=\w)", "World.", name)
            found[{"world": "World", "update": "Update", "gpu_array": "GpuArray"}.get(name, name)] = text
    for path in sorted((root / FOLDER / "broadphase").glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found[node.name] = function_text(node)
            elif isinstance(node, ast.ClassDef) and node.name == "_Load":
                found["World.load"] = "load(file, **settings)\n\n" + (ast.get_docstring(node) or "")
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.update(class_texts(node))
    return found


def text_of(literals: str, macros: dict[str, str]) -> str:
    """What literals of C, and macros among them, are together."""
    parts = re.findall(rf"{LITERAL}|[A-Z_]+", literals)
    return "".join(ast.literal_eval(each) if each.startswith('"') else macros[each] for each in parts)


def function_text(node: ast.FunctionDef, name: str = "") -> str:
    for each in ast.walk(node.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    arguments = ast.unparse(node.args)
    return f"{name or node.name}({arguments.removeprefix('self').removeprefix(', ')})\n\n{ast.get_docstring(node) or ''}"


def class_texts(node: ast.ClassDef) -> dict[str, str]:
    """A class in Python, with its signature, and its methods and properties as Class.name."""
    texts = {node.name: ast.get_docstring(node) or ""}
    for each in node.body:
        if not isinstance(each, ast.FunctionDef):
            continue
        if each.name == "__init__":
            texts[node.name] = function_text(each, node.name).partition("\n\n")[0] + "\n\n" + texts[node.name]
        elif not each.name.startswith("_"):
            is_property = any(isinstance(name, ast.Name) and name.id == "property" for name in each.decorator_list)
            text = ast.get_docstring(each) or ""
            texts[f"{node.name}.{each.name}"] = text if is_property else function_text(each)
    return texts


def docstring_html(text: str) -> str:
    out = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.lstrip().startswith(">>>"):
            out.append(code_block(block, "pycon"))
        else:
            out.append(f"<p>{inline(' '.join(block.split()))}</p>")
    return "\n".join(out)


def entry_html(name: str, text: str) -> str:
    first, _, rest = text.partition("\n\n")
    is_signature = re.match(r"\w+\(", first)
    code = code_block(first.replace("\n", " "), "python") if is_signature else ""
    body = docstring_html(rest if is_signature else text)
    kind = ' <span class="kind">class</span>' if name in ("World", "Update", "GpuArray", "Settings") else ""
    return f'<section class="item"><h3 id="{name}"><code>{escape(name)}</code>{kind}</h3>{code}{body}</section>'


def page(root: Path) -> str:
    found = read_docstrings(root)
    exported = set(re.findall(r'^    "(\w+)",$', (root / FOLDER / "broadphase/__init__.py").read_text(), re.M))
    expected = {name for name in exported if not name.endswith("Error")} | methods_of_world(root)
    if expected - set(found):
        raise SystemExit(f"site: no docstrings for {sorted(expected - set(found))} of the Python package")
    world = [name for name in found if name.startswith("World.")]
    parts = [("One call, no state", ONE_CALL), ("A world of objects that move", ["World", *world, "Update"])]
    parts.append(("Arrays on a GPU", ["GpuArray", "free_gpu_memory"]))
    parts.append(("Which method, and why", OTHERS))
    out = ["<h1>Python reference</h1>", docstring_html(ast.get_docstring(init_module(root)) or "")]
    out.append('<p class="soft">Made from the docstrings; <code>help(broadphase)</code> shows the same.</p>')
    for title, entries in parts:
        out.append(f'<h2 id="{title.split()[0].lower()}-{title.split()[1].lower().rstrip(",")}">{title}</h2>')
        out += [entry_html(name, found[name]) for name in entries]
    out.append('<h2 id="errors">Errors</h2>' + errors_html(root))
    return "\n".join(out)


def methods_of_world(root: Path) -> set[str]:
    """Those that the stub has, as World.name."""
    stub = ast.parse((root / FOLDER / "broadphase/_core.pyi").read_text())
    world = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "World")
    names = [each.name for each in world.body if isinstance(each, ast.FunctionDef)]
    return {f"World.{name}" for name in names if not name.startswith("_")}


def init_module(root: Path) -> ast.Module:
    return ast.parse((root / FOLDER / "broadphase/__init__.py").read_text())


def errors_html(root: Path) -> str:
    stub = (root / FOLDER / "broadphase/_core.pyi").read_text()
    rows = re.findall(r"^class (\w*Error)\((.*?)\)", stub, re.M)
    cells = "".join(f'<tr id="{name}" data-name><td><code>{name}</code></td><td>{bases}</td></tr>' for name, bases in rows)
    return (
        '<div class="wide"><table class="members"><thead><tr><th>exception</th><th>is also a</th></tr></thead>'
        f"<tbody>{cells}</tbody></table></div>"
    )
