"""Runs the Python of docs/model-file.md on a model that irn wrote, and compares its answers with irn's.

usage: model_file.py MODEL_FILE_MD MODEL_FILE_PROGRAM
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROWS = [{"size": 2.0, "colour": "red"}, {"size": 3.75, "colour": "blue"}]


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def irns_answer(program, path, row):
    result = run(program, "predict", path, row["size"], row["colour"])
    assert result.returncode == 0, f"irn refuses {path}: {result.stderr}"
    return np.array([float(line) for line in result.stdout.split()])


def same_answers(page, program, path, tolerance):
    """irn's answers, so that the caller can see that a change has an effect."""
    metadata, tensors = page["read"](path)
    answers = []
    for row in ROWS:
        outputs = page["settle"](metadata, tensors, page["encode"](metadata, row))
        answer, expected = np.array(page["decode"](metadata, outputs)), irns_answer(program, path, row)
        assert answer.shape == expected.shape == (2,), f"{answer} and {expected}"
        assert np.allclose(answer, expected, rtol=tolerance, atol=tolerance), f"{path}: {answer}, irn says {expected}"
        answers.append(expected)
    return np.array(answers)


def flipped_bit_is_refused(program, path):
    damaged = bytearray(pathlib.Path(path).read_bytes())
    damaged[-2] ^= 4
    pathlib.Path("damaged.irn").write_bytes(damaged)
    result = run(program, "predict", "damaged.irn", 1, "red")
    assert result.returncode == 3 and "checksum does not match" in result.stderr, result.stderr
    assert result.stderr.count("\n") == 1, "one line says what is wrong"


def newer_version_is_refused(page, program, path):
    metadata, tensors = page["read"](path)
    page["write"]("newer.irn", {**metadata, "irn.version": "2"}, tensors)
    result = run(program, "predict", "newer.irn", 1, "red")
    assert result.returncode == 3 and "version 2" in result.stderr and "version 1" in result.stderr, result.stderr


def check(lines, program, precision, tolerance):
    assert run(program, "write", "model.irn", precision).returncode == 0
    page = {}
    for block in lines:
        exec(block, page)  # the last block reads model.irn, changes a weight and writes changed.irn
    before = same_answers(page, program, "model.irn", tolerance)
    after = same_answers(page, program, "changed.irn", tolerance)
    assert np.all(np.abs(before - after).max(axis=1) > 0.1), "the changed weight shows in the answer to every row"
    flipped_bit_is_refused(program, "model.irn")
    newer_version_is_refused(page, program, "model.irn")


def main(document, program):
    lines = re.findall(r"```python\n(.*?)```", pathlib.Path(document).read_text(encoding="utf-8"), re.DOTALL)
    assert len(lines) == 3, f"{document} has {len(lines)} blocks of Python, three are expected"
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check(lines, program, "double", 1e-8)
        check(lines, program, "float", 1e-4)
        os.chdir("/")
    print("the page's Python and irn agree")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
