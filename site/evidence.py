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
    content = re.sub(r"<h1>.*?</h1>", "<h1>The evidence</h1>", content, count=1)
    return f"<style>{style_of_parts(text)}</style>\n{content}"


def style_of_parts(report: str) -> str:
    """How the report's facts, verdicts and charts look. The rest of its style is the frame's."""
    parts = re.search(r"^(\.kept,\.agrees\{.*?)^@media print", report, re.S | re.M)
    if not parts:
        raise SystemExit("site: the style of the report has changed: evidence.py looks for its parts")
    return re.sub(r"\bmain\{[^}]*\}", "", parts[1])
