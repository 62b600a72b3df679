"""What a training is judged by: rows held out where there are enough of them; where there are not, the training rows under their own name.

usage: judging.py IRN_PROGRAM [unittest's options]
"""

import csv
import json
import pathlib

import numpy as np

import irn_program
from irn_program import ProgramTest, flowers, wave, write_csv

QUICK = ["--layers", "4", "--epochs", "3", "--out", "m", "--overwrite"]
TASKS = (("wave.csv", "t", wave, "R2"), ("flowers.csv", "kind", flowers, "accuracy"))


class Judging(ProgramTest):
    def begin(self, path, target, *more):
        return self.fine("train", path, "--target", target, *QUICK, *more)

    def result(self, path, target, *more):
        return json.loads(self.begin(path, target, "--json", *more).stdout)

    def share(self):
        line = next(line for line in open("m/config.toml") if line.startswith("validation = "))
        return line.split("=")[1].strip().strip("'\"")

    def test_a_few_rows_are_not_called_validation(self):
        for path, target, write, score in TASKS:
            for rows in (12, 19, 49):
                write(path, rows)
                said = self.begin(path, target).stderr
                self.assertIn(f"{rows} rows to train on, none held out: scores are of the training rows", said)
                self.assertIn(f"best epoch 3: training {score} ", said)
                self.assertEqual(self.share(), "0")
                page = pathlib.Path("m/report.html").read_text(encoding="utf-8").split('id="configuration"')[0]
                self.assertIn(f"training {score}", page)
                metrics = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
                result = self.result(path, target)
                for where in (metrics, result):
                    self.assertIsNotNone(where[f"training_{score}"])
                    self.assertEqual((where["judged_rows"], where["unsettled_rows"]), (rows, 0))
                told = self.begin(path, target, "--json").stderr
                for text in (said, page, told, *metrics, *result, *open("m/metrics.jsonl"), *open("m/metrics.csv")):
                    self.assertNotIn("validation", text)
                self.assertNotIn("nan", said)

    def test_what_the_training_rows_are_told_is_what_they_say(self):
        wave("wave.csv", 40)
        result = self.result("wave.csv", "t", "--layers", "8", "--epochs", 30)
        evaluation = json.loads(self.fine("eval", "m", "wave.csv", "--json").stdout)
        self.assertAlmostEqual(result["training_R2"], evaluation["R2"])
        self.assertAlmostEqual(result["training_loss"], evaluation["loss"])
        best = [json.loads(line) for line in open("m/metrics.jsonl")][int(result["best_epoch"]) - 1]
        self.assertAlmostEqual(best["training_loss"], evaluation["loss"])
        self.assertNotAlmostEqual(best["loss"], evaluation["loss"], places=6, msg="that of the weights while they moved")

    def test_enough_rows_are_held_out(self):
        for path, target, write, score in TASKS:
            for rows, share, held_out in ((50, "0.2", 10), (99, "0.2", 20), (100, "0.1", 10), (300, "0.1", 30)):
                write(path, rows)
                said = self.begin(path, target).stderr
                self.assertIn(f"{rows - held_out} rows to train on, {held_out} held out to judge by", said)
                self.assertIn(f": validation {score} ", said)
                self.assertEqual(self.share(), share)
                result = self.result(path, target)
                self.assertEqual(result["judged_rows"], held_out)
                self.assertTrue(np.isfinite(result[f"validation_{score}"]))
                self.assertNotIn(f"training_{score}", result)
                self.assertIn("validation_loss", json.loads(open("m/metrics.jsonl").readline()))

    # An input that tells nothing: the answer is the most frequent class, and right as often as that stands in the rows held out.
    def test_of_each_class_alike(self):
        write_csv("shares.csv", ["x", "kind"], [1] * 100, ["rare" if k % 5 == 0 else "often" for k in range(100)])
        for seed in range(5):
            result = self.result("shares.csv", "kind", "--seed", seed, "--epochs", 20)
            self.assertEqual((result["judged_rows"], result["validation_accuracy"]), (10, 0.8))

    def test_rows_that_are_left_out_do_not_count(self):
        wave("wave.csv", 60)
        rows = list(csv.DictReader(open("wave.csv")))
        for row in rows[:20]:
            row["a"] = ""
        write_csv("gaps.csv", ["a", "b", "t"], *([row[name] for row in rows] for name in "abt"))
        self.assertIn("40 rows to train on, none held out", self.begin("gaps.csv", "t", "--missing", "drop").stderr)
        self.assertEqual(self.share(), "0")
        self.assertIn("12 held out", self.begin("gaps.csv", "t", "--missing", "mean").stderr)

    def test_an_r2_that_has_no_value_is_explained(self):
        wave("wave.csv", 12)
        said = self.begin("wave.csv", "t", "--validation", "0.1").stderr
        self.assertRegex(said, "R2 has no value: 't' is [-0-9.]+ in the only row held out; --validation")
        self.assertIsNone(self.result("wave.csv", "t", "--validation", "0.1")["validation_R2"])
        write_csv("judges.csv", ["a", "b", "t"], [1, 2, 3], [3, 2, 1], [5, 5, 5])
        said = self.begin("wave.csv", "t", "--validation", "judges.csv").stderr
        self.assertIn("R2 has no value: 't' is 5 in all 3 rows held out", said)
        self.assertNotIn("has no value", self.begin("wave.csv", "t", "--validation", "0.5").stderr)


if __name__ == "__main__":
    irn_program.main()
