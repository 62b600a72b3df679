"""Jobs and their results on disk: FOLDER/HALF/index.json names the tables, RESULTS/LABEL/TABLE-SPLIT.json holds one result each.

A result carries a key, a digest of everything it depends on. A job whose result with this key is there is not run again; an
interrupted run goes on where it was. Standard library only: this is used where neither NumPy nor scikit-learn is at hand.
"""
import hashlib
import json
import os
from dataclasses import dataclass


@dataclass
class Job:
    table: dict
    split: int
    folder: str

    @property
    def train(self):
        return os.path.join(self.folder, "train.csv")

    @property
    def test(self):
        return os.path.join(self.folder, "test.csv")


def read_index(half_folder):
    with open(os.path.join(half_folder, "index.json")) as f:
        return json.load(f)


def jobs(half_folder, only=None):
    """One for every table and split, or of the tables named only; the splits of a table follow each other."""
    tables = [t for t in read_index(half_folder)["tables"] if not only or t["name"] in only or t["folder"] in only]
    return [Job(table, split, os.path.join(half_folder, table["folder"], str(split)))
            for table in tables for split in range(len(table["digests"]))]


def digest(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]


def file_digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()[:16]


def result_path(results, label, table, split):
    return os.path.join(results, label, f"{table['folder']}-{split}.json")


def read_result(results, label, table, split):
    """None if there is none, or only one of a former table of this name."""
    try:
        with open(result_path(results, label, table, split)) as f:
            result = json.load(f)
    except FileNotFoundError:
        return None
    return result if result["data"] == table["digests"][split] else None


def is_done(results, label, job, key):
    result = read_result(results, label, job.table, job.split)
    return result is not None and result["key"] == key


def write_result(results, label, job, key, result):
    """In one step: a run that is stopped leaves whole results only."""
    path = result_path(results, label, job.table, job.split)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        json.dump({"key": key, "data": job.table["digests"][job.split], "table": job.table["name"], "split": job.split,
                   **result}, f)
    os.replace(path + ".new", path)
