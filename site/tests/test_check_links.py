"""The check of links finds what it is for."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check_links.py"

GOOD = '<a href="#here">a</a><p id="here"><a href="other.html#there">b</a><a href="https://example.org">c</a>'
FAULTS = {
    '<a href="gone.html">': "leads nowhere: gone.html",
    '<a href="../outside.html">': "leads nowhere: ../outside.html",
    '<a href="other.html#gone">': "no such anchor: other.html#gone",
    '<a href="#gone">': "no such anchor: #gone",
    '<img src="gone.png">': "leads nowhere: gone.png",
    '<p id="here">': "the id here occurs twice",
    '<script src="https://example.org/a.js"></script>': "fetches https://example.org/a.js",
    '<link href="//example.org/a.css">': "fetches //example.org/a.css",
}


class CheckLinks(unittest.TestCase):
    def check(self, page: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder) / "site"
            site.mkdir()
            (Path(folder) / "outside.html").write_text("")
            (site / "index.html").write_text(page)
            (site / "other.html").write_text('<p id="there">')
            run = subprocess.run([CHECK, site], capture_output=True, text=True)
            return run.returncode, run.stdout

    def test_nothing_is_wrong(self) -> None:
        self.assertEqual(self.check(GOOD), (0, "2 pages, 3 links, 0 problems\n"))

    def test_faults(self) -> None:
        for fault, said in FAULTS.items():
            with self.subTest(fault):
                status, text = self.check(GOOD + fault)
                self.assertEqual(status, 1)
                self.assertIn(f"index.html: {said}", text)


if __name__ == "__main__":
    unittest.main()
