import os
import re
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

os.chdir(Path(__file__).resolve().parent)
sys.path.insert(0, os.getcwd())


class GenerateAndBuild(build_py):
    """The modules are made from the headers, into what is installed."""

    def run(self):
        import generate
        super().run()
        generate.generate(Path("..") / "..", Path(self.build_lib) / "sgdperf")


header = (Path("..") / ".." / "sgdperf.h").read_text()
setup(
    name="sgdperf",
    version=".".join(re.findall(r"#define SGDPERF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)),
    description="Performance models of distributed SGD",
    long_description=Path("README.md").read_text(),
    long_description_content_type="text/markdown",
    license="MIT",
    packages=["sgdperf"],
    package_data={"sgdperf": ["py.typed", "_native.pyi"]},
    cffi_modules=["build_native.py:ffi"],
    setup_requires=["cffi"],
    install_requires=["cffi", "numpy"],
    python_requires=">=3.8",
    cmdclass={"build_py": GenerateAndBuild},
)
