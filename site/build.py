#!/usr/bin/python3
"""Makes the site: docs, headers, method files, the report and the playground as one set of static pages.

usage: site/build.py OUT --report REPORT.html [--playground FOLDER]

    Markdown    documents.py ----+
    headers     reference.py ----+
    methods     methods.py  -----+---> Page ---> frame.py ---> OUT/*.html, and search_index.py ---> OUT/search-index.js
    docstrings  python_reference +
    report      evidence.py -----+

Links between files of the repository become links between pages; one that leads nowhere ends the build. What a page links to
and is no page itself becomes one (sources.py).
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import evidence
import python_reference
import sources
import start
from documents import Document, Places
from frame import Page, Section, page_html
from methods import Methods
from reference import HEADERS, Reference, address_of
from search_index import index_script
from text import escape

ROOT = Path(__file__).resolve().parent.parent
THEME = Path(__file__).resolve().parent / "theme"

# A page of the guide: its title, its address, the file, and which parts of it ("": all).
USE = [
    ("Overview", "guide/overview.html", "README.md", "what-it-can-do examples the-tool *"),
    ("Promises and platforms", "guide/promises.html", "README.md", "promises-and-limits where-it-is-tested"),
    ("Inside Bullet", "guide/bullet.html", "integrations/bullet/README.md", ""),
    ("Inside FCL", "guide/fcl.html", "integrations/fcl/README.md", ""),
    ("On a GPU", "guide/gpu.html", "docs/gpu.md", ""),
    ("On many machines", "guide/scaling.html", "docs/scaling.md", ""),
    ("On Windows", "guide/windows.html", "docs/windows.md", ""),
    ("A granular simulation", "guide/granular.html", "examples/granular/README.md", ""),
]
UNDERSTAND = [
    ("Architecture", "guide/architecture.html", "docs/architecture.md", ""),
    ("Performance", "guide/performance.html", "docs/performance.md", ""),
    ("Experiments", "guide/experiments.html", "docs/experiments.md", ""),
    ("Reliability", "guide/reliability.html", "docs/reliability.md", ""),
    ("The bench", "guide/bench.html", "bench/README.md", ""),
]
PROJECT = [
    ("What is new", "guide/changelog.html", "CHANGELOG.md", ""),
    ("Contributing", "guide/contributing.html", "CONTRIBUTING.md", ""),
    ("How we write", "guide/style.html", "docs/style.md", ""),
    ("Security", "guide/security.html", "SECURITY.md", ""),
]
PYTHON = [
    ("A tour", "python/index.html", "docs/python.md", ""),
    ("The package", "python/package.html", "bindings/python/README.md", ""),
]
CPP = [("Using it from C++", "cpp/index.html", "docs/cpp.md", "")]
WEB = [("The package", "javascript/index.html", "bindings/web/README.md", "")]
WEB_TYPES = "bindings/web/package/index.d.ts"
LICENCE = ("Licence", "guide/licence.html")


def links(pages: list[tuple[str, str, str, str]]) -> list[tuple[str, str]]:
    return [(title, address) for title, address, _, _ in pages]


class Site:
    def __init__(self, out: Path, report: Path, playground: Path | None) -> None:
        self.out, self.report, self.playground = out, report, playground
        self.places = Places(ROOT)
        self.documents: dict[str, Document] = {}
        self.written: list[Page] = []
        self.listed = {
            "Guide": USE + UNDERSTAND + PROJECT,
            "Python": PYTHON,
            "C++": CPP,
            "JavaScript": WEB,
        }
        header = (ROOT / "include/broadphase/broadphase.h").read_text()
        self.version = ".".join(re.findall(r"#define BP_VERSION_\w+ (\d+)", header))

    def build(self) -> None:
        self.reference = Reference(ROOT)
        self.place_documents()
        self.methods = Methods(ROOT, self.document("docs/methods.md"))
        self.place_methods()
        pages = self.make_pages()
        pages += self.make_source_pages()
        self.check()
        self.write(pages)

    # ---- where everything will be ----

    def document(self, path: str) -> Document:
        if path not in self.documents:
            self.documents[path] = Document(path, ROOT)
        return self.documents[path]

    def parts_of(self, path: str, wanted: str) -> list[int]:
        """Numbers of the parts of a file; `*`: and all those that no page wants."""
        parts = self.document(path).parts
        if not wanted:
            return list(range(len(parts)))
        numbers = [parts.index(self.document(path).part(word)) for word in wanted.split() if word != "*"]
        if "*" in wanted:
            elsewhere = {anchor for page in USE if page[2] == path for anchor in page[3].split()}
            elsewhere |= set(start.SHOWN) | {"methods"}
            numbers += [i for i, part in enumerate(parts) if i > 0 and not elsewhere & set(part.anchors[:1])]
        return numbers

    def place(self, path: str, numbers: list[int], address: str) -> None:
        self.places.pages.setdefault(path, address)
        for i in numbers:
            for anchor in self.document(path).parts[i].anchors:
                self.places.headings[path, anchor] = address

    def place_documents(self) -> None:
        readme = self.document("README.md").parts
        self.place("README.md", [0] + [i for i, part in enumerate(readme) if set(start.SHOWN) & set(part.anchors)], "index.html")
        for pages in self.listed.values():
            for _, address, path, wanted in pages:
                self.place(path, self.parts_of(path, wanted), address)
        for path, _ in HEADERS:
            self.places.pages[path] = address_of(path)
            self.places.sources.add(path)
        self.places.sources.add(WEB_TYPES)
        self.places.pages["LICENSE"] = LICENCE[1]

    def place_methods(self) -> None:
        self.place("docs/methods.md", [0], "methods/index.html")
        readme = self.document("README.md")
        self.place("README.md", [readme.parts.index(readme.part("methods"))], "methods/index.html")
        for i, name in enumerate(self.methods.names):
            self.place("docs/methods.md", [i + 1], self.methods.address(name))

    # ---- pages ----

    def make_pages(self) -> list[Page]:
        readme = self.document("README.md")
        about = "A C library that finds every pair of overlapping boxes (AABBs) exactly once: collision detection, neighbor lists."
        pages = [Page("index.html", "Start", start.page(readme, self.places, self.playground is not None), wide=True, about=about)]
        for section, listed in self.listed.items():
            pages += [self.document_page(section, *each) for each in listed]
        licence = f'<h1>Licence</h1><pre class="text" tabindex="0">{escape((ROOT / "LICENSE").read_text())}</pre>'
        pages.append(Page(LICENCE[1], LICENCE[0], licence, "Guide"))
        pages.append(Page("reference/index.html", "Reference", self.reference.index(), "Reference"))
        for path, about in HEADERS:
            pages.append(Page(address_of(path), Path(path).name, self.reference.page(path), "Reference", about=about))
        pages.append(Page("methods/index.html", "Methods", self.methods.index(readme, self.places), "Methods"))
        for name in self.methods.names:
            summary = self.methods.summary(name)
            pages.append(Page(self.methods.address(name), name, self.methods.page(name, self.places), "Methods", about=summary))
        pages.append(Page("evidence.html", "Evidence", evidence.page(self.report), "Evidence"))
        pages.append(Page("python/reference.html", "Python reference", python_reference.page(ROOT), "Python"))
        return pages

    def document_page(self, section: str, title: str, address: str, path: str, wanted: str) -> Page:
        document = self.document(path)
        parts = [document.parts[i] for i in self.parts_of(path, wanted)]
        content = document.html(self.places, parts)
        if wanted:
            content = f"<h1>{title}</h1>\n{content}"
        return Page(address, title, content, section)

    def make_source_pages(self) -> list[Page]:
        pages: list[Page] = []
        done: set[str] = set()
        while self.places.sources - done:  # a folder may add files
            for path in sorted(self.places.sources - done):
                pages.append(sources.page(path, ROOT, self.places))
                done.add(path)
        return pages

    def sections(self) -> list[Section]:
        found = [
            Section("Guide", USE[0][1], [("Use it", links(USE)), ("Understand it", links(UNDERSTAND)),
                                         ("The project", links(PROJECT) + [LICENCE])]),
            Section("Reference", "reference/index.html", [
                ("", [("All names", "reference/index.html")]),
                ("C", [(Path(path).name, address_of(path)) for path, _ in HEADERS if path.endswith(".h")]),
                ("C++", [(Path(path).name, address_of(path)) for path, _ in HEADERS if path.endswith(".hpp")]),
                ("Python", [("broadphase", "python/reference.html")])]),
            Section("Methods", "methods/index.html", [
                ("", [("All methods", "methods/index.html")]),
                ("", [(name, self.methods.address(name)) for name in self.methods.names])]),
            Section("Evidence", "evidence.html"),
            Section("Python", PYTHON[0][1], [("", links(PYTHON) + [("Reference", "python/reference.html")])]),
            Section("C++", CPP[0][1], [("", links(CPP)), ("Headers", [
                (Path(path).name, address_of(path)) for path, _ in HEADERS if path.endswith(".hpp")]),
                ("Engines", links([page for page in USE if page[1] in ("guide/bullet.html", "guide/fcl.html")]))]),
            Section("JavaScript", WEB[0][1], [("", links(WEB) + [("index.d.ts", f"source/{WEB_TYPES}.html")])]),
        ]
        if self.playground:
            found.insert(0, Section("Playground", "playground/index.html"))
        return found

    # ---- files ----

    def check(self) -> None:
        if self.places.broken:
            raise SystemExit("site: broken links:\n  " + "\n  ".join(sorted(set(self.places.broken))))

    def write(self, pages: list[Page]) -> None:
        shutil.rmtree(self.out, ignore_errors=True)
        sections = self.sections()
        for page in pages:
            path = self.out / page.address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page_html(page, sections, self.version))
        for image in sorted(self.places.images):
            path = self.out / "assets" / image
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / image, path)
        shutil.copytree(THEME, self.out / "theme")
        (self.out / "search-index.js").write_text(index_script(pages))
        if self.playground:
            copy_playground(self.playground, self.out / "playground")
        else:
            print("site: the playground is left out: it is not built", file=sys.stderr)
        print(f"{self.out}/index.html: {len(pages)} pages", file=sys.stderr)


def copy_playground(folder: Path, out: Path) -> None:
    """It also stands alone; in the site, its name leads home."""
    shutil.copytree(folder, out)
    page, style = out / "index.html", out / "style.css"
    page.write_text(page.read_text().replace("<h1>broadphase ", '<h1><a class="home" href="../index.html">broadphase</a> ', 1))
    style.write_text(style.read_text() + "\n.home { color: inherit; text-decoration: none; pointer-events: auto; }\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--playground", type=Path)
    options = parser.parse_args()
    playground = options.playground if options.playground and (options.playground / "index.html").exists() else None
    Site(options.out, options.report, playground).build()


if __name__ == "__main__":
    main()
