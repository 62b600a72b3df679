"""irn check from the outside: what it says of networks whose equilibria are known, its files, and what it refuses.

usage: check.py IRN_PROGRAM [unittest's options]
"""

import csv
import json
import math
import os
import pathlib
import re
import xml.dom.minidom

import numpy as np

import irn_program
from irn_program import ProgramTest, python_of_the_page, write_csv


class Check(ProgramTest):
    def small(self, path, lateral, bias=(0, 0), target="t"):
        """Two tanh neurons with these connections; column a drives the first, b the second. The read-out is their sum."""
        write_csv("two.csv", ["a", "b", "t"], [0, 1, -1, 0.5], [0, -1, 1, 0.5], [0.1, 0.2, 0.3, 0.4])
        self.fine("train", "two.csv", "--target", target, "--layers", 2, "--activation", "tanh", "--epochs", 1, "--certify", 0,
                  "--precision", "double", "--validation", 0, "--out", "m", "--overwrite", "--quiet")
        page = python_of_the_page()
        metadata, tensors = page["read"]("m/model.safetensors")
        tensors["layer1.layer1"][:] = lateral
        tensors["layer1.input"][:] = np.eye(2)
        tensors["layer1.bias"][:] = bias
        tensors["layer2.layer1"][:] = 1
        page["write"](path, metadata, tensors)

    def summary(self, *arguments):
        return json.loads(self.fine("check", *arguments, "--json", "--quiet").stdout)

    def rows(self, *arguments):
        self.fine("check", *arguments, "--out", "rows.csv", "--overwrite", "--quiet")
        return list(csv.DictReader(open("rows.csv", encoding="utf-8")))

    def certificate(self, summary, name):
        return next(c for c in summary["certificates"] if c["name"] == name)

    # z = tanh(2 z) in each neuron, apart from each other: 3 x 3 equilibria, 2 x 2 of them stable.
    def test_all_equilibria_of_two_neurons_apart(self):
        self.small("nine.st", [[2, 0], [0, 2]])
        write_csv("one.csv", ["a", "b"], [0.02], [0.01])
        row, = self.rows("nine.st", "one.csv")
        self.assertEqual((row["row"], row["outcome"], row["stability"]), ("1", "settled", "attracts"))
        self.assertEqual((row["equilibria"], row["stable_equilibria"]), ("9", "4"))
        self.assertGreater(float(row["basin_edge"]), 0)

    # At z = 0 the eigenvalues of J - I are g cos t - 1 +- i g sin t.
    def test_eigenvalues_are_those_of_the_formula(self):
        self.small("turn.st", [[0.5, -2], [2, 0.5]])
        mean = self.column_means("turn.st")
        write_csv("one.csv", ["a", "b"], [mean["a"]], [mean["b"]])
        row, = self.rows("turn.st", "one.csv")
        self.assertAlmostEqual(float(row["abscissa"]), -0.5, places=6)
        self.assertAlmostEqual(float(row["time_constant"]), 2, places=5)
        self.assertAlmostEqual(float(row["frequency"]), 2 / (2 * math.pi), places=6)

    def column_means(self, model):
        metadata, _ = python_of_the_page()["read"](model)
        return {column["name"]: column["mean"] for column in json.loads(metadata["irn.encoding"])["inputs"]}

    def test_rows_that_cycle_are_told_from_those_that_settle(self):
        self.small("cycle.st", [[3, -6], [6, 3]])
        write_csv("some.csv", ["a", "b"], [0.3, 60, -60], [0.2, 60, -60])
        rows = self.rows("cycle.st", "some.csv")
        self.assertEqual([row["settled"] for row in rows], ["0", "1", "1"])
        result = self.fine("check", "cycle.st", "some.csv")
        self.assertIn("1 of 3 rows did not settle and have no answer", result.stderr)
        self.assertNotIn("attracts", rows[0]["stability"])
        page = self.page("cycle.st", "some.csv")
        self.assertIn("cycles, period", page)

    def test_certificates_of_a_certified_and_of_a_wild_network(self):
        self.train("wave.csv", "t", "--epochs", 2, "--certify", 0.9, "--out", "calm")
        calm = self.summary("calm")
        self.assertTrue(self.certificate(calm, "diagonal stability")["holds"])
        self.assertLessEqual(self.certificate(calm, "diagonal stability")["bound"], 0.91)
        self.small("wild.st", [[3, -6], [6, 3]])
        wild = self.summary("wild.st")
        self.assertFalse(any(c["holds"] for c in wild["certificates"]))
        self.assertAlmostEqual(self.certificate(wild, "diagonal stability")["bound"], 3, places=2)
        self.assertNotIn("table", wild)

    # z = tanh(2 z + x): folds at x = -/+ (2 s - atanh s), s = sqrt(1/2).
    def test_vary_finds_the_folds_of_the_formula(self):
        self.small("fold.st", [[2, 0], [0, 0]])
        metadata, _ = python_of_the_page()["read"]("fold.st")
        a = next(c for c in json.loads(metadata["irn.encoding"])["inputs"] if c["name"] == "a")
        low, high = a["mean"] - 3 * a["scale"], a["mean"] + 3 * a["scale"]
        s = math.sqrt(0.5)
        fold = 2 * s - math.atanh(s)
        vary = self.summary("fold.st", "--vary", "a", "--range", f"{low},{high}")["vary"]
        folds = sorted((p["at"] - a["mean"]) / a["scale"] for b in vary["branches"] for p in b["special"] if p["kind"] == "fold")
        self.assertEqual(len(folds), 2)
        np.testing.assert_allclose(folds, [-fold, fold], atol=1e-6)

    def test_vary_takes_weights_biases_and_the_gain(self):
        self.small("hopf.st", [[0.5, -1.5], [1.5, 0.5]])
        vary = self.summary("hopf.st", "--vary", "gain", "--range", "0,4")["vary"]
        hopf, = [p for b in vary["branches"] for p in b["special"] if p["kind"] == "hopf"]
        self.assertAlmostEqual(hopf["at"], 2, places=6)  # 0.5 g = 1
        self.assertAlmostEqual(hopf["frequency"], 3 / (2 * math.pi), places=5)
        for what in ("layer1.layer1:1:2", "layer1.input:2:1", "layer1.bias:2", "layer2.layer1:1:2"):
            self.assertEqual(self.summary("hopf.st", "--vary", what)["vary"]["what"], "weight " + what)

    def test_dates_are_varied_and_shown_as_dates(self):
        days = [f"2024-{month:02}-{day:02}" for month in (1, 2, 3) for day in range(1, 29)]
        write_csv("days.csv", ["day", "t"], days, [k / 7 for k in range(len(days))])
        self.train("days.csv", "t", "--epochs", 1, "--out", "m")
        self.assertRegex(self.fine("check", "m", "--vary", "day").stdout, r"(?m)^column day from 202\d-\d\d-\d\d\S* to 202\d-\d\d-\d\d\S*: 1 branch")
        said = self.fine("check", "m", "--vary", "day", "--range", "2024-01-01,2024-03-01").stdout
        self.assertIn("column day from 2024-01-01 to 2024-03-01: 1 branch", said)
        found = self.summary("m", "--vary", "day", "--range", "2024-01-01,2024-03-01")["vary"]
        self.assertEqual((found["low"], found["high"]), (19723, 19783))
        self.assertIn("column day, days since 1970-01-01", self.page("m", "--vary", "day"))
        self.train("wave.csv", "t", "--epochs", 1, "--out", "n")
        self.refused(2, ["--range", "column a has no dates"], "check", "n", "--vary", "a", "--range", "2024-01-01,2024-03-01")
        self.refused(2, ["--range", "is no range"], "check", "m", "--vary", "day", "--range", "05/03/2024,06/03/2024")  # March, or May

    def page(self, *arguments):
        self.fine("check", *arguments, "--html", "page.html", "--overwrite", "--quiet")
        text = pathlib.Path("page.html").read_text(encoding="utf-8")
        xml.dom.minidom.parseString(text.replace("<!DOCTYPE html>", ""))
        self.assertNotIn("<script", text)
        return text

    def test_the_page_has_its_pictures_and_leads_to_the_rows(self):
        self.train("wave.csv", "t", "--epochs", 2, "--certify", 0, "--out", "m")
        page = self.page("m", "wave.csv", "--rows", "17,40", "--gradient", "--gradient-rows", 10)
        for words in ("Residual", "Evaluations", "Time constant", "imaginary part", "Settling over time", "Equilibria over",
                      "wave.csv, line 18", "href=\"#row-17\"", "id=\"row-17\"", "id=\"row-40\"", "Angle to the exact gradient"):
            self.assertIn(words, page)
        alone = self.page("m")
        self.assertIn("What is proven", alone)
        self.assertNotIn("Time constant", alone)

    def test_rows_as_json_lines(self):
        self.small("nine.st", [[2, 0], [0, 2]])
        write_csv("some.csv", ["a", "b"], [0.02, 1], [0.01, 1])
        self.fine("check", "nine.st", "some.csv", "--rows", 2, "--out", "rows.jsonl", "--quiet")
        first, second = map(json.loads, open("rows.jsonl", encoding="utf-8"))
        self.assertEqual((first["row"], first["equilibria"], second["row"]), (1, None, 2))
        self.assertEqual(len(first["eigenvalues"]), 3)  # two neurons and the read-out
        found = second["all_equilibria"]
        self.assertEqual(len(found), second["equilibria"])
        self.assertEqual([e["from_rest"] for e in found].count(True), 1)
        for e in found:
            z = np.array(e["state"][:2])
            a, b = self.scaled("nine.st", 1, 1)
            np.testing.assert_allclose(z, np.tanh(2 * z + [a, b]), atol=1e-8)

    def scaled(self, model, a, b):
        metadata, _ = python_of_the_page()["read"](model)
        columns = {c["name"]: c for c in json.loads(metadata["irn.encoding"])["inputs"]}
        return [(value - columns[name]["mean"]) / columns[name]["scale"] for name, value in (("a", a), ("b", b))]

    def test_the_threads_change_nothing(self):
        self.train("wave.csv", "t", "--epochs", 2, "--certify", 0, "--out", "m")
        outputs = []
        for threads in (1, 3):
            said = self.fine("check", "m", "wave.csv", "--threads", threads, "--out", "r.jsonl", "--html", "p.html", "--gradient", "--overwrite").stdout
            page = re.sub(r"<dt>(date|took)</dt><dd>[^<]*", "", open("p.html", encoding="utf-8").read())  # the clock goes on
            outputs.append((said, open("r.jsonl").read(), page))
        self.assertEqual(outputs[0], outputs[1])

    def test_gradients_beside_each_other(self):
        self.train("wave.csv", "t", "--epochs", 2, "--certify", 0, "--out", "m")
        gradients = self.summary("m", "wave.csv", "--gradient", "--gradient-rows", 20)["gradients"]
        self.assertEqual(gradients["samples"], 20)
        self.assertLess(gradients["differences"], 1e-4)
        self.assertEqual(set(gradients["beside_exact"]), {"semi", "truncated", "unrolled"})

    def test_every_verdict_is_explained(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        text = (pathlib.Path(__file__).parents[2] / "docs" / "equilibria.md").read_text(encoding="utf-8")
        for verdict in self.summary("m", "wave.csv")["table"]["outcomes"]:
            self.assertIn(f"\n| `{verdict}` |", text)

    def test_missing_rows_are_left_out_and_counted(self):
        self.train("wave.csv", "t", "--epochs", 1, "--missing", "drop", "--out", "m")
        write_csv("gaps.csv", ["a", "b"], [1, "", 2], [1, 1, 1])
        result = self.fine("check", "m", "gaps.csv", "--out", "rows.csv")
        self.assertIn("1 rows with missing values were left out", result.stderr)
        self.assertEqual([row["row"] for row in csv.DictReader(open("rows.csv"))], ["1", "3"])
        self.refused(2, ["--rows", "row 2 has a missing value"], "check", "m", "gaps.csv", "--rows", 2)

    def test_networks_without_recurrence_and_of_other_kinds(self):
        for name, options in (("plain", ["--recurrence", "none"]), ("low", ["--recurrence", "lateral=lowrank2"]),
                              ("deep", ["--layers", "6,5"]), ("unrolled", ["--gradient", "unrolled"])):
            with self.subTest(name):
                self.train("flowers.csv", "kind", "--epochs", 1, "--certify", 0, *options, "--out", name)
                summary = self.summary(name, "flowers.csv")
                self.assertEqual(summary["table"]["samples"], 200)
                self.assertEqual(summary["recurrent"], name != "plain")
                self.page(name, "flowers.csv")


class Refused(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        self.train("flowers.csv", "kind", "--epochs", 1, "--out", "f")

    def test_usage(self):
        self.refused(2, ["no model"], "check")
        self.refused(2, ["--out", "needs a table"], "check", "m", "--out", "x.csv")
        self.refused(2, ["--gradient", "needs a table"], "check", "m", "--gradient")
        self.refused(2, ["--rows", "needs a table"], "check", "m", "--rows", 3)
        self.refused(2, ["--rows", "201", "from 1 to 200"], "check", "m", "wave.csv", "--rows", 201)
        self.refused(2, ["--rows", "\"0\""], "check", "m", "wave.csv", "--rows", 0)
        self.refused(2, ["--rows", "\"x\""], "check", "m", "wave.csv", "--rows", "x")
        self.refused(2, ["--closer", "\"-1\""], "check", "m", "wave.csv", "--closer", -1)
        self.refused(2, ["--gradient-rows", "1 or more"], "check", "m", "wave.csv", "--gradient", "--gradient-rows", 0)
        self.refused(2, ["same file"], "check", "m", "wave.csv", "--out", "x", "--html", "x")

    def test_what_cannot_be_varied(self):
        for what in ("c", "layer9.layer1:1:1", "layer1.layer1", "layer1.layer1:x:1", "layer1.layer1:0:1", "gian"):
            self.refused(2, ["--vary", what, "gain"], "check", "m", "--vary", what)
        self.refused(2, ["--vary", "layer1.layer1:1:1 to"], "check", "m", "--vary", "layer1.layer1:1")
        self.refused(2, ["--vary", "layer1.layer1:1:1 to"], "check", "m", "--vary", "layer1.layer1:99:1")
        self.refused(2, ["--vary", "layer1.bias:1 to"], "check", "m", "--vary", "layer1.bias:99")
        self.refused(2, ["--vary", "colour", "text"], "check", "f", "--vary", "colour")
        for text in ("1", "2,1", "1,1", "a,b", "0,inf", "nan,1", ""):
            if text:
                self.refused(2, ["--range", text], "check", "m", "--vary", "a", "--range", text)
        self.refused(2, ["--range", "--vary"], "check", "m", "--range", "0,1")

    def test_data(self):
        self.refused(3, ["nowhere"], "check", "nowhere")
        self.refused(3, ["nowhere.csv"], "check", "m", "nowhere.csv")
        self.refused(3, ["flowers.csv", "\"a\""], "check", "m", "flowers.csv")
        write_csv("inputs.csv", ["a", "b"], [1, 2], [3, 4])
        self.refused(3, ["t"], "check", "m", "inputs.csv", "--gradient")
        self.assertEqual(self.fine("check", "m", "inputs.csv").stderr, "")

    def test_nothing_is_lost_or_left_half_written(self):
        pathlib.Path("page.html").write_text("precious")
        self.refused(3, ["nowhere.csv"], "check", "m", "nowhere.csv", "--html", "page.html", "--overwrite")
        self.assertEqual(pathlib.Path("page.html").read_text(), "precious")
        self.refused(1, ["no/such/page.html"], "check", "m", "wave.csv", "--html", "no/such/page.html")
        self.assertEqual([f for f in os.listdir() if f.startswith("page.html")], ["page.html"])
        # Before a search that would take for ever.
        self.refused(1, ["no/rows.csv"], "check", "m", "wave.csv", "--closer", 200, "--out", "no/rows.csv")
        self.refused(1, ["no/page.html"], "importance", "m", "wave.csv", "--repeats", 10**9, "--out", "no/page.html")


if __name__ == "__main__":
    irn_program.main()
