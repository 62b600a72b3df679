"""A table: named columns of numbers or texts (NaN and "" are missing), one or several targets, and how it is split.

Targets of texts are classes, targets of numbers are not: so nothing has to be said about the task to whoever reads the CSV file.
Numbers are rounded to six digits, so that a table in memory and its CSV file are the same.
"""
import csv
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

SPLITS = 5
HELD_OUT = 0.2


@dataclass
class Table:
    name: str
    kind: str
    seed: int
    columns: dict
    targets: dict

    @property
    def rows(self):
        return len(next(iter(self.targets.values())))

    @property
    def classes(self):
        return any(is_text(values) for values in self.targets.values())

    @property
    def missing(self):
        return any(np.any(v == "") if is_text(v) else np.any(np.isnan(v)) for v in self.columns.values())

    def split(self, seed):
        """Row numbers to train on and to judge by: each class alike, if there are classes."""
        classes = next(iter(self.targets.values())) if self.classes else None
        train, test = train_test_split(np.arange(self.rows), test_size=HELD_OUT, random_state=seed, stratify=classes)
        return train, test


def is_text(values):
    return np.asarray(values).dtype.kind in "UO"


def six_digits(values):
    return np.array([float(f"{v:.6g}") for v in np.asarray(values, dtype=float)])


def named(values, prefix):
    """Columns by name: a dictionary as it is, a matrix as x0, x1, ..."""
    if isinstance(values, dict):
        columns = values
    else:
        values = np.asarray(values)
        matrix = values.reshape(len(values), -1)
        columns = {f"{prefix}{i}": matrix[:, i] for i in range(matrix.shape[1])}
    return {name: np.asarray(v).astype(str) if is_text(v) else six_digits(v) for name, v in columns.items()}


def class_names(y):
    return np.array([f"class{int(value)}" for value in y])


def make_table(name, kind, generator, seed):
    """A generator takes a seed and returns inputs and targets; targets that are integers are classes."""
    x, y = generator(seed)
    if not isinstance(y, dict) and np.asarray(y).dtype.kind in "iub":
        y = class_names(y)
    return Table(name, kind, seed, named(x, "x"), named(y, "y"))


def cells(values, rows):
    """The values as they stand in a CSV file. A whole number is written as one: a table of counts stays small."""
    if is_text(values):
        return list(values[rows])
    return ["" if np.isnan(v) else f"{v:.6g}" for v in values[rows]]


def write_csv(path, table, rows):
    columns = {**table.columns, **table.targets}
    with open(path, "w", newline="") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(cells(values, rows) for values in columns.values())))
