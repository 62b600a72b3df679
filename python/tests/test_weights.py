"""A column of weights, and a threshold: as `irn train --weights` and `--threshold` have them."""

import os
import subprocess

import numpy as np
import pytest

import irn

pytestmark = pytest.mark.skipif("TESTED_PROGRAM" not in os.environ, reason="the program is not built")


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(3)
    x = random.normal(size=(150, 2))
    y = np.where(x.sum(1) + random.normal(0, 0.8, 150) > 0.7, "yes", "no")
    w = random.uniform(0.1, 4, 150)
    lines = [f"{a:.17g},{b:.17g},{c:.17g},{d}" for (a, b), c, d in zip(x, w, y)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,w,y", *lines]) + "\n")
    return tmp_path, x, y, w


def by_program(folder, *options):
    command = [os.environ["TESTED_PROGRAM"], "train", "t.csv", "--target", "y", "--epochs", "20", "--quiet", "--overwrite", *options]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return irn.load(folder / "t-model")


def same(one, other):
    """All but what they were asked in: the text of the configuration."""
    assert one.network == other.network
    facts = [{k: v for k, v in m._facts.items() if k != "configuration"} for m in (one, other)]
    assert facts[0] == facts[1]


@pytest.mark.parametrize(
    "options, ours",
    [
        (("--weights", "w"), {"weights": "w"}),
        (("--weights", "w", "--validation", "0"), {"weights": "w", "validation": 0}),
        (("--exclude", "w", "--threshold", "0.3"), {"exclude": ["w"], "threshold": 0.3}),
        (("--exclude", "w", "--threshold", "best", "--metric", "f1"), {"exclude": ["w"], "threshold": "best", "metric": "f1"}),
        (("--weights", "w", "--threshold", "best"), {"weights": "w", "threshold": "best"}),
        (("--exclude", "w", "--class-weights", "balanced"), {"exclude": ["w"], "class_weights": "balanced"}),
        (("--weights", "w", "--class-weights", "yes=3", "--validation", "0"), {"weights": "w", "class_weights": {"yes": 3}, "validation": 0}),
    ],
)
def test_the_model_is_the_programs(table, options, ours):
    folder, *_ = table
    same(irn.train(folder / "t.csv", target="y", epochs=20, **ours).model, by_program(folder, *options))


def test_a_column_of_weights_is_sample_weight(table):
    folder, x, y, w = table
    by_column = irn.train(folder / "t.csv", target="y", weights="w", epochs=20).model
    by_array = irn.train(x, y, names=["a", "b"], sample_weight=w, epochs=20).model
    assert by_column.network == by_array.network and by_column.metrics == by_array.metrics
    assert by_column.network != irn.train(x, y, names=["a", "b"], epochs=20).model.network


def test_a_threshold_decides(table):
    folder, x, y, _ = table
    model = irn.train(x, y, threshold=0.2, epochs=20).model
    second = model.predict_proba(x)[:, 1]
    np.testing.assert_array_equal(model.predict(x) == "yes", second >= 0.2)
    assert (second >= 0.2).sum() != (second >= 0.5).sum()


@pytest.mark.parametrize(
    "options, match",
    [
        ({"weights": "v"}, "v"),
        ({"weights": "w", "sample_weight": np.ones(150)}, "give one of them"),
        ({"class_weights": "even"}, "class_weights: .*balanced"),
        ({"class_weights": {"maybe": 2}}, "class_weights: .*maybe"),
        ({"class_weights": {"yes": "many"}}, "not a number"),
        ({"class_weights": 3}, "class_weights"),
        ({"target": "a", "class_weights": "balanced"}, "numbers, not classes"),
        ({"threshold": 1.5}, "no probability"),
        ({"threshold": "high"}, "not a number"),
        ({"target": "a", "threshold": 0.3}, "two classes"),
        ({"target": "a", "threshold": "best"}, "two classes"),
    ],
)
def test_what_is_refused(table, options, match):
    with pytest.raises(irn.Error, match=match):
        irn.train(table[0] / "t.csv", **{"target": "y", "epochs": 1, **options})
