"""What irn train, predict, eval and info refuse, from the outside: one line that says what to do, an exit code, and nothing lost.

usage: refusals.py IRN_PROGRAM [unittest's options]
"""

import json
import os
import pathlib
import re
import stat

import numpy as np

import irn_program
from irn_program import SMALL, ProgramTest, python_of_the_page, run, wave, write_csv


class WhatIsRefused(ProgramTest):
    def test_usage(self):
        train = ["train", "wave.csv", "--target", "t", "--out", "m"]
        self.refused(2, ["name a command"])
        self.refused(2, ["trian", "train"], "trian")
        self.refused(2, ["trian", "train"], "trian", "--help")
        self.refused(2, ["trian", "train"], "help", "trian")
        self.refused(2, ["--epoch", "--epochs"], *train, "--epoch", 3)
        self.refused(2, ["--unheard-of", "irn train --help"], *train, "--unheard-of")
        self.refused(2, ["one argument too many"], "info", "m", "more.csv")
        self.refused(3, ["cannot read 'more.csv'"], *train, "more.csv")
        self.refused(2, ["--rate", "value is missing"], *train, "--rate")
        self.refused(2, ["no data"], "train")
        self.refused(2, ["no model"], "predict")
        self.train("wave.csv", "t", "--epochs", 1, "--out", "n")
        self.refused(2, ["no data"], "predict", "n")
        self.refused(2, ["--target", "a, b, t"], "train", "wave.csv")
        for columns, words in ((40, "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, "), (41, "c8, c9, ..., c40 (41 columns)\n")):
            write_csv("many.csv", [f"c{k}" for k in range(columns)], *[[1, 2]] * columns)
            self.refused(2, [words, f"c{columns - 1}"], "train", "many.csv")
        self.refused(2, ["named twice"], "train", "wave.csv", "--target", "t,t")
        self.refused(2, ["m.toml"], *train, "--config", "m.toml")
        self.assertFalse(os.path.exists("m"))

    def test_values(self):
        for option, value, words in (
                ("epochs", "many", ["--epochs"]), ("epochs", "0", ["--epochs"]), ("epochs", "-1", ["--epochs"]),
                ("batch", "0", ["--batch"]), ("clip", "-1", ["--clip"]), ("rate", "-1", ["--rate"]),
                ("rate", "nan", ["--rate"]), ("validation", "1.5", ["--validation"]), ("layers", "3x", ["--layers"]),
                ("task", "regresion", ["regression"]), ("missing", "dorp", ["drop"]), ("scaling", "column", ["columns"]),
                ("solver", "rk5", ["rk4"]), ("gradient", "exat", ["exact"]), ("loss", "hubr", ["huber"]), ("loss", "huber:delta=0", ["delta"]),
                ("loss", "cross-entropy", ["--loss", "classes", "squared"]), ("optimiser", "adm", ["adam"]),
                ("schedule", "cosin", ["cosine"]), ("activation", "tan", ["tanh"]), ("recurrence", "latral", ["lateral"]),
                ("start", "scald", ["scaled"]), ("precision", "doubel", ["double"]), ("tolerance", "1e-30", ["tolerance"]),
                ("architecture", "5-3-1", ["--architecture", "5 inputs"]), ("checkpoint-seconds", "-1", ["--checkpoint"]),
                ("least-settled", "2", ["--least-settled"]), ("delimiter", "||", ["--delimiter"]),
                ("header", "maybe", ["--header"]), ("threads", "-2", ["--threads"]), ("noise", "1e300", ["--noise"]),
                ("pull", "1.5", ["--pull"]), ("pull", "0.9", ["--pull", "--certify 0"]),
                ("seed", "99999999999999999999", ["--seed", "too large"]), ("rate", "1e5", ["rate times weight-decay"])):
            self.refused(2, words, "train", "wave.csv", "--target", "t", "--out", "m", f"--{option}", value)
        self.assertFalse(os.path.exists("m"))

    def test_a_slip_comes_before_a_folder_that_is_taken(self):
        self.train("wave.csv", "t", "--epochs", 1, "--quiet", "--out", "m")
        train = ("train", "wave.csv", "--target", "t", "--out", "m")
        self.refused(2, ["--overwrite", "'m'"], *train)
        for option, value, word in (("solver", "neewton", "newton"), ("loss", "cros-entropy", "cross-entropy"), ("decimal", "comma", "--decimal"),
                                    ("dates", "moth", "month"), ("metric", "acuracy", "accuracy"), ("architecture", "2-", "network '2-'")):
            self.refused(2, [word], *train, "--" + option, value)

    def test_configuration(self):
        for text, words in (("epochs = = 3", ["line 1"]), ("\nepoch = 3", ["line 2", '"epoch"', '"epochs"']),
                            ('epochs = "many"', ["epochs", "many"]), ("epochs = [1, 2]", ["not a list"]),
                            ("[training]\nepochs = 1", ["training"])):
            pathlib.Path("c.toml").write_text(text)
            self.refused(2, ["c.toml", *words], "train", "wave.csv", "--config", "c.toml")
        self.refused(2, ["IRN_EPOCHS", "many"], "train", "wave.csv", "--target", "t", IRN_EPOCHS="many")
        self.refused(2, ["IRN_EPOCS", "IRN_EPOCHS"], "train", "wave.csv", "--target", "t", IRN_EPOCS="3")
        self.refused(2, ["IRN_SECOND", "IRN_SECONDS"], "bench", IRN_SECOND="3")
        self.refused(2, ["--quiet", "maybe"], "train", "wave.csv", "--target", "t", "--quiet=maybe")
        self.refused(2, ["--seconds", "nan"], "bench", "--seconds", "nan")
        self.refused(2, ["--hidden", "many"], "bench", "--hidden", "5,many")
        self.refused(2, ["99999999 threads"], "reproduce", "neuron", "--threads", 99999999, "--out", "r")
        self.assertFalse(os.path.exists("r"))

    def test_data(self):
        for text, words in (("", ["empty"]), ("a,t\n", ["no rows"]), ("a,t\n1,2\n3\n", ["line 3"]),
                            ("a,a,t\n1,2,3\n", ["'a'"]), ("a,t\n1,\"2\n", ["line 2", "quote"]),
                            ("a,t\n1,yes\n2,yes\n", ["only one class"]), ("a,t\n1,2.5\n2,2.5\n", ["nothing to learn"]),
                            ("a,t\n1e400,1\n", ["line 2", "1e400"]), ("a,t\n,1.5\n1,2.5\n", ["line 2", "'a'"]),
                            ("a,b\n1,2\n", ["\"t\""]), ("a,t\r1,2\r2,3\r", ["carriage return"])):
            pathlib.Path("bad.csv").write_text(text, newline="")
            self.refused(3, ["bad.csv", *words], "train", "bad.csv", "--target", "t", "--out", "m")
        self.refused(3, ["absent.csv"], "train", "absent.csv", "--target", "t")
        self.refused(3, ["directory"], "train", ".", "--target", "t")
        self.refused(3, ["wave.csv", "none of"], "train", "wave.csv", "--target", "t", "--validation", "1e-6", "--out", "m")
        self.refused(3, ["standard input"], "train", "-", "--target", "t", input="")
        write_csv("huge.csv", ["a", "t"], ["1e300", "-1e300", "2e300"], [1.5, 2.5, 3.5])
        self.refused(3, ["huge.csv", "'a'", "large"], "train", "huge.csv", "--target", "t", "--precision", "double")
        self.assertFalse(os.path.exists("m"))

    def test_names_of_columns_break_no_line(self):
        pathlib.Path("odd.csv").write_bytes(b'p,"a\nb",k\n1,2,3\n2,,4\n')
        self.refused(3, ["column 'a\\nb'", "missing value"], "train", "odd.csv", "--target", "k", "--out", "m")
        pathlib.Path("latin.csv").write_bytes(b"na\xefve,k\n1,2\n2,4\n")
        self.refused(3, ["na\\xEFve"], "train", "latin.csv", "--target", "zz", "--out", "m")

    def test_models(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        whole = open("m/model.safetensors", "rb").read()
        pathlib.Path("short.st").write_bytes(whole[:-1])
        pathlib.Path("flipped.st").write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
        for path, words in (("short.st", ["short.st"]), ("flipped.st", ["checksum", "restore it from a copy"]),
                            ("wave.csv", ["wave.csv: no model file of irn; name the model.safetensors", "or its folder"]),
                            ("absent.st", ["absent.st"]), (".", ["model.safetensors"])):
            for command in (["info", path], ["predict", path, "wave.csv"], ["eval", path, "wave.csv"]):
                self.refused(3, words, *command)
        self.refused(3, ["flowers.csv", '"a"'], "predict", "m", "flowers.csv")
        write_csv("wrong.csv", ["a", "b"], [1, 2, "x", 4], [1, 2, 3, 4])
        self.refused(3, ["wrong.csv, line 4, column 'a': 'x' is text"], "predict", "m", "wrong.csv")
        write_csv("far.csv", ["a", "b"], [1, 1e60], [1, 2])
        self.refused(3, ["far.csv, line 3, column 'a'", "or train in double precision\n"], "predict", "m", "far.csv")
        write_csv("far.csv", ["a", "b", "t"], [1e60, *[1e9] * 59], range(60), range(60))
        self.refused(3, ["far.csv, line 2, column 'a'", "or train in double precision (--precision)\n"], "train", "far.csv", "--target", "t",
                     "--scaling", "none", "--out", "f")
        self.refused(3, ["wave.csv", "--labels"], "predict", "m", "wave.csv", "--labels", "wave.csv")
        self.refused(3, ["wave.csv", "nosuch"], "predict", "m", "wave.csv", "--text", "nosuch")
        write_csv("inputs.csv", ["a", "b"], [1, 2], [3, 4])
        self.fine("predict", "m", "inputs.csv")
        self.refused(3, ["inputs.csv", '"t"'], "eval", "m", "inputs.csv")
        self.refused(2, ["--probabilities"], "predict", "m", "wave.csv", "--probabilities")

    def test_a_training_without_weights(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "begun")
        os.remove("begun/model.safetensors")
        for command in (("info", "begun"), ("predict", "begun", "wave.csv"), ("eval", "begun", "wave.csv")):
            self.refused(3, ["the training in 'begun' has no weights"], *command)

    def test_divergence_keeps_the_best_weights(self):
        train = ["train", "wave.csv", "--target", "t", *SMALL, "--optimiser", "sgd", "--epochs", "20", "--quiet"]
        result = run(*train, "--rate", "50", "--clip", "0", "--out", "gone")
        self.assertEqual((result.returncode, result.stdout), (4, ""), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)
        for words in ("diverged", "--rate", "--clip", "--recurrence"):
            self.assertIn(words, result.stderr)

        # A rate that rises from nothing to far too much: what the first epochs made stays. Without recurrence, because then
        # the outputs must run away; with it training may get through.
        result = run(*train, "--recurrence", "none", "--rate", "50", "--clip", "0", "--schedule", "cosine:warmup=1000,steps=2000", "--out", "kept",
                     "--checkpoint-seconds", "0", "--epochs", "400", "--patience", "0")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("are kept in kept/model.safetensors", result.stderr)
        metrics = json.loads(self.fine("info", "kept", "--json").stdout)["metrics"]
        self.assertEqual(metrics["complete"], 0)
        self.assertIn("not complete", self.fine("info", "kept").stdout)
        for command in ("eval", "predict"):
            self.assertRegex(self.fine(command, "kept", "wave.csv").stderr, "(?m)^irn: the model is of a training that diverged: .*$")
        page = python_of_the_page()
        for path in ("model", "checkpoint"):
            for name, values in page["read"](f"kept/{path}.safetensors")[1].items():
                self.assertTrue(np.isfinite(values).all(), f"{name} of the {path}")

    def test_a_run_time_failure(self):
        self.refused(1, ["not enough memory for the parameters of network 2-10000000-1"], "train", "wave.csv", "--target", "t", "--quiet",
                     "--layers", 10000000, "--out", "m")
        self.refused(1, ["cannot make the folder"], "train", "wave.csv", "--target", "t", "--quiet", "--out", "/proc/irn")
        if os.geteuid() != 0:  # to root every folder is open
            os.mkdir("closed")
            os.chmod("closed", stat.S_IRUSR | stat.S_IXUSR)
            self.refused(1, ["closed"], "train", "wave.csv", "--target", "t", "--quiet", "--out", "closed/m")


if __name__ == "__main__":
    irn_program.main()
