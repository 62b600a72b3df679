"""Checks that a folder of irn/ includes only itself and folders to its left, and that no message in it speaks of an option
of the program, which stands to the right of all.

usage: folder_order.py IRN_DIRECTORY FOLDER...     the folders from left to right
       folder_order.py --self-test                 shows that the check can fail
"""

import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]irn/([^/">]+)/([^">]+)[">]', re.MULTILINE)
OPTION = re.compile(r'^[^/\n"]*"[^"\n]*(--[a-z][a-z-]+)', re.MULTILINE)
SOURCES = {".h", ".cpp", ".cu", ".cuh"}


def complaints(root, order):
    """One sentence for each file that breaks the order, and for each folder that has no place in it."""
    rank = {folder: place for place, folder in enumerate(order)}
    found = []
    for folder in sorted(entry for entry in root.iterdir() if entry.is_dir()):
        files = sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)
        if files and folder.name not in rank:
            found.append(f"irn/{folder.name} is not in the list of folders: add it to IRN_FOLDERS")
            continue
        for path in files:
            text = path.read_text(encoding="utf-8")
            if not path.stem.endswith("_test"):
                found += [f"irn/{path.relative_to(root)} speaks of {option}: only the program knows its options"
                          for option in OPTION.findall(text)]
            for included, header in INCLUDE.findall(text):
                if rank.get(included, len(order)) > rank[folder.name]:
                    found.append(f"irn/{path.relative_to(root)} includes irn/{included}/{header}: "
                                 f"{folder.name} stands to the left of {included}")
    return found


def self_test():
    order = ["base", "network", "train"]
    samples = {  # a file, its text, and how many complaints it must cause
        ("network", "good.h"): ('#include "irn/base/error.h"\n#include <vector>\n#include "irn/network/x.h"\n', 0),
        ("base", "to_the_right.h"): ('#pragma once\n#include "irn/network/x.h"\n', 1),
        ("network", "spaced_test.cpp"): ('  # include <irn/train/x.h>\n#include "irn/train/y.h"\n', 2),
        ("train", "nowhere.cpp"): ('#include "irn/nowhere/x.h"\n', 1),
        ("stray", "x.h"): ("\n", 1),
        ("base", "option.cpp"): ('throw Error("leave it out; see --labels");\n', 1),
        ("base", "option_test.cpp"): ('throw Error("leave it out; see --labels");\n', 0),
        ("base", "no_option.cpp"): ('for (i = 9; i > 0; --i) say("a -- b");\n', 0),
    }
    for (folder, name), (text, expected) in samples.items():
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / folder).mkdir()
            (root / folder / name).write_text(text, encoding="utf-8")
            found = complaints(root, order)
        if len(found) != expected:
            return [f"{folder}/{name}: {expected} complaints expected, found {found}"]
    return []


def main(arguments):
    found = self_test() if arguments == ["--self-test"] else complaints(pathlib.Path(arguments[0]), arguments[1:])
    print("\n".join(found) or "in order")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
