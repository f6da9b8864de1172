"""The evidence: what `broadphase report` has made, in the frame of the site."""

from __future__ import annotations

import re
from pathlib import Path


def page(report: Path) -> str:
    text = report.read_text()
    inside = re.search(r"<main>(.*)</main>", text, re.S)
    if not inside:
        raise SystemExit(f"site: {report} is not a report as `make report` makes it")
    content = re.sub(r"<nav>.*?</nav>", "", inside[1], count=1, flags=re.S)  # the frame has one
    content = re.sub(r"(<h2) id='([^']*)'", r'\1 id="\2"', content)
    return re.sub(r"<h1>.*?</h1>", "<h1>The evidence</h1>", content, count=1)
