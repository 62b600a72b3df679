"""irn cv from the outside: every row is answered by a training that did not see it.

usage: cv.py IRN_PROGRAM [unittest's options]
"""

import csv
import io
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

import numpy as np

import irn_program
from irn_program import SMALL, ProgramTest, environment, write_csv

QUICK = [*SMALL, "--epochs", "4"]


def table(path):
    return list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text())))


class CrossValidation(ProgramTest):
    def cv(self, path, target, *more):
        return json.loads(self.fine("cv", path, "--target", target, *QUICK, "--json", "--overwrite", "--out", "cv", *more).stdout)

    def test_classes(self):
        found = self.cv("flowers.csv", "kind", "--folds", 4, "--repeats", 2)
        rows, truth = table("cv/predictions.csv"), table("flowers.csv")
        for repeat in "12":
            mine = [row for row in rows if row["repeat"] == repeat]
            self.assertEqual(sorted(int(row["row"]) for row in mine), list(range(1, 201)), "each row once")
            for fold in "1234":  # of each class alike
                kinds = [row["kind"] for row in mine if row["fold"] == fold]
                for kind in ("lily", "rose", "tulip"):
                    self.assertAlmostEqual(kinds.count(kind), sum(row["kind"] == kind for row in truth) / 4, delta=1)
        for row in rows:
            self.assertEqual(row["kind"], truth[int(row["row"]) - 1]["kind"])
            shares = {kind: float(row["kind=" + kind]) for kind in ("lily", "rose", "tulip")}
            self.assertEqual(row["predicted kind"], max(shares, key=shares.get))
        right = [row["kind"] == row["predicted kind"] for row in rows]
        self.assertAlmostEqual(found["metrics"]["accuracy"]["all_rows"], np.mean(right))

        # Means and intervals over the folds, which all three outputs show.
        folds = table("cv/folds.csv")
        self.assertEqual(len(folds), 8)
        accuracies = [fold["metrics"]["accuracy"] for fold in found["folds"]]
        self.assertEqual([float(row["accuracy"]) for row in folds], accuracies)
        for fold, accuracy in zip(folds, accuracies):
            same = [r for row, r in zip(rows, right) if (row["repeat"], row["fold"]) == (fold["repeat"], fold["fold"])]
            self.assertAlmostEqual(np.mean(same), accuracy)
        mean = found["metrics"]["accuracy"]
        self.assertAlmostEqual(mean["mean"], np.mean(accuracies))
        half = 2.365 * np.std(accuracies, ddof=1) * np.sqrt(1 / 8 + 50 / 150)  # Student's t of 7, corrected for shared rows
        self.assertAlmostEqual(mean["high"] - mean["mean"], half, places=6)
        text = self.fine("cv", "flowers.csv", "--target", "kind", *QUICK, "--folds", 4, "--repeats", 2, "--overwrite", "--out", "cv").stdout
        self.assertIn(f"{mean['mean']:.4f}", text)
        self.assertTrue(text.endswith("cv/report.html\n"))
        self.assertIn("Every fold", pathlib.Path("cv/report.html").read_text())

    def test_a_fold_is_the_training_on_its_rows(self):
        self.cv("wave.csv", "t", "--folds", 3, "--seed", 5)
        rows, lines = table("cv/predictions.csv"), pathlib.Path("wave.csv").read_text().splitlines()
        for fold in "123":
            tested = {int(row["row"]): row for row in rows if row["fold"] == fold}
            for name, chosen in (("training", [k for k in range(1, 201) if k not in tested]), ("test", sorted(tested))):
                pathlib.Path(name + ".csv").write_text("\n".join([lines[0], *[lines[k] for k in chosen]]) + "\n")
            self.train("training.csv", "t", "--epochs", 4, "--seed", 5, "--out", "m", "--overwrite")
            answers = [line.split(",")[0] for line in self.fine("predict", "m", "test.csv").stdout.splitlines()[1:]]
            for said, row in zip(answers, (tested[k] for k in sorted(tested))):
                self.assertAlmostEqual(float(said), float(row["predicted t"]), places=6)

    def test_numbers_of_two_targets(self):
        write_csv("two.csv", ["x", "s", "t"], range(60), [k % 7 + 0.5 for k in range(60)], [k / 3 for k in range(60)])
        found = self.cv("two.csv", "s,t", "--folds", 3)
        rows = table("cv/predictions.csv")
        errors = np.array([float(row["predicted t"]) - float(row["t"]) for row in rows])
        self.assertAlmostEqual(found["metrics"]["rms[t]"]["all_rows"], np.sqrt(np.mean(errors**2)), places=6)
        self.assertEqual(found["split"], "random")

    def test_groups_stay_together(self):
        draw = np.random.default_rng(3)
        patient = draw.integers(0, 15, 120)
        write_csv("visits.csv", ["patient", "x", "ill"], [f"p{k}" for k in patient], draw.normal(size=120).round(3), draw.choice(["no", "yes"], 120))
        self.cv("visits.csv", "ill", "--group", "patient", "--folds", 4)
        folds = {}
        for row in table("cv/predictions.csv"):
            folds.setdefault(patient[int(row["row"]) - 1], set()).add(row["fold"])
        self.assertEqual({len(of) for of in folds.values()}, {1})
        self.refused(2, ["folds of only 15 groups"], "cv", "visits.csv", "--target", "ill", "--group", "patient", "--folds", 16, "--out", "x")

    def test_time_goes_forward(self):
        days = np.random.default_rng(4).permutation(80)
        write_csv("days.csv", ["day", "x", "sold"], days, days % 7, days / 10)
        self.cv("days.csv", "sold", "--order", "day", "--folds", 3)
        by_fold = {}
        for row in table("cv/predictions.csv"):
            by_fold.setdefault(int(row["fold"]), []).append(days[int(row["row"]) - 1])
        self.assertEqual([sorted(by_fold[f]) for f in (1, 2, 3)], [list(range(20, 40)), list(range(40, 60)), list(range(60, 80))])

    def test_leave_one_out(self):
        write_csv("few.csv", ["x", "t"], range(12), [k * 1.5 for k in range(12)])
        found = self.cv("few.csv", "t", "--split", "leave-one-out", "--validation", 0)
        self.assertEqual((found["trainings"], found["rows"]), (12, 12))
        self.assertIsNone(found["metrics"]["R2"]["mean"])
        self.assertIsNotNone(found["metrics"]["R2"]["all_rows"])

    def test_threads_change_no_bit(self):
        kept = []
        for threads in (1, 2, 5):
            self.cv("flowers.csv", "kind", "--folds", 3, "--threads", threads)
            kept.append(pathlib.Path("cv/predictions.csv").read_text())
        self.assertEqual(kept[0], kept[1])
        self.assertEqual(kept[0], kept[2])

    def test_options_of_train_mean_what_they_mean_there(self):
        found = self.cv("flowers.csv", "kind", "--metric", "balanced_accuracy", "--class-weights", "balanced", "--folds", 2)
        self.assertIn("class-weights = [ 'balanced' ]", pathlib.Path("cv/config.toml").read_text())
        self.assertEqual(len(found["folds"]), 2)
        self.fine("cv", "--config", "cv/config.toml", "--out", "again", "--quiet")
        self.assertEqual(pathlib.Path("again/predictions.csv").read_text(), pathlib.Path("cv/predictions.csv").read_text())

    def test_a_fold_that_diverges_has_no_answers(self):
        found = self.cv("wave.csv", "t", "--folds", 2, "--solver", "fixed-point:steps=1", "--epochs", 1)
        self.assertEqual((found["diverged"], found["without_answer"], found["settled"]), (2, 200, 0))
        self.assertEqual(found["metrics"]["R2"]["all_rows"], 0)
        self.assertEqual({row["predicted t"] for row in table("cv/predictions.csv")}, {""})

    def test_what_cannot_be(self):
        cv = ("cv", "wave.csv", "--target", "t", "--out", "x")
        self.refused(2, ["--split", "stratified"], *cv, "--split", "stratified")
        self.refused(2, ["--group"], *cv, "--split", "group")
        self.refused(2, ["--split", "random"], *cv, "--split", "randm")
        self.refused(2, ["--repeats"], *cv, "--repeats", 0)
        self.refused(2, ["two folds"], *cv, "--folds", 1)
        self.refused(2, ["--repeats"], *cv, "--order", "a", "--repeats", 2)
        self.refused(3, ["nosuch"], *cv, "--group", "nosuch")
        self.assertFalse(os.path.exists("x"))
        self.cv("wave.csv", "t", "--folds", 2)
        self.refused(2, ["--overwrite"], "cv", "wave.csv", "--target", "t", "--out", "cv")
        os.mkdir("mine")
        pathlib.Path("mine/notes").touch()
        self.refused(2, ["something else"], "cv", "wave.csv", "--target", "t", "--out", "mine", "--overwrite")

    def test_a_folder_that_cannot_be_made_is_refused_before_the_trainings(self):
        self.refused(1, ["cannot make the folder '/proc/irn'"], "cv", "wave.csv", "--target", "t", "--epochs", 100000, "--out", "/proc/irn")
        os.mkdir("mine")
        limited = subprocess.run([irn_program.IRN, "cv", "wave.csv", "--target", "t", "--epochs", "1", "--metric", "precision", "--quiet", "--out", "mine/x"],
                                 capture_output=True, text=True, env=environment())
        self.assertEqual(limited.returncode, 2, limited.stderr)
        self.assertEqual(os.listdir("mine"), [], "an empty folder that it made goes again")

    def test_what_a_failed_one_left_is_no_result(self):
        command = [irn_program.IRN, "cv", "wave.csv", "--target", "t", *QUICK, "--folds", "2", "--quiet", "--out", "x"]

        def with_little_room(*more):
            said = subprocess.run([*command, *more], capture_output=True, text=True, env=environment(),
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
            self.assertEqual((said.returncode, said.stdout), (1, ""), said.stderr)
            self.assertIn("File too large", said.stderr)

        with_little_room()
        self.assertFalse(os.path.exists("x"))
        self.fine(*command[1:])
        whole = {path: path.read_bytes() for path in pathlib.Path("x").iterdir()}
        self.assertEqual(sorted(path.name for path in whole), ["config.toml", "folds.csv", "predictions.csv", "report.html"])
        with_little_room("--overwrite", "--seed", "1")
        self.assertEqual({path: path.read_bytes() for path in pathlib.Path("x").iterdir()}, whole, "the old results are there, all of them")
        # As a kill between two of the files leaves it; irn before 0.2.0 wrote them in another order.
        for missing in (["report.html"], ["report.html", "predictions.csv"], ["report.html", "folds.csv", "predictions.csv"], ["folds.csv"]):
            for name in missing:
                os.remove(f"x/{name}")
            self.fine(*command[1:])
            self.assertEqual(len(os.listdir("x")), 4)
        os.remove("x/report.html")
        pathlib.Path("x/notes").touch()
        self.refused(2, ["something else"], *command[1:], "--overwrite")
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")  # whose settings and page have the names of these
        self.refused(2, ["something else"], "cv", "wave.csv", "--target", "t", "--out", "m", "--overwrite")

    def test_the_settings_of_a_training_are_those_of_its_folds(self):
        self.train("flowers.csv", "kind", "--epochs", 4, "--out", "m")
        self.fine("cv", "flowers.csv", "--target", "kind", *QUICK, "--folds", 2, "--quiet", "--out", "cv")
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        pathlib.Path("space.toml").write_text("rate = [0.01, 0.02]\n")
        self.fine("cv", "--config", "../m/config.toml", "--folds", 2, "--quiet", "--out", "x")
        self.assertEqual(pathlib.Path("x/predictions.csv").read_text(), pathlib.Path("../cv/predictions.csv").read_text())
        self.fine("sweep", "--config", "../m/config.toml", "--space", "space.toml", "--folds", 2, "--quiet", "--out", "s")
        for command in (("cv",), ("sweep", "--space", "space.toml")):  # data that is named is meant from here
            self.refused(3, ["cannot read 'flowers.csv'"], *command, "flowers.csv", "--config", "../m/config.toml", "--quiet", "--out", "y")
        self.refused(2, ["--checkpoint-seconds", "unknown option"], "cv", "--config", "../m/config.toml", "--checkpoint-seconds", 1)

    def test_two_in_one_folder(self):
        first = subprocess.Popen([irn_program.IRN, "cv", "wave.csv", "--target", "t", "--epochs", "100000", "--out", "x"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        first.stderr.readline()
        self.refused(2, ["another irn cv is at work in 'x'"], "cv", "wave.csv", "--target", "t", "--epochs", 1, "--out", "x")
        first.send_signal(signal.SIGHUP)  # as a terminal that is closed
        self.assertEqual(first.wait(timeout=60), 130)
        first.communicate()
        self.fine("cv", "wave.csv", "--target", "t", "--epochs", 1, "--folds", 2, "--quiet", "--out", "x")

    def test_it_can_be_interrupted(self):
        process = subprocess.Popen([irn_program.IRN, "cv", "wave.csv", "--target", "t", "--epochs", "100000", "--out", "x"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("nothing was written", err)
        self.assertFalse(os.path.exists("x"))


if __name__ == "__main__":
    irn_program.main()
