"""The metrics of irn eval, irn train and irn info: the same everywhere, and those of scikit-learn where that is installed.

usage: metrics.py IRN_PROGRAM [unittest's options]
"""

import csv
import io
import json
import os
import pathlib
import unittest

import numpy as np

import irn_program
from irn_program import ProgramTest, python_of_the_page, write_csv

try:
    import sklearn.calibration
    import sklearn.metrics
except ImportError:
    sklearn = None

def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def skewed(path, rows=400, classes=("no", "yes")):
    """Classes that overlap, the later ones rare; w weights the rows."""
    draw = np.random.default_rng(7)
    x, y = draw.normal(size=rows).round(4), draw.normal(size=rows).round(4)
    shade = x + y / 2 + draw.normal(size=rows)
    place = np.searchsorted(np.linspace(0.8, 2.2, len(classes) - 1), shade)
    write_csv(path, ["x", "y", "w", "kind"], x, y, draw.integers(0, 4, rows) / 2, np.array(classes)[place])


class Metrics(ProgramTest):
    def evaluated(self, model, path, *more):
        return json.loads(self.fine("eval", model, path, "--json", *more).stdout)

    def answers(self, model, path, target):
        """Truth, answers and probabilities as irn predict gives them."""
        rows = table(self.fine("predict", model, path, "--probabilities", "--keep", target).stdout)
        labels = [name.split("=", 1)[1] for name in rows[0] if name.startswith(target + "=")]
        shares = np.array([[float(row[f"{target}={label}"]) for label in labels] for row in rows])
        truth = np.array([row[target] for row in rows])
        return truth, np.array([row["predicted " + target] for row in rows]), shares, labels

    @unittest.skipUnless(sklearn, "needs python3-sklearn")
    def test_classes_beside_scikit_learn(self):
        m = sklearn.metrics
        for classes in (("no", "yes"), ("a", "b", "c", "d")):
            skewed("skewed.csv", classes=classes)
            self.train("skewed.csv", "kind", "--exclude", "w", "--epochs", 20, "--precision", "double", "--out", "m", "--overwrite")
            truth, answer, shares, labels = self.answers("m", "skewed.csv", "kind")
            weights = np.array([float(row["w"]) for row in table(open("skewed.csv").read())])
            for w, more in ((None, ()), (weights, ("--weights", "w"))):
                found = self.evaluated("m", "skewed.csv", *more)
                of_class = (truth[:, None] == np.array(labels)).astype(int)
                areas = [m.roc_auc_score(of_class[:, k], shares[:, k], sample_weight=w) for k in range(len(labels))]
                precisions = [m.average_precision_score(of_class[:, k], shares[:, k], sample_weight=w) for k in range(len(labels))]
                means = m.precision_recall_fscore_support(truth, answer, average="macro", sample_weight=w, zero_division=0)
                expected = {"accuracy": m.accuracy_score(truth, answer, sample_weight=w),
                            "balanced_accuracy": m.balanced_accuracy_score(truth, answer, sample_weight=w),
                            "precision": means[0], "recall": means[1], "f1": means[2],
                            "roc_auc": np.mean(areas), "pr_auc": np.mean(precisions),
                            "log_loss": m.log_loss(truth, shares, labels=labels, sample_weight=w)}
                for name, value in expected.items():
                    self.assertAlmostEqual(found["metrics"][name], value, places=9, msg=f"{name}, {more}")
                each = m.precision_recall_fscore_support(truth, answer, labels=labels, sample_weight=w, zero_division=0)
                for k, scores in enumerate(found["classes"]):
                    self.assertEqual(scores["label"], labels[k])
                    for name, value in zip(("precision", "recall", "f1", "rows"), (*[e[k] for e in each[:3]], np.sum(of_class[:, k] * (1 if w is None else w)))):
                        self.assertAlmostEqual(scores[name], value, places=9, msg=name)
                    self.assertAlmostEqual(scores["roc_auc"], areas[k], places=9)
                    self.assertAlmostEqual(scores["pr_auc"], precisions[k], places=9)
            plain = self.evaluated("m", "skewed.csv")
            right, said = sklearn.calibration.calibration_curve(truth == answer, shares.max(axis=1), n_bins=10)
            bins = [b for b in plain["calibration"] if b["rows"]]
            self.assertTrue(np.allclose([(b["right"], b["probability"]) for b in bins], np.column_stack([right, said])))
            self.assertAlmostEqual(plain["metrics"]["calibration_error"],
                                   sum(b["rows"] * abs(b["right"] - b["probability"]) for b in bins) / len(truth), places=9)

    @unittest.skipUnless(sklearn, "needs python3-sklearn")
    def test_numbers_beside_scikit_learn(self):
        m = sklearn.metrics
        draw = np.random.default_rng(8)
        x = draw.normal(size=301).round(4)
        write_csv("two.csv", ["x", "w", "s", "t"], x, draw.integers(0, 4, 301), (100 + 30 * np.sin(x) + draw.normal(size=301)).round(4), x**2)
        self.train("two.csv", "s,t", "--exclude", "w", "--epochs", 10, "--precision", "double", "--out", "m")
        rows = table(self.fine("predict", "m", "two.csv", "--keep", "s,t,w").stdout)
        for w, more in ((None, ()), (np.array([float(row["w"]) for row in rows]), ("--weights", "w"))):
            found = self.evaluated("m", "two.csv", *more)
            for name in ("s", "t"):
                truth, answer = (np.array([float(row[column]) for row in rows]) for column in (name, "predicted " + name))
                scores = found["targets"][name]
                self.assertAlmostEqual(scores["R2"], m.r2_score(truth, answer, sample_weight=w), places=9)
                self.assertAlmostEqual(scores["rms"], m.mean_squared_error(truth, answer, sample_weight=w, squared=False), places=8)
                self.assertAlmostEqual(scores["absolute"], m.mean_absolute_error(truth, answer, sample_weight=w), places=8)
                if w is None:
                    self.assertAlmostEqual(scores["median_absolute"], m.median_absolute_error(truth, answer), places=8)
                    errors = np.sort(answer - truth)
                    for q, value in scores["error_quantiles"].items():
                        self.assertIn(np.searchsorted(errors, value + 1e-9), (int(float(q) * 301), int(float(q) * 301) + 1))
                self.assertEqual(found["metrics"][f"rms[{name}]"], scores["rms"])

    def test_the_same_in_train_info_report_and_eval(self):
        skewed("skewed.csv")
        skewed("judges.csv", 150)
        for path, judges, target in (("skewed.csv", "judges.csv", "kind"), ("wave.csv", "wave.csv", "t")):
            said = json.loads(self.train(path, target, "--epochs", 5, "--validation", judges, "--json", "--out", "m", "--overwrite").stdout)
            found = self.evaluated("m", judges)["metrics"]
            info = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
            page = pathlib.Path("m/report.html").read_text()
            self.assertGreater(len(found), 3)
            for name, value in found.items():
                self.assertAlmostEqual(said["validation_" + name], value, places=12)
                self.assertAlmostEqual(info["validation_" + name], value, places=12)
                self.assertIn(f"{value:.4f}" if target == "kind" or name == "R2" else f"{value:.5g}", page)
            best = json.loads(pathlib.Path("m/metrics.jsonl").read_text().splitlines()[said["best_epoch"] - 1])
            self.assertAlmostEqual(best["score"], found["accuracy" if target == "kind" else "R2"], places=12)

    # The weights of one epoch, some of whose rows do not settle, in every place that tells of them.
    def test_a_row_without_an_answer_is_wrong_everywhere(self):
        self.fine("train", "flowers.csv", "--target", "kind", "--layers", 8, "--recurrence", "full", "--solver", "fixed-point:steps=7", "--certify", 0, "--precision", "double", "--tolerance", 1e-6,
                  "--epochs", 3, "--validation", 0, "--least-settled", 0, "--quiet", "--out", "m")
        found = self.evaluated("m", "flowers.csv")
        self.assertTrue(0 < found["without_answer"] < 200, f"{found['without_answer']}: the test shows nothing")
        right = np.trace(found["confusion"])
        self.assertAlmostEqual(found["accuracy"], right / 200)
        info = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
        self.assertAlmostEqual(info["training_accuracy"], right / 200)
        lines = [json.loads(line) for line in open("m/metrics.jsonl")]
        self.assertAlmostEqual(lines[info["best_epoch"] - 1]["training_score"], right / 200)
        self.assertGreater(found["metrics"]["log_loss"], 36 * found["without_answer"] / 200)

    def test_what_best_means_can_be_chosen(self):
        skewed("skewed.csv", classes=("a", "b", "c"))
        ways = ("loss", "balanced-accuracy", "f1", "roc-auc", "log-loss")
        for metric in ways:
            said = self.train("skewed.csv", "kind", "--exclude", "w", "--metric", metric, "--rate", 0.05, "--schedule", "constant",
                              "--epochs", 12, "--out", "m", "--overwrite").stderr
            lines = [json.loads(line) for line in open("m/metrics.jsonl")]
            values = [line["validation_loss" if metric == "loss" else "score"] for line in lines]
            best = np.argmin(values) if metric.endswith("loss") else np.argmax(values)
            info = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
            self.assertEqual(info["best_epoch"], best + 1, metric)
            name = metric.replace("-", "_")
            self.assertAlmostEqual(info["validation_" + name], values[best], places=9)
            if metric != "loss":
                self.assertIn(f"validation {name} {values[best]:.4f}", said)
        said = self.train("wave.csv", "t", "--metric", "absolute", "--epochs", 6, "--out", "n")
        info = json.loads(self.fine("info", "n", "--json").stdout)["metrics"]
        lines = [json.loads(line) for line in open("n/metrics.jsonl")]
        self.assertAlmostEqual(min(line["score"] for line in lines), info["validation_absolute"], places=9)
        self.refused(2, ["f1", "classes"], "train", "wave.csv", "--target", "t", "--metric", "f1", "--out", "x")
        self.refused(2, ["--metric", "accuracy"], "train", "skewed.csv", "--target", "kind", "--metric", "acuracy", "--out", "x")

    def test_a_metric_without_a_value_is_refused(self):
        draw = np.random.default_rng(4)
        x = draw.normal(size=1010).round(3)
        write_csv("many.csv", ["x", "kind"], x, [f"k{k % 101}" for k in range(1010)])
        self.refused(2, ["roc_auc is for up to 100 classes, and there are 101"], "train", "many.csv", "--target", "kind", "--metric", "roc_auc", "--quiet", "--out", "x")
        self.train("many.csv", "kind", "--epochs", 1, "--quiet", "--out", "many")
        told = self.fine("eval", "many", "many.csv").stdout
        self.assertIn("roc_auc           -\n", told)
        self.assertIn("(roc_auc and pr_auc are for up to 100 classes)", told)
        self.assertIn("Areas are for up to 100 classes.", pathlib.Path("many/report.html").read_text())
        self.refused(3, ["many.csv: roc_auc has no value", "--metric"], "importance", "many", "many.csv", "--metric", "roc_auc")
        write_csv("one.csv", ["size", "colour", "kind"], [1, 2], ["red", "blue"], ["rose", "rose"])
        held_out = ("--validation", "one.csv", "--quiet", "--out", "x")
        self.refused(2, ["pr_auc has no value", "all of one class"], "train", "flowers.csv", "--target", "kind", "--metric", "pr_auc", *held_out)
        write_csv("one.csv", ["a", "b", "t"], [1, 2], [1, 2], [3, 3])
        self.refused(2, ["R2 has no value", "the same in all of them"], "train", "wave.csv", "--target", "t", "--metric", "R2", *held_out)
        self.fine("train", "wave.csv", "--target", "t", "--metric", "rms", "--epochs", 1, *held_out)
        self.assertFalse(os.path.exists("x/checkpoint.safetensors"))

    def test_weights_of_rows_and_classes(self):
        skewed("skewed.csv")
        rows = table(open("skewed.csv").read())
        common = ("--epochs", 15, "--validation", 0, "--overwrite")
        # A weight of 2 is the row twice: in whole batches the training is the same but for rounding.
        doubled = [row for row in rows for _ in range(int(2 * float(row["w"])))]
        write_csv("doubled.csv", ["x", "y", "kind"], *[[row[name] for row in doubled] for name in ("x", "y", "kind")])
        self.train("skewed.csv", "kind", "--weights", "w", "--scaling", "none", *common, "--batch", 4000, "--out", "w", "--precision", "double")
        self.train("doubled.csv", "kind", "--scaling", "none", *common, "--batch", 4000, "--out", "d", "--precision", "double")
        a, b = (json.loads(self.fine("info", m, "--json").stdout)["metrics"] for m in ("w", "d"))
        for name in ("training_loss", "training_accuracy", "training_roc_auc"):
            self.assertAlmostEqual(a[name], b[name], places=6, msg=name)
        found = self.evaluated("w", "skewed.csv", "--weights", "w")
        self.assertAlmostEqual(found["accuracy"], a["training_accuracy"], places=9)

        recall = {}
        for weights in ("", "balanced", "no=1,yes=30"):
            more = ("--class-weights", weights) if weights else ()
            self.train("skewed.csv", "kind", "--exclude", "w", *common, *more, "--out", "m")
            found = self.evaluated("m", "skewed.csv")
            recall[weights] = found["classes"][1]["recall"]
            info = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
            self.assertAlmostEqual(info["training_accuracy"], found["accuracy"], places=9, msg="metrics count rows")
        self.assertLess(recall[""] + 0.1, recall["balanced"])
        self.assertLess(recall["balanced"] + 0.05, recall["no=1,yes=30"])

        train = ("train", "skewed.csv", "--target", "kind", "--out", "x")
        self.refused(2, ["--class-weights", "yes"], *train, "--class-weights", "yse=3")
        self.refused(2, ["--class-weights", "balanced"], *train, "--class-weights", "even")
        self.refused(2, ["--class-weights", "numbers"], "train", "wave.csv", "--target", "t", "--class-weights", "balanced", "--out", "x")
        self.refused(3, ["kind", "text", "--weights"], "train", "skewed.csv", "--target", "x", "--weights", "kind", "--out", "x")
        self.refused(3, ["wave.csv, line", "0 or more", "--weights"], "train", "wave.csv", "--target", "t", "--weights", "a", "--out", "x")

    def test_a_threshold_is_chosen_and_kept(self):
        skewed("skewed.csv")
        common = ("--exclude", "w", "--epochs", 10, "--validation", 0, "--overwrite", "--out", "m")
        self.train("skewed.csv", "kind", *common, "--metric", "f1")
        plain = self.evaluated("m", "skewed.csv")["metrics"]["f1"]
        said = self.train("skewed.csv", "kind", *common, "--metric", "f1", "--threshold", "best").stderr
        self.assertRegex(said, "'yes' is answered from a probability of 0")
        chosen = self.evaluated("m", "skewed.csv")["metrics"]["f1"]
        self.assertGreater(chosen, plain)
        metadata, _ = python_of_the_page()["read"]("m/model.safetensors")
        threshold = json.loads(metadata["irn.encoding"])["threshold"]
        for row in table(self.fine("predict", "m", "skewed.csv", "--probabilities").stdout):
            self.assertEqual(row["kind"], "yes" if float(row["kind=yes"]) >= threshold else "no")
        self.train("skewed.csv", "kind", *common, "--threshold", 0.2)
        self.assertGreater(self.evaluated("m", "skewed.csv")["classes"][1]["recall"], 0.7)
        info = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
        lines = [json.loads(line) for line in open("m/metrics.jsonl")]
        self.assertAlmostEqual(lines[info["best_epoch"] - 1]["training_score"], info["training_accuracy"], places=9)
        self.refused(2, ["--threshold", "two classes"], "train", "wave.csv", "--target", "t", "--threshold", "best", "--out", "x")
        self.refused(2, ["--threshold", "best"], "train", "skewed.csv", "--target", "kind", "--threshold", "2", "--out", "x")


if __name__ == "__main__":
    irn_program.main()
