"""The examples in all docstrings and in the README."""

import doctest
import os
import pathlib
import re

import pytest

import broadphase
import gpu_fakes


def documented():
    yield broadphase
    for name in broadphase.__all__:
        yield getattr(broadphase, name)
    for kind in (broadphase.World, broadphase.Update, broadphase.GpuArray):
        for name in dir(kind):
            if not name.startswith("_"):
                yield vars(kind).get(name, getattr(kind, name))


def test_everything_is_documented_and_its_examples_are_true():
    finder = doctest.DocTestFinder(recurse=False)
    tried = 0
    for thing in documented():
        name = getattr(thing, "__name__", type(thing).__name__)
        assert thing.__doc__, name
        for test in finder.find(thing, name, module=False, globs={}):
            result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
            assert result.failed == 0, name
            tried += result.attempted
    assert tried > 60


@pytest.mark.parametrize("page", ["README.md", "bindings/python/README.md", "docs/python.md"])
def test_the_lines_on_a_page_work(page, tmp_path, monkeypatch):
    path = pathlib.Path(os.environ["BROADPHASE_SOURCE"]) / page
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    if "matplotlib" in "".join(blocks):
        pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        if "import torch" in block:  # with fewer points, in a library that stands in for PyTorch, with our kernels on the host
            if "BROADPHASE_CUDA_ON_HOST" not in os.environ:
                continue
            gpu_fakes.install(monkeypatch, "torch", "Tensor", current=5)
            assert "10_000_000" in block
            block = block.replace("10_000_000", "100_000")
        exec(compile(block, page, "exec"), names)
