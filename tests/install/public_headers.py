"""Checks every header below a directory: it includes the standard library and irn only, and compiles alone.

usage: public_headers.py COMPILER INCLUDE_DIRECTORY
       public_headers.py COMPILER --self-test            shows that the check can fail
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*(\S+)', re.MULTILINE)
ALLOWED = re.compile(r'<[a-z0-9_]+>|"irn/[^"]+"')  # standard headers have neither a dot nor a slash
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", "c++", "-"]


def compiler_message(compiler, root, header):
    # Twice: a header must also bear being included again.
    text = f'#include "{header}"\n' * 2
    run = subprocess.run([compiler, f"-I{root}", *FLAGS], input=text, capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{header} does not compile alone:\n{run.stderr}"


def complaints(compiler, root):
    headers = sorted(root.rglob("*.h"))
    found = [] if headers else [f"no headers below {root}"]
    for path in headers:
        foreign = [name for name in INCLUDE.findall(path.read_text(encoding="utf-8")) if not ALLOWED.fullmatch(name)]
        found += [f"{path.relative_to(root)} includes {name}: public headers include the standard library and irn "
                  "only (a header for our own use is named x-inl.h and is not installed)" for name in foreign]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        messages = pool.map(lambda path: compiler_message(compiler, root, path.relative_to(root)), headers)
    return found + [message for message in messages if message]


def self_test(compiler):
    samples = {  # the text of a header, and how many complaints it must cause
        "#pragma once\n#include <vector>\ninline std::vector<int> x;\n": 0,
        "#pragma once\n#include <bits/stdc++.h>\n": 1,
        "#pragma once\ninline std::vector<int> x;\n": 1,
        "inline int x = 0;\n": 1,
    }
    for text, expected in samples.items():
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "sample.h").write_text(text, encoding="utf-8")
            found = complaints(compiler, root)
        if len(found) != expected:
            return [f"{expected} complaints expected, found {found} in\n{text}"]
    return []


def main(compiler, directory):
    found = self_test(compiler) if directory == "--self-test" else complaints(compiler, pathlib.Path(directory))
    print("\n".join(found) or "all headers stand alone")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
