"""The package itself: types, docstrings, the time of its import, what it needs."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import irn

LIBRARIES = {"irn._core", "irn.libirn_cuda"}
MODULES = [m.name for m in pkgutil.iter_modules(irn.__path__, "irn.") if m.name not in LIBRARIES]


@pytest.mark.parametrize("name", ["irn", *MODULES])
def test_examples_of_docstrings_run(name):
    if "torch" in name:
        pytest.importorskip("torch")
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_catalogue_of_examples_is_not_empty():
    found = [e for name in ["irn", *MODULES] if "torch" not in name for t in doctest.DocTestFinder().find(importlib.import_module(name)) for e in t.examples]
    assert len(found) > 25


def test_types_are_strict(source):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(source / "pyproject.toml"), "--cache-dir=/dev/null"]
    result = subprocess.run([*command, "-p", "irn"], cwd=source / "python", capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_public_names_have_documentation():
    for name in irn.__all__:
        thing = getattr(irn, name)
        if callable(thing):
            assert thing.__doc__, name


def test_the_import_is_light():
    """Nothing that is only needed by some: and less than NumPy takes, in the same process, so that a busy machine slows down both."""
    script = """
import sys, time
begin = time.process_time()
import numpy
between = time.process_time()
import irn
end = time.process_time()
heavy = {"sklearn", "torch", "matplotlib", "pandas", "scipy", "jax"} & set(sys.modules)
assert not heavy, heavy
print((end - between) / (between - begin))
"""
    ratios = [float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout) for _ in range(5)]
    assert min(ratios) < 1, ratios


def test_the_version_is_the_librarys(source):
    assert f"project(irn VERSION {irn.__version__} " in (source / "CMakeLists.txt").read_text()
