#!/usr/bin/python3
"""Makes the drawings of the documentation: one SVG file for each function in the modules below.

usage: docs/drawings/make.py [--check]

--check writes nothing, and fails if a file is not what would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path

import inside
import literature
import searches
import speed

HERE = Path(__file__).resolve().parent


def main() -> int:
    drawings = [draw() for module in (inside, searches, literature, speed) for draw in module.DRAWINGS]
    files = {HERE / f"{drawing.name}.svg": drawing.svg() for drawing in drawings}
    assert len(files) == len(drawings), "two drawings have the same name"
    wrong = [f"{path.name}: no drawing has this name" for path in HERE.glob("*.svg") if path not in files]
    for path, svg in files.items():
        if sys.argv[1:] == ["--check"]:
            if not path.exists() or path.read_text() != svg:
                wrong.append(f"{path.name} is not what docs/drawings/make.py makes: run it, and commit the file")
        else:
            path.write_text(svg)
    for line in wrong:
        print(f"docs/drawings: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
