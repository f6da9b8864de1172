"""The wheel of the package. CMake has compiled the extension and put it beside the Python files: `make python`."""

import os
import pathlib
import re

from setuptools import Distribution, setup


class CompiledDistribution(Distribution):
    """Its extension is compiled already, but the wheel is for one kind of machine all the same."""

    def has_ext_modules(self):
        return True


def write_out_settings(folder):
    """In the stubs: **settings as the keywords that it stands for, which every type checker and editor understands."""
    words = re.search(r"class Settings.*?\n((?:    \w+: [^\n]*\n)+)", (folder / "settings.py").read_text(), re.DOTALL)
    keywords = ", ".join(f"{line.strip()} = None" for line in words[1].splitlines())

    def written_out(match):
        return match[1] + ("" if "*," in match[1] else "*, ") + keywords

    for stub in folder.glob("*.pyi"):
        function = r"(def \w+\([^()]*?)\*\*settings: Unpack\[Settings\]"
        stub.write_text(re.sub(function, written_out, stub.read_text()))


write_out_settings(pathlib.Path("broadphase"))

with open("README.md", encoding="utf-8") as readme:
    description = readme.read()

setup(
    name="broadphase",
    version=os.environ["BROADPHASE_VERSION"],
    description="Every pair of overlapping boxes (AABBs), and neighbor lists within a radius, fast",
    long_description=description,
    long_description_content_type="text/markdown",
    license="MIT",
    packages=["broadphase"],
    package_data={"broadphase": ["_core.abi3.so", "libbroadphase_cuda.so", "*.pyi", "py.typed"]},
    python_requires=">=3.11",
    install_requires=["numpy"],
    extras_require={"sparse": ["scipy"]},
    distclass=CompiledDistribution,
)
