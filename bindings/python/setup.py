"""The wheel of the package. CMake has compiled the extension and put it beside the Python files: `make python`."""

import os

from setuptools import Distribution, setup


class CompiledDistribution(Distribution):
    """Its extension is compiled already, but the wheel is for one kind of machine all the same."""

    def has_ext_modules(self):
        return True


with open("README.md", encoding="utf-8") as readme:
    description = readme.read()

setup(
    name="broadphase",
    version=os.environ["BROADPHASE_VERSION"],
    description="All pairs of overlapping boxes, and all neighbours within a radius, fast",
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
