"""irn as a user meets it, for the tests beside this file: a scratch folder, the program run in it, small tables.

usage of each test: TEST.py IRN_PROGRAM [unittest's options]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

IRN = None
# The part for CUDA with this host in place of a device; none: tests that need it are skipped.
ON_HOST = os.environ.get("IRN_CUDA_ON_HOST")
# Quick and sure, whatever the defaults are.
SMALL = ["--layers", "8", "--activation", "tanh", "--batch", "16", "--validation", "0.2", "--patience", "0", "--noise", "0"]


def environment(**variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("IRN_") and key != "NO_COLOR"}
    return {**kept, **variables}


def run(*arguments, input=None, **variables):
    return subprocess.run([IRN, *map(str, arguments)], input=input, capture_output=True, text=True,
                          env=environment(**variables), timeout=120)


def write_csv(path, names, *columns):
    with open(path, "w") as file:
        print(*names, sep=",", file=file)
        for row in zip(*columns):
            print(*row, sep=",", file=file)


def wave(path, rows=200):
    """A regression: t = sin(a) + b/2."""
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=rows).round(4), draw.normal(size=rows).round(4)
    write_csv(path, ["a", "b", "t"], a, b, (np.sin(a) + b / 2).round(4))


def flowers(path, rows=200):
    """A classification with text among the inputs."""
    draw = np.random.default_rng(2)
    size, colour = draw.normal(size=rows).round(4), draw.choice(["red", "blue"], rows)
    kind = np.where(size > 0.5, "rose", np.where(colour == "red", "tulip", "lily"))
    write_csv(path, ["size", "colour", "kind"], size, colour, kind)


def python_of_the_page(whole=False):
    """read() and write() of model files, from docs/model-file.md; the whole of it also has encode(), settle() and decode()."""
    page = pathlib.Path(__file__).parents[2] / "docs" / "model-file.md"
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[:2 if whole else 1]:
        exec(block, names)
    return names


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        wave("wave.csv")
        flowers("flowers.csv")

    def tearDown(self):
        os.chdir("/")
        self.folder.cleanup()

    def fine(self, *arguments, **more):
        result = run(*arguments, **more)
        self.assertEqual(result.returncode, 0, f"irn {arguments}: {result.stderr}")
        return result

    def refused(self, code, words, *arguments, **more):
        """One line on standard error, with all the words; nothing on standard output."""
        result = run(*arguments, **more)
        said = f"irn {arguments} ended with {result.returncode}, saying: {result.stderr}"
        self.assertEqual(result.returncode, code, said)
        self.assertEqual(result.stderr.count("\n"), 1, said)
        self.assertTrue(result.stderr.startswith("irn: "), said)
        self.assertEqual(result.stdout, "", said)
        for word in words:
            self.assertIn(word, result.stderr, said)

    def train(self, table, target, *more, **variables):
        return self.fine("train", table, "--target", target, *SMALL, *more, **variables)


def main():
    global IRN
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    IRN = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__")
