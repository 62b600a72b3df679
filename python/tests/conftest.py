"""What several files of tests need: the program beside the package, the sources, tables."""

import os
import pathlib
import subprocess

import numpy as np
import pytest


@pytest.fixture(scope="session")
def source():
    return pathlib.Path(os.environ.get("TESTED_SOURCE", pathlib.Path(__file__).resolve().parents[2]))


@pytest.fixture(scope="session")
def program():
    """irn with these arguments; its standard output."""
    path = os.environ.get("TESTED_PROGRAM")
    if not path:
        pytest.skip("TESTED_PROGRAM does not say where the program is")

    def run(*arguments, cwd):
        result = subprocess.run([path, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="session")
def flowers():
    """Rows of two numbers and a text, three classes."""
    random = np.random.default_rng(5)
    n = 120
    kind = random.integers(0, 3, n)
    length = 2.0 * kind + random.normal(0, 0.5, n)
    width = random.normal(0, 1, n)
    colour = np.where(kind == 2, "red", np.where(random.random(n) < 0.5, "blue", "white"))
    species = np.array(["aster", "bellis", "crocus"])[kind]
    return length, width, colour, species
