"""irn train, predict, eval and info from the outside: what they make and what they print where.

usage: train.py IRN_PROGRAM [unittest's options]
"""

import csv
import io
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import numpy as np

import irn_program
from irn_program import SMALL, ProgramTest, python_of_the_page, run, wave, write_csv


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


class FromATableToAnswers(ProgramTest):
    def test_regression(self):
        result = self.train("wave.csv", "t", "--epochs", 60, "--out", "m")
        self.assertEqual(result.stdout, "m/model.safetensors\n")
        self.assertIn("regression: 't' holds numbers", result.stderr)
        self.assertIn("epoch 60/60", result.stderr)

        truth = [float(row["t"]) for row in table(open("wave.csv").read())]
        answers = table(self.fine("predict", "m", "wave.csv").stdout)
        self.assertEqual([row["settled"] for row in answers], ["1"] * len(truth))
        errors = np.array([float(row["t"]) for row in answers]) - truth
        evaluation = json.loads(self.fine("eval", "m", "wave.csv", "--json").stdout)
        self.assertAlmostEqual(evaluation["targets"]["t"]["rms"], np.sqrt(np.mean(errors**2)), places=5)
        self.assertAlmostEqual(evaluation["R2"], 1 - np.mean(errors**2) / np.var(truth), places=4)
        self.assertGreater(evaluation["R2"], 0.9)
        self.assertIn("R2          0.9", self.fine("eval", "m", "wave.csv").stdout)

    def test_classification(self):
        result = self.train("flowers.csv", "kind", "--epochs", 40, "--out", "m")
        self.assertIn("classification: 'kind' holds text", result.stderr)
        truth = [row["kind"] for row in table(open("flowers.csv").read())]
        answers = table(self.fine("predict", "m", "flowers.csv", "--probabilities", "--keep", "kind").stdout)
        self.assertEqual(list(answers[0]), ["kind", "predicted kind", "kind=lily", "kind=rose", "kind=tulip", "settled"])
        evaluation = json.loads(self.fine("eval", "m", "flowers.csv", "--json").stdout)
        self.assertEqual(evaluation["labels"], ["lily", "rose", "tulip"])
        right = 0
        for true, row in zip(truth, answers):
            shares = {label: float(row["kind=" + label]) for label in evaluation["labels"]}
            self.assertAlmostEqual(sum(shares.values()), 1, places=5)
            self.assertEqual(row["predicted kind"], max(shares, key=shares.get))
            self.assertEqual(row["kind"], true)
            right += row["predicted kind"] == true
        self.assertAlmostEqual(evaluation["accuracy"], right / len(truth))
        self.assertGreater(evaluation["accuracy"], 0.9)
        self.assertEqual(np.trace(evaluation["confusion"]), right)

    def test_losses(self):
        # One row in ten is far off: squares follow it, absolute errors hardly do.
        draw = np.random.default_rng(3)
        x = draw.uniform(-1, 1, 400).round(4)
        write_csv("off.csv", ["x", "t"], x, np.where(np.arange(400) % 10 == 0, 20, x).round(4))
        write_csv("line.csv", ["x", "t"], x, x)
        errors = {}
        for loss in ("squared", "absolute", "huber:delta=0.05"):
            self.train("off.csv", "t", "--loss", loss, "--epochs", 30, "--out", "m", "--overwrite", "--validation", 0)
            self.assertIn(f"loss = '{loss}'", open("m/config.toml").read().replace('"', "'"))
            info = json.loads(self.fine("info", "m", "--json").stdout)
            self.assertEqual(info["loss"], loss)
            self.assertIn(loss, self.fine("info", "m").stdout)
            errors[loss] = json.loads(self.fine("eval", "m", "line.csv", "--json").stdout)["targets"]["t"]["absolute"]
            if loss == "absolute":  # in the units of training: the mean absolute error of the scaled targets
                evaluation = json.loads(self.fine("eval", "m", "off.csv", "--json").stdout)
                scale = np.std(np.genfromtxt("off.csv", delimiter=",", names=True)["t"])
                self.assertAlmostEqual(evaluation["loss"], evaluation["targets"]["t"]["absolute"] / scale, places=5)
        self.assertGreater(errors["squared"], 1)
        self.assertLess(errors["absolute"], 0.5)
        self.assertLess(errors["huber:delta=0.05"], 0.5)

    def test_the_loss_of_a_task_is_what_training_takes_unasked(self):
        for path, target, loss in (("wave.csv", "t", "squared"), ("flowers.csv", "kind", "cross-entropy")):
            self.train(path, target, "--epochs", 2, "--out", "unasked", "--overwrite")
            self.train(path, target, "--epochs", 2, "--out", "asked", "--overwrite", "--loss", loss)
            models = [pathlib.Path(folder, "model.safetensors").read_bytes() for folder in ("unasked", "asked")]
            self.assertEqual(*models)
        self.refused(2, ["--loss", "huber is for numbers", "cross-entropy"], "train", "flowers.csv", "--target", "kind",
                     "--loss", "huber", "--out", "m")

    def test_a_network_of_iterations_answers_with_its_last(self):
        for gradient, solver in (("unrolled:steps=3", "iterate:steps=3"), ("reversible:steps=3", "reversible:steps=3")):
            self.train("wave.csv", "t", "--epochs", 40, "--gradient", gradient, "--out", "m", "--overwrite", "--validation", 0)
            self.assertIn(solver, self.fine("info", "m").stdout)
            last = json.loads(open("m/metrics.jsonl").read().splitlines()[-1])
            self.assertLess(last["training_settled"], 0.5)  # far from rest
            truth = [float(row["t"]) for row in table(open("wave.csv").read())]
            said = self.fine("predict", "m", "wave.csv")
            self.assertEqual(said.stderr, "")
            errors = np.array([float(row["t"]) for row in table(said.stdout)]) - truth
            evaluation = json.loads(self.fine("eval", "m", "wave.csv", "--json").stdout)
            self.assertAlmostEqual(evaluation["targets"]["t"]["rms"], np.sqrt(np.mean(errors**2)), places=5)
            self.assertGreater(evaluation["outcomes"]["iterated"], len(truth) / 2)
            self.assertGreater(evaluation["R2"], 0.8)
            best = min(json.loads(line)["training_loss"] for line in open("m/metrics.jsonl"))
            self.assertAlmostEqual(evaluation["loss"], best, places=5)
        self.refused(2, ["unrolled", "iterate", "rk4"], "train", "wave.csv", "--target", "t", "--out", "m", "--overwrite",
                     "--gradient", "unrolled", "--solver", "rk4")

    def test_numbers_of_many_digits_stay_what_they_are(self):
        codes = [123456784 + k for k in (0, 5, 6, 17)]  # two of them are one in single precision
        write_csv("codes.csv", ["x", "code"], [k % 4 for k in range(80)], [codes[k % 4] for k in range(80)])
        self.train("codes.csv", "code", "--epochs", 60, "--out", "m")
        answers = table(self.fine("predict", "m", "codes.csv", "--keep", "code").stdout)
        self.assertEqual([row["predicted code"] for row in answers], [row["code"] for row in answers])
        self.assertEqual({row["code"] for row in answers}, set(map(str, codes)))

        start = 1_700_000_000  # seconds: single precision counts them by 128
        write_csv("times.csv", ["id", "zip", "time", "y"], [2**53 + 1 + 2 * k for k in range(100)],
                  [f"{k:05}" for k in range(100)], [start + k for k in range(100)], [k / 100 + 0.001 for k in range(100)])
        self.train("times.csv", "y", "--exclude", "id,zip", "--epochs", 60, "--validation", 0, "--out", "n")
        self.assertIn(f"deviation {np.std(np.arange(100)):.4g}", self.fine("info", "n").stdout)
        kept = table(self.fine("predict", "n", "times.csv", "--keep", "id,zip,time").stdout)
        self.assertEqual([list(row.values())[:3] for row in kept],
                         [list(row.values())[:3] for row in table(open("times.csv").read())])
        self.assertGreater(json.loads(self.fine("eval", "n", "times.csv", "--json").stdout)["R2"], 0.95)

    def test_a_slip_that_makes_text_of_numbers_is_told(self):
        write_csv("slip.csv", ["a", "t"], ["l49" if k == 7 else k for k in range(20)], [k + 0.5 for k in range(20)])
        told = "'a' is taken for text because of 'l49' (slip.csv, line 9)"
        self.assertIn(told, self.train("slip.csv", "t", "--epochs", 1, "--out", "m").stderr)
        self.assertNotIn(told, self.train("slip.csv", "t", "--text", "a", "--epochs", 1, "--out", "n").stderr)

    def test_info_tells_what_was_trained(self):
        self.train("wave.csv", "t", "--epochs", 3, "--seed", 7, "--out", "m")
        info = json.loads(self.fine("info", "m", "--json").stdout)
        self.assertEqual((info["network"], info["seed"], info["task"]), ("2-8tanh-1identity/none+1:1", 7, "regression"))
        self.assertEqual((info["columns"], info["targets"]), (["a", "b"], ["t"]))
        self.assertEqual(info["parameters"], 2 * 8 + 8 * 8 + 8 + 9)
        self.assertEqual(info["metrics"]["epochs"], 3)
        self.assertIn("epochs = 3\n", info["configuration"])
        self.assertEqual(info["flow"]["layer"], 1)
        text = self.fine("info", "m/model.safetensors").stdout
        for words in ("2-8tanh-1identity", "layer1.layer1", "dynamics", "a: number", "seed 7"):
            self.assertIn(words, text)

    def test_a_loop_too_wide_for_a_certificate_trains_without_one(self):
        said = self.fine("train", "wave.csv", "--target", "t", "--architecture", "2-5000tanh-1identity/none+1:1=diagonal", "--epochs", 1,
                         "--out", "wide").stderr
        self.assertIn("no certificate", said)
        self.assertIn("more than 4096 neurons", self.fine("info", "wide").stdout)
        self.assertIsNone(json.loads(self.fine("info", "wide", "--json").stdout)["certificate"])

    def test_other_formats_give_the_same_model(self):
        values = np.genfromtxt("wave.csv", delimiter=",", names=True)
        np.savez("wave.npz", x=np.column_stack([values["a"], values["b"]]), y=values["t"])
        text = open("wave.csv").read()
        pathlib.Path("wave.tsv").write_text("\ufeff" + text.replace(",", "\t").replace("\n", "\r\n"), encoding="utf-8")
        expected = self.tensors("wave.csv", "t")
        for path, target, more in (("wave.tsv", "t", {}), ("wave.npz", "y", {}), ("-", "t", {"input": text})):
            tensors = self.tensors(path, target, **more)
            for name, weights in expected.items():
                self.assertTrue(np.array_equal(weights, tensors[name]), f"{name} of {path}")

    def tensors(self, path, target, **more):
        self.fine("train", path, "--target", target, *SMALL, "--epochs", 2, "--out", "m", "--overwrite", **more)
        return python_of_the_page()["read"]("m/model.safetensors")[1]


class OfRowsWithoutAnAnswer(ProgramTest):
    def test_rows_with_missing_values_keep_their_place(self):
        text = open("wave.csv").read().split("\n")
        text[3] = text[3].split(",")[0] + ",,0"
        pathlib.Path("gaps.csv").write_text("\n".join(text))
        self.refused(3, ["gaps.csv, line 4", "'b'", "--missing"], "train", "gaps.csv", "--target", "t")
        self.train("gaps.csv", "t", "--epochs", 2, "--missing", "drop", "--out", "m")
        result = self.fine("predict", "m", "gaps.csv", "--keep", "a")
        rows = table(result.stdout)
        self.assertEqual([row["a"] for row in rows], [line.split(",")[0] for line in text[1:] if line])
        for i, row in enumerate(rows):
            self.assertEqual((row["t"] == "", row["settled"]), (i == 2, "0" if i == 2 else "1"), i)
        self.assertIn("1 of 200 rows have no answer: 1 with missing values, 0 without equilibrium", result.stderr)
        self.assertEqual(self.fine("predict", "m", "gaps.csv", "--quiet").stderr, "")
        filled = table(self.fine("predict", "m", "gaps.csv", "--missing", "mean").stdout)
        self.assertEqual(filled[2]["settled"], "1")

    # Two neurons that turn each other around: the flow ends in a cycle for every input.
    def oscillator(self, path, task):
        target = {"regression": "t", "classification": "kind"}[task]
        self.train("wave.csv" if task == "regression" else "flowers.csv", target, "--epochs", 1, "--certify", 0, "--out", task)
        page = python_of_the_page()
        metadata, tensors = page["read"](f"{task}/model.safetensors")
        lateral = np.zeros_like(tensors["layer1.layer1"])
        lateral[:2, :2] = [[3, -6], [6, 3]]
        tensors["layer1.layer1"] = lateral
        page["write"](path, metadata, tensors)

    def test_an_oscillation_is_never_shown_as_an_answer(self):
        self.oscillator("cycle.st", "regression")
        result = self.fine("predict", "cycle.st", "wave.csv")
        self.assertEqual({(row["t"], row["settled"]) for row in table(result.stdout)}, {("", "0")})
        self.assertIn("200 of 200 rows have no answer: 0 with missing values, 200 without equilibrium", result.stderr)
        evaluation = json.loads(self.fine("eval", "cycle.st", "wave.csv", "--json").stdout)
        self.assertEqual((evaluation["settled"], evaluation["outcomes"]["settled"]), (0, 0))
        self.assertEqual((evaluation["R2"], evaluation["loss"]), (0, None))  # as good as the mean; of no answers there is no loss
        self.assertIn("200 without an answer", self.fine("eval", "cycle.st", "wave.csv").stdout)

    def test_and_counts_as_wrong(self):
        self.oscillator("cycle.st", "classification")
        rows = table(self.fine("predict", "cycle.st", "flowers.csv", "--probabilities").stdout)
        self.assertEqual({tuple(row.values()) for row in rows}, {("", "", "", "", "0")})
        evaluation = json.loads(self.fine("eval", "cycle.st", "flowers.csv", "--json").stdout)
        self.assertEqual((evaluation["accuracy"], np.sum(evaluation["confusion"])), (0, 0))


class WhatARunLeaves(ProgramTest):
    def test_logs_agree_and_the_model_has_the_weights_of_the_best_epoch(self):
        wave("judges.csv", 60)
        self.train("wave.csv", "t", "--epochs", 30, "--rate", "0.1", "--schedule", "constant", "--validation",
                   "judges.csv", "--out", "m")
        lines = [json.loads(line) for line in open("m/metrics.jsonl")]
        rows = table(open("m/metrics.csv").read())
        self.assertEqual(len(lines), len(rows))
        for line, row in zip(lines, rows):
            self.assertEqual(list(line), list(row))
            for key, value in line.items():
                self.assertEqual(float(row[key] == "true" if key == "best" else row[key]), float(value), key)
        best = min(lines, key=lambda line: line["validation_loss"])
        self.assertLess(best["epoch"], 30, "the last epoch is not the best, or the test shows nothing")
        self.assertEqual(json.loads(self.fine("info", "m", "--json").stdout)["metrics"]["best_epoch"], best["epoch"])
        evaluation = json.loads(self.fine("eval", "m", "judges.csv", "--json").stdout)
        self.assertAlmostEqual(evaluation["loss"], best["validation_loss"], places=12)
        self.assertGreater(lines[-1]["validation_loss"], best["validation_loss"] * 1.001)

    def test_patience_ends_a_run_that_gets_no_better(self):
        result = self.fine("train", "wave.csv", "--target", "t", *SMALL, "--rate", "0.2", "--epochs", 100, "--patience", 3,
                           "--out", "m")
        metrics = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
        self.assertEqual(metrics["epochs"], metrics["best_epoch"] + 3)
        self.assertIn("no improvement for 3", result.stderr)

    def test_the_report_stands_alone(self):
        for path, target in (("wave.csv", "t"), ("flowers.csv", "kind")):
            for epochs in (1, 3):
                self.train(path, target, "--epochs", epochs, "--out", "m", "--overwrite")
                page = open("m/report.html", encoding="utf-8").read()
                for foreign in ("<script", "<link", "<iframe", "src=", "@import"):
                    self.assertNotIn(foreign, page)
                self.assertEqual(re.findall(r"url\([^#].*|https?://(?!www.w3.org/)\S*", page), [])
                xml.etree.ElementTree.fromstring(page[page.index("<html"):])
                for words in ("<svg", target, "epochs = ", "irn train --config"):
                    self.assertIn(words, page)

    def test_the_saved_configuration_repeats_the_run(self):
        self.train("wave.csv", "t", "--epochs", 3, "--seed", "18446744073709551615", "--out", "it's a model")
        page = open("it's a model/report.html", encoding="utf-8").read()
        self.assertIn("OTHER-FOLDER", page)
        self.fine("train", "--config", "it's a model/config.toml", "--out", "n")
        self.assertEqual(open("it's a model/model.safetensors", "rb").read(), open("n/model.safetensors", "rb").read())

    def test_threads_change_no_bit(self):
        models = []
        for threads in (1, 2, 3):
            self.train("flowers.csv", "kind", "--epochs", 4, "--threads", threads, "--out", f"m{threads}")
            models.append(open(f"m{threads}/model.safetensors", "rb").read())
            models[-1] += self.fine("predict", "m1", "flowers.csv", "--threads", threads).stdout.encode()
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_nothing_is_replaced_unasked(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        before = open("m/model.safetensors", "rb").read()
        self.refused(2, ["--overwrite", "--out"], "train", "wave.csv", "--target", "t", "--out", "m")
        self.refused(2, ["nothing to resume"], "train", "--resume", "m")
        self.refused(2, ["solver", "rk4"], "train", "wave.csv", "--target", "t", "--out", "m", "--overwrite", "--solver",
                     "rk5")
        self.assertEqual(open("m/model.safetensors", "rb").read(), before)
        os.mkdir("mine")
        pathlib.Path("mine/notes").touch()
        self.refused(2, ["not a folder of irn train"], "train", "wave.csv", "--target", "t", "--out", "mine")
        self.assertEqual(os.listdir("mine"), ["notes"])
        self.refused(2, ["is a file"], "train", "wave.csv", "--target", "t", "--out", "wave.csv")


class WhatIsSaidWhere(ProgramTest):
    def test_quiet_and_json(self):
        result = self.train("wave.csv", "t", "--epochs", 2, "--out", "m", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("m/model.safetensors\n", ""))
        result = self.train("wave.csv", "t", "--epochs", 2, "--out", "n", "--json")
        self.assertEqual([json.loads(line)["epoch"] for line in result.stderr.splitlines()], [1, 2])
        self.assertEqual(json.loads(result.stdout)["model"], "n/model.safetensors")

    def test_no_colour_and_no_bar_where_there_is_no_terminal(self):
        self.assertNotIn("\033", self.train("wave.csv", "t", "--epochs", 2, "--out", "m").stderr)
        self.assertNotIn("\r", self.train("wave.csv", "t", "--epochs", 2, "--out", "n").stderr)

    def test_later_places_win(self):
        pathlib.Path("c.toml").write_text('epochs = 2\nbatch = 20\nseed = 5\ntarget = ["t"]\n')

        def resolved(*more, **variables):
            self.fine("train", "wave.csv", "--config", "c.toml", "--out", "m", "--overwrite", "--validation", "0", *more,
                      **variables)
            return open("m/config.toml").read()

        self.assertIn("epochs = 2\n", resolved())
        self.assertIn("epochs = 3\n", resolved(IRN_EPOCHS="3"))
        text = resolved("--epochs", "4", IRN_EPOCHS="3", IRN_SEED="6")
        for line in ("epochs = 4\n", "seed = 6\n", "batch = 20\n"):
            self.assertIn(line, text)
        self.assertEqual(self.fine("train", "wave.csv", "--out", "n", IRN_CONFIG="c.toml", IRN_QUIET="1").stderr, "")
        self.assertIn("seed = 5\n", open("n/config.toml").read())

    def test_what_could_not_be_printed_is_no_success(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        for arguments in (["predict", "m", "wave.csv"], ["eval", "m", "wave.csv"], ["info", "m"], ["--help"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([irn_program.IRN, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((result.returncode, result.stderr), (1, "irn: cannot write to standard output\n"), arguments)


if __name__ == "__main__":
    irn_program.main()
