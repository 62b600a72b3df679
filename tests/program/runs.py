"""Trainings that go on from others, several side by side, and what a model's answers depend on.

usage: runs.py IRN_PROGRAM [unittest's options]
"""

import json
import os
import pathlib
import signal
import subprocess
import time
import xml.etree.ElementTree

import numpy as np

import irn_program
from irn_program import ProgramTest, environment, python_of_the_page, wave, write_csv


def page(path):
    text = pathlib.Path(path).read_text()
    xml.etree.ElementTree.fromstring(text[text.index("<html"):])
    return text


class MoreTraining(ProgramTest):
    def losses(self, folder):
        return [json.loads(line)["loss"] for line in open(folder + "/metrics.jsonl")]

    def test_from_a_model(self):
        self.train("wave.csv", "t", "--epochs", 8, "--out", "first")
        said = self.fine("train", "wave.csv", "--from", "first", "--epochs", 4, "--batch", 16, "--out", "second")
        self.assertIn("2-8tanh-1identity", said.stderr)
        first, second = self.losses("first"), self.losses("second")
        self.assertLess(second[0], first[0] / 2)
        self.assertLess(second[0], first[-1] * 2, "it goes on about where the first ended")

        # On other data the columns mean what they meant to the model, and with nothing learnt the answers are its own.
        draw = np.random.default_rng(9)
        a, b = draw.normal(5, 2, 60).round(3), draw.normal(-3, 1, 60).round(3)
        write_csv("other.csv", ["b", "a", "t"], b, a, (a / 10).round(4))
        self.fine("train", "other.csv", "--from", "first/model.safetensors", "--epochs", 1, "--rate", "1e-12", "--validation", 0, "--quiet", "--out", "third")
        infos = [json.loads(self.fine("info", m, "--json").stdout) for m in ("first", "third")]
        for key in ("network", "input_columns", "target_columns"):
            self.assertEqual(infos[0][key], infos[1][key])
        answers = [np.array([float(line.split(",")[0]) for line in self.fine("predict", m, "other.csv").stdout.splitlines()[1:]]) for m in ("first", "third")]
        self.assertTrue(np.allclose(*answers, atol=1e-4), np.abs(answers[0] - answers[1]).max())

        # Settings repeat it, and it can be interrupted like any other.
        self.fine("train", "--config", "second/config.toml", "--out", "again", "--quiet")
        self.assertEqual(pathlib.Path("again/model.safetensors").read_bytes(), pathlib.Path("second/model.safetensors").read_bytes())

    def test_what_does_not_fit_the_model(self):
        self.train("flowers.csv", "kind", "--epochs", 1, "--out", "m")
        train = ("train", "flowers.csv", "--from", "m", "--out", "x")
        self.refused(2, ["--target", "--from"], *train, "--target", "colour")
        for option, value in (("--layers", 5), ("--activation", "relu"), ("--recurrence", "none"), ("--convolutions", "8k3")):
            self.refused(2, [option, "--from"], *train, option, value)
        for option, value in (("--scaling", "none"), ("--task", "regression"), ("--start", "paper")):
            self.refused(2, [option, "--from"], *train, option, value)
        for option in ("--exclude", "--weights"):
            self.refused(2, [option, "'size' is an input of the model"], *train, option, "size")
        self.fine(*train[:-1], "y", "--task", "classification", "--exclude", "kind", "--epochs", 1, "--quiet")
        self.refused(3, ["wave.csv", "size"], "train", "wave.csv", "--from", "m", "--out", "x")
        write_csv("new.csv", ["size", "colour", "kind"], [1, 2, 3], ["red", "blue", "green"], ["rose", "lily", "rose"])
        self.refused(3, ["line 4", "'green'"], "train", "new.csv", "--from", "m", "--out", "x")
        self.refused(3, ["absent"], "train", "wave.csv", "--from", "absent", "--out", "x")
        self.assertFalse(os.path.exists("x"))

    def test_more_epochs_on_resume(self):
        wave("wave.csv", 400)
        process = subprocess.Popen([irn_program.IRN, "train", "wave.csv", "--target", "t", "--layers", "8", "--epochs", "2000", "--batch", "8", "--schedule",
                                    "constant", "--checkpoint-seconds", "0", "--quiet", "--out", "m"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists("m/model.safetensors"):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        done = len(self.losses("m"))
        text = pathlib.Path("m/config.toml").read_text()
        pathlib.Path("m/config.toml").write_text(text.replace("epochs = 2000", f"epochs = {done + 1}"))
        page_ = python_of_the_page()
        metadata, tensors = page_["read"]("m/checkpoint.safetensors")
        metadata["configuration"] = metadata["configuration"].replace("epochs = 2000", f"epochs = {done + 1}")
        page_["write"]("m/checkpoint.safetensors", metadata, tensors)  # as if it had begun with few epochs
        self.refused(2, ["--epochs", "not fewer"], "train", "--resume", "m", "--epochs", done)
        self.fine("train", "--resume", "m", "--epochs", done + 5, "--quiet")
        self.assertEqual(len(self.losses("m")), done + 5)
        self.assertIn(f"epochs = {done + 5}\n", pathlib.Path("m/config.toml").read_text())
        # With a constant rate the training is the one that had as many epochs from its start.
        self.fine("train", "wave.csv", "--target", "t", "--layers", 8, "--epochs", done + 5, "--batch", 8, "--schedule", "constant", "--quiet", "--checkpoint-seconds", 0,
                  "--out", "whole")
        self.assertEqual(pathlib.Path("whole/model.safetensors").read_bytes(), pathlib.Path("m/model.safetensors").read_bytes())
        self.refused(2, ["is done", "--from m"], "train", "--resume", "m", "--epochs", done + 50)


class SideBySide(ProgramTest):
    def test_compare(self):
        for rate in ("0.001", "0.02"):
            self.train("wave.csv", "t", "--epochs", 3, "--rate", rate, "--out", "r" + rate)
        said = self.fine("compare", "r0.001", "r0.02", "--out", "both.html").stdout
        runs = json.loads(self.fine("compare", "r0.001", "r0.02", "--json").stdout)
        for folder, run in zip(("r0.001", "r0.02"), runs):
            info = json.loads(self.fine("info", folder, "--json").stdout)
            self.assertEqual((run["run"], run["metrics"], run["network"]), (folder, info["metrics"], info["network"]))
            self.assertIn(f"{info['metrics']['validation_R2']:.5g}", said)
        line = next(line for line in said.splitlines() if line.startswith("--rate"))
        self.assertEqual(line.split(), ["--rate", "0.001", "0.02"])
        self.assertNotIn("--layers", said, "the same in both")
        for words in ("r0.001", "r0.02", "<svg", "validation_R2"):
            self.assertIn(words, page("both.html"))
        self.assertIn(">R2<", page("both.html"), "the score by its name")
        self.train("wave.csv", "t", "--epochs", 2, "--metric", "rms", "--quiet", "--out", "other")
        self.fine("compare", "r0.001", "other", "--out", "unlike.html")
        for words in ("r0.001, R2", "other, rms"):
            self.assertIn(words, page("unlike.html"))
        self.fine("compare", "r0.001/model.safetensors", "r0.02")
        self.refused(2, ["two trainings"], "compare", "r0.001")
        self.refused(3, ["absent"], "compare", "r0.001", "absent")
        with open("other/metrics.jsonl", "a") as log:  # lines that irn has not written
            log.write('{"validation_loss": 1}\n{"epoch": "x", "seconds": "y", "validation_loss": 1}\n[1]\n{"epoch": 3')
        self.assertEqual(self.fine("compare", "r0.001", "other", "--out", "unlike.html", "--overwrite").stderr, "")


class Importance(ProgramTest):
    def test_what_matters_is_found(self):
        draw = np.random.default_rng(10)
        a, b, c = draw.normal(size=(3, 400)).round(4)
        write_csv("three.csv", ["c", "a", "b", "t"], c, 10 * a, b, (100 + 30 * a - 10 * b).round(4))
        self.train("three.csv", "t", "--epochs", 60, "--out", "m")
        found = json.loads(self.fine("importance", "m", "three.csv", "--json").stdout)
        drops = {entry["column"]: entry["drop"] for entry in found["permutation"]}
        self.assertEqual(list(drops), ["c", "a", "b"])
        self.assertGreater(drops["a"], 1)  # R2 loses 2 * 900 / 1000 where a is dealt anew
        self.assertAlmostEqual(drops["a"], 1.8, delta=0.35)
        self.assertAlmostEqual(drops["b"], 0.2, delta=0.1)
        self.assertLess(abs(drops["c"]), 0.05)
        slopes = found["sensitivity"]["outputs"]["t"]
        self.assertAlmostEqual(slopes["a"]["mean"], 30, delta=4)  # by one deviation of the column
        self.assertAlmostEqual(slopes["b"]["mean"], -10, delta=3)
        self.assertEqual((found["sensitivity"]["rows"], found["sensitivity"]["used"]), (400, 400))
        self.assertEqual(found["metric"], "R2")

        text = self.fine("importance", "m", "three.csv", "--out", "page.html", "--repeats", 2).stdout
        order = [line.split()[0] for line in text.split("deviation\n")[1].splitlines()[:3]]
        self.assertEqual(order, ["a", "b", "c"])
        for words in ("<svg", "Every column", "Exact derivatives"):
            self.assertIn(words, page("page.html"))

    def test_classes_and_texts(self):
        self.train("flowers.csv", "kind", "--epochs", 40, "--out", "m")
        first, second = (self.fine("importance", "m", "flowers.csv", "--metric", "log_loss", "--json", "--threads", n).stdout for n in (1, 3))
        self.assertEqual(first, second)
        found = json.loads(first)
        self.assertEqual({entry["column"] for entry in found["permutation"]}, {"size", "colour"})
        self.assertTrue(all(entry["drop"] > 0 and len(entry["drops"]) == 5 for entry in found["permutation"]))
        outputs = found["sensitivity"]["outputs"]
        self.assertEqual(set(outputs["kind=rose"]), {"size", "colour=blue", "colour=red"})
        self.assertGreater(outputs["kind=rose"]["size"]["mean"], 0)  # the larger, the rather a rose
        self.assertAlmostEqual(sum(outputs[kind]["size"]["mean"] for kind in outputs), 0, places=4)  # probabilities add up to 1
        self.refused(2, ["--metric", "numbers"], "importance", "m", "flowers.csv", "--metric", "rms")
        self.refused(2, ["--repeats"], "importance", "m", "flowers.csv", "--repeats", 0)


if __name__ == "__main__":
    irn_program.main()
