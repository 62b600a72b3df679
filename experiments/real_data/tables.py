"""The collection of tables, in two halves: irn's defaults are `chosen` on one and only reported on the other, which is `kept` aside.

    tables.py --write FOLDER [--half chosen|kept]

writes FOLDER/HALF/TABLE/SPLIT/train.csv and test.csv for five splits of every table, and FOLDER/HALF/index.json, which says
what they are. irn and its peers read these files and nothing else.
"""
import argparse
import hashlib
import json
import os

import chosen
import kept
from table import SPLITS, is_text, make_table, write_csv

HALVES = {"chosen": chosen.TABLES, "kept": kept.TABLES}


def tables(half):
    return [make_table(*entry) for entry in HALVES[half]]


def options(table):
    """What irn must be told about a table besides its target: its defaults refuse what is missing and what it has not seen."""
    missing = ["--missing", "mean"] if table.missing else []
    return missing + (["--unknown", "zeros"] if any(map(is_text, table.columns.values())) else [])


def write_table(folder, table):
    """Writes the splits; a digest of their bytes tells whether a result is of this table or of a former one."""
    digests = []
    for split in range(SPLITS):
        place = os.path.join(folder, table.name.replace(" ", "-"), str(split))
        os.makedirs(place, exist_ok=True)
        digest = hashlib.sha256()
        for name, rows in zip(("train.csv", "test.csv"), table.split(split)):
            path = os.path.join(place, name)
            write_csv(path, table, rows)
            with open(path, "rb") as f:
                digest.update(f.read())
        digests.append(digest.hexdigest()[:16])
    return {"name": table.name, "folder": table.name.replace(" ", "-"), "kind": table.kind, "seed": table.seed,
            "task": "classification" if table.classes else "regression", "rows": table.rows,
            "columns": len(table.columns), "texts": [name for name, v in table.columns.items() if is_text(v)],
            "targets": list(table.targets), "options": options(table), "digests": digests}


def write_half(folder, half):
    place = os.path.join(folder, half)
    index = {"half": half, "tables": [write_table(place, table) for table in tables(half)]}
    with open(os.path.join(place, "index.json"), "w") as f:
        json.dump(index, f, indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", metavar="FOLDER", default="build/collection")
    parser.add_argument("--half", choices=HALVES, action="append")
    args = parser.parse_args()
    for half in args.half or HALVES:
        write_half(args.write, half)


if __name__ == "__main__":
    main()
