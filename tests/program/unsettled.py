"""Rows that do not settle and trainings that did not come to their end: that it is said, what to do, and what may stand for an answer.

usage: unsettled.py IRN_PROGRAM [unittest's options]
"""

import csv
import io
import json

import numpy as np

import irn_program
from irn_program import ProgramTest, python_of_the_page

CERTIFY = "irn train --certify 0.95 makes a network that settles for every row"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


class Unsettled(ProgramTest):
    # Two neurons that turn each other around, unless the first input is far from its mean and holds both still: some rows settle.
    def turning(self, path, target, model):
        self.train(path, target, "--epochs", 1, "--out", "m", "--overwrite", "--certify", 0, "--validation", 0)
        page = python_of_the_page()
        metadata, tensors = page["read"]("m/model.safetensors")
        lateral, inputs = np.zeros_like(tensors["layer1.layer1"]), tensors["layer1.input"]
        lateral[:2, :2] = [[3, -6], [6, 3]]
        inputs[:2], inputs[:2, 0] = 0, 20
        tensors["layer1.layer1"] = lateral
        page["write"](model, metadata, tensors)

    def changed(self, path, to, **entries):
        page = python_of_the_page()
        metadata, tensors = page["read"](path)
        for key, change in entries.items():
            metadata["irn." + key] = change(metadata["irn." + key])
        page["write"](to, metadata, tensors)

    def rows(self, model, path, *more):
        result = self.fine("predict", model, path, *more)
        return table(result.stdout), result.stderr

    def test_eval_and_predict_say_how_many_and_what_to_try(self):
        self.turning("wave.csv", "t", "some.st")
        rows, said = self.rows("some.st", "wave.csv")
        lost = sum(row["settled"] == "0" for row in rows)
        self.assertTrue(0 < lost < 200, f"{lost}: the test shows nothing")
        self.assertEqual(said, f"irn: {lost} of 200 rows have no answer: 0 with missing values, {lost} without equilibrium; {CERTIFY}\n")
        result = self.fine("eval", "some.st", "wave.csv", "--json")
        self.assertEqual(result.stderr, f"irn: {lost} of 200 rows did not settle and have no answer; {CERTIFY}\n")
        self.assertEqual(json.loads(result.stdout)["without_answer"], lost)
        for command in ("eval", "predict"):
            self.assertEqual(self.fine(command, "some.st", "wave.csv", "--quiet").stderr, "")

    def test_where_all_settle_nothing_is_said(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        for command in ("eval", "predict"):
            self.assertEqual(self.fine(command, "m", "wave.csv").stderr, "")
        evaluation = json.loads(self.fine("eval", "m", "wave.csv", "--json").stdout)
        self.assertEqual((evaluation["without_answer"], evaluation["training"]), (0, {"complete": True, "diverged": False}))

    def test_a_certified_network_needs_a_search_that_ends(self):
        self.train("wave.csv", "t", "--epochs", 1, "--certify", 0.95, "--out", "m")
        self.changed("m/model.safetensors", "hasty.st", solver=lambda text: "fixed-point:steps=1")
        said = self.fine("eval", "hasty.st", "wave.csv").stderr
        self.assertIn("certified", said)
        self.assertIn("--tolerance", said)

    def test_numbers_fall_back_on_their_mean(self):
        self.turning("wave.csv", "t", "some.st")
        plain, _ = self.rows("some.st", "wave.csv")
        rows, said = self.rows("some.st", "wave.csv", "--unsettled", "fallback")
        mean = np.mean([float(row["t"]) for row in table(open("wave.csv").read())])
        for before, row in zip(plain, rows):
            self.assertEqual(row["settled"], before["settled"])
            self.assertEqual(row["basis"], "settled" if row["settled"] == "1" else "fallback")
            if row["settled"] == "1":
                self.assertEqual(row["t"], before["t"])
            else:
                self.assertAlmostEqual(float(row["t"]), mean, places=5)
        lost = sum(row["basis"] == "fallback" for row in rows)
        self.assertEqual(said, f"irn: {lost} of 200 rows did not settle and show the mean in training (basis \"fallback\") "
                               f"instead of an answer; {CERTIFY}\n")

    def test_classes_fall_back_on_their_shares(self):
        self.turning("flowers.csv", "kind", "some.st")
        kinds = [row["kind"] for row in table(open("flowers.csv").read())]
        rows, said = self.rows("some.st", "flowers.csv", "--unsettled", "fallback", "--probabilities")
        lost = [row for row in rows if row["basis"] == "fallback"]
        self.assertTrue(0 < len(lost) < len(rows), "the test shows nothing")
        for row in lost:
            self.assertEqual((row["kind"], row["settled"]), (max(set(kinds), key=kinds.count), "0"))
            for kind in set(kinds):
                self.assertAlmostEqual(float(row["kind=" + kind]), kinds.count(kind) / len(kinds), places=5)
        self.assertIn("shares of the classes", said)

    def test_the_last_state_is_shown_as_such(self):
        self.turning("wave.csv", "t", "some.st")
        rows, said = self.rows("some.st", "wave.csv", "--unsettled", "last")
        self.assertEqual({(row["settled"], row["basis"]) for row in rows}, {("1", "settled"), ("0", "last")})
        self.assertTrue(all(np.isfinite(float(row["t"])) for row in rows))
        self.assertIn("where their search ended (basis \"last\")", said)

    def test_a_missing_value_is_no_search(self):
        self.train("wave.csv", "t", "--epochs", 1, "--missing", "drop", "--out", "m")
        result = self.fine("predict", "m", "-", "--unsettled", "fallback", input="a,b\n1,2\n,3\n")
        rows = table(result.stdout)
        self.assertEqual([row["basis"] for row in rows], ["settled", "none"])
        self.assertEqual(rows[1]["t"], "")

    def test_without_a_choice_nothing_changes(self):
        self.turning("wave.csv", "t", "some.st")
        plain, _ = self.rows("some.st", "wave.csv")
        self.assertEqual(list(plain[0]), ["t", "settled"])
        self.assertEqual({row["t"] == "" for row in plain if row["settled"] == "0"}, {True})
        self.assertEqual(plain, self.rows("some.st", "wave.csv", "--unsettled", "empty")[0])
        self.refused(2, ["--unsettled", "falback", "fallback"], "predict", "some.st", "wave.csv", "--unsettled", "falback")

    def test_a_mean_far_from_zero_keeps_its_digits(self):
        self.turning("wave.csv", "t", "some.st")

        def far(text):
            encoding = json.loads(text)
            encoding["targets"][0].update(mean=1700000012.25, scale=2.5)
            return json.dumps({**encoding, "fallback": [1700000012.25]})

        self.changed("some.st", "far.st", encoding=far)
        rows, _ = self.rows("far.st", "wave.csv", "--unsettled", "fallback")
        self.assertEqual({row["t"] for row in rows if row["basis"] == "fallback"}, {"1700000012.25"})

    def test_a_model_that_has_nothing_to_fall_back_on(self):
        self.turning("flowers.csv", "kind", "some.st")

        def earlier(text):
            encoding = json.loads(text)
            del encoding["fallback"]
            return json.dumps(encoding)

        self.changed("some.st", "old.st", encoding=earlier)
        self.refused(2, ["nothing to fall back on"], "predict", "old.st", "flowers.csv", "--unsettled", "fallback")
        for unsettled in ("empty", "last"):
            self.assertEqual(self.rows("old.st", "flowers.csv", "--unsettled", unsettled)[0],
                             self.rows("some.st", "flowers.csv", "--unsettled", unsettled)[0])


class OfTraining(ProgramTest):
    # So few steps that some rows are not there in time.
    def test_says_at_its_end_and_in_the_model(self):
        hasty = ["--solver", "fixed-point:steps=STEPS", "--least-settled", "0", "--validation", "0", "--epochs", 1, "--certify", 0]
        for steps in range(4, 30):
            options = [str(word).replace("STEPS", str(steps)) for word in hasty]
            said = self.train("wave.csv", "t", *options, "--out", "m", "--overwrite").stderr
            metrics = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
            if 0 < metrics["unsettled_rows"] < 200:
                break
        lost = int(metrics["unsettled_rows"])
        self.assertTrue(0 < lost < 200, "the test shows nothing")
        self.assertEqual(said.splitlines()[-1], f"{lost} of 200 rows that judge did not settle and have no answer; {CERTIFY}")
        self.assertAlmostEqual(metrics["settled"], 1 - lost / 200)
        self.assertIn(f"{lost} of 200 samples did not settle", open("m/report.html", encoding="utf-8").read())
        self.assertIn("unsettled_rows", self.fine("info", "m").stdout)
        result = self.train("wave.csv", "t", *options, "--out", "m", "--overwrite", "--json")
        self.assertEqual(json.loads(result.stdout)["unsettled_rows"], lost)
        self.assertEqual(self.train("wave.csv", "t", *options, "--out", "m", "--overwrite", "--quiet").stderr, "")

    def test_an_end_that_never_came_is_told(self):
        self.train("wave.csv", "t", "--epochs", 2, "--out", "m")
        page = python_of_the_page()
        metadata, tensors = page["read"]("m/model.safetensors")
        whole = json.loads(metadata["irn.metrics"])
        self.assertNotIn("diverged", whole)
        for entries, words, fields in (
                ({"complete": 0, "diverged": 1}, "diverged:", {"complete": False, "diverged": True}),
                ({"complete": 0, "diverged": 0}, "is not finished (irn train --resume", {"complete": False, "diverged": False}),
                ({"complete": 0}, "diverged or is not finished", {"complete": False, "diverged": None})):
            metadata["irn.metrics"] = json.dumps({**whole, **entries})
            page["write"]("bad.st", metadata, tensors)
            for command in ("eval", "predict"):
                said = self.fine(command, "bad.st", "wave.csv").stderr
                self.assertTrue(said.startswith("irn: the model is of a training that " + words), said)
                self.assertIn("best weights of its 2 epochs", said)
                self.assertEqual(said.count("\n"), 1)
                self.assertEqual(self.fine(command, "bad.st", "wave.csv", "--quiet").stderr, "")
            self.assertEqual(json.loads(self.fine("eval", "bad.st", "wave.csv", "--json").stdout)["training"], fields)
            self.assertIn(words, self.fine("info", "bad.st").stdout)
        metadata["irn.metrics"] = "{}"
        page["write"]("unknown.st", metadata, tensors)
        result = self.fine("eval", "unknown.st", "wave.csv", "--json")
        self.assertEqual((result.stderr, json.loads(result.stdout)["training"]), ("", {"complete": None, "diverged": None}))


if __name__ == "__main__":
    irn_program.main()
