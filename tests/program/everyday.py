"""Small things that everyday use comes across, each from the outside.

usage: everyday.py IRN_PROGRAM [unittest's options]
"""

import fcntl
import json
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import struct
import subprocess
import termios

import numpy as np

import irn_program
from irn_program import SMALL, ProgramTest, environment, python_of_the_page, run, write_csv


def on_a_terminal(*arguments, columns=80):
    """Exit code, and what standard error shows where it is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([irn_program.IRN, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs,
                               env=environment())
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return process.wait(100), shown.decode()


def idx(path, values):
    head = struct.pack(">BBBB", 0, 0, 8, values.ndim) + struct.pack(f">{values.ndim}I", *values.shape)
    pathlib.Path(path).write_bytes(head + values.astype("u1").tobytes())


class Reading(ProgramTest):
    def test_images_through_a_pipe_are_those_of_the_file(self):
        draw = np.random.default_rng(4)
        images = draw.integers(0, 256, (120, 3, 3))
        idx("t-images-idx3-ubyte", images)
        idx("t-labels-idx1-ubyte", images[:, 1, 1] > 127)
        self.fine("train", "t-images-idx3-ubyte", "--epochs", 2, "--quiet", "--out", "m")
        from_file = self.fine("predict", "m", "t-images-idx3-ubyte").stdout
        piped = subprocess.run(f"cat t-images-idx3-ubyte | {irn_program.IRN} predict m -", shell=True, capture_output=True,
                               text=True, env=environment())
        self.assertEqual((piped.returncode, piped.stderr), (0, ""))
        self.assertEqual(piped.stdout, from_file)

    def test_binary_data_is_called_that(self):
        draw = random.Random(5)
        for name, content in (("random", draw.randbytes(20000)), ("program", open(irn_program.IRN, "rb").read(5000)),
                              ("disk", b"\xd1\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))):
            pathlib.Path(name).write_bytes(content)
            self.refused(3, [f"{name}: binary data, not a table"], "train", name, "--target", "t")
        pathlib.Path("picture").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0" + draw.randbytes(500))
        self.refused(3, ["picture: a picture (PNG)", "one array"], "train", "picture", "--target", "t")

    def test_an_infinite_value_is_refused_however_it_is_written(self):
        for word in ("inf", "-inf", "+inf", "Inf", "INFINITY", "1e309"):
            write_csv("far.csv", ["a", "t"], [word if k == 7 else k for k in range(20)], [k + 0.5 for k in range(20)])
            self.refused(3, ["far.csv, line 9", "'a'", word], "train", "far.csv", "--target", "t", "--out", "m")

    def test_many_classes_get_advice_that_can_be_followed(self):
        rows = range(4000)
        write_csv("many.csv", ["x", "name", "id"], rows, [f"n{k % 2000}" for k in rows], [k % 2000 for k in rows])
        self.refused(3, ["'name'", "more than 1000", "rare ones"], "train", "many.csv", "--target", "name", "--inputs", "x")
        self.refused(3, ["'id'", "regression", "--task"], "train", "many.csv", "--target", "id", "--inputs", "x", "--task",
                     "classification")
        self.refused(3, ["'name'", "leave the column out", "--categories"], "train", "many.csv", "--target", "x")

    def test_what_may_be_a_slip_is_said_however_quiet(self):
        write_csv("slip.csv", ["a", "t"], ["l49" if k == 7 else k for k in range(20)], [k + 0.5 for k in range(20)])
        told = "'a' is taken for text because of 'l49' (slip.csv, line 9)"
        quiet = self.train("slip.csv", "t", "--epochs", 1, "--out", "m", "--quiet", "--validation", 0).stderr
        self.assertRegex(quiet, r"^irn: 'a' is taken for text because of 'l49'.*\n$")
        said = self.train("slip.csv", "t", "--epochs", 1, "--out", "n", "--json", "--validation", 0)
        self.assertIn(told, json.loads(said.stderr.splitlines()[0])["note"])
        self.assertIn(told, json.loads(said.stdout)["notes"][0])


class WhatIsHeldOut(ProgramTest):
    def test_means_and_texts_are_those_of_the_training_rows(self):
        # Each row has a text of its own, and one row is far off: whatever is held out, it shows in no mean and in no text.
        rows = 100
        x = np.arange(rows, dtype=float)
        write_csv("own.csv", ["x", "who", "t"], x, [f"w{k:03}" for k in range(rows)], x / 10)
        said = self.train("own.csv", "t", "--epochs", 1, "--out", "m", "--text", "who")
        self.assertIn("20 of 20 rows held out hold a text that no training row has", said.stderr)
        info = json.loads(self.fine("info", "m", "--json").stdout)
        number, text = info["input_columns"]
        trained = [int(who[1:]) for who in text["categories"]]
        self.assertEqual(len(trained), 80)
        self.assertAlmostEqual(number["mean"], np.mean(x[trained]), places=9)
        self.assertAlmostEqual(number["deviation"], np.std(x[trained]), places=9)
        self.assertAlmostEqual(info["target_columns"][0]["mean"], np.mean(x[trained] / 10), places=9)

    def test_classes_are_those_of_all_rows(self):
        write_csv("rare.csv", ["x", "kind"], range(100), ["a" if k % 2 else "b" if k else "c" for k in range(100)])
        for seed in range(8):  # the only "c" is held out for some of them
            self.train("rare.csv", "kind", "--epochs", 1, "--out", "m", "--overwrite", "--seed", seed)
            info = json.loads(self.fine("info", "m", "--json").stdout)
            self.assertEqual(info["target_columns"], [{"name": "kind", "categories": ["a", "b", "c"]}])


class Running(ProgramTest):
    def test_a_bar_does_not_hide_how_a_training_ended(self):
        code, shown = on_a_terminal("train", "wave.csv", "--target", "t", "--layers", 8, "--solver", "fixed-point:steps=1",
                                    "--epochs", 1, "--out", "m")
        self.assertEqual(code, 4, shown)
        self.assertIn("training diverged", shown)
        self.assertNotIn("basic_string", shown)
        self.assertIn("[" + "#" * 8, shown)

    def test_the_bar_shows_what_matters_however_narrow_the_terminal_is(self):
        most = ["R2 ", "settled 100 %", " left"]
        for columns, words in ((200, [*most, "loss ", "validation ", "evaluations ", "samples/s"]), (80, [*most, "loss "]), (60, most)):
            code, shown = on_a_terminal("train", "wave.csv", "--target", "t", *SMALL, "--epochs", 300, "--out", f"m{columns}", columns=columns)
            self.assertEqual(code, 0, shown)
            bars = [re.sub("\033\\[[0-9]*m", "", bar).rstrip() for bar in re.findall(r"\r\033\[K([^\r]*)", shown)]
            self.assertTrue(bars[-1].startswith("[########"), bars[-1])
            self.assertLess(max(map(len, bars)), columns, "a line that breaks cannot be rewritten")
            for word in words:
                self.assertIn(word, bars[-1])

    def test_short_options(self):
        said = self.fine("train", "wave.csv", "--target", "t", *SMALL, "--epochs", 1, "-o", "m", "-q", "-j", 1)
        self.assertEqual((said.stdout, said.stderr), ("m/model.safetensors\n", ""))
        self.assertEqual(self.fine("predict", "m", "wave.csv", "-j2", "-q").stdout, self.fine("predict", "m", "wave.csv").stdout)
        self.refused(2, ["--out: a value is missing"], "train", "wave.csv", "-o")

    def test_a_limit_on_files_is_a_failure_with_a_message(self):
        limited = subprocess.run([irn_program.IRN, "train", "wave.csv", "--target", "t", "--quiet", "--epochs", "1", "--out", "m"],
                                 capture_output=True, text=True, env=environment(),
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual((limited.returncode, limited.stdout), (1, ""), limited.stderr)
        self.assertRegex(limited.stderr, r"^irn: cannot write .*File too large\n$")

    def test_what_a_command_reads_is_never_written_over(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        self.fine("cv", "wave.csv", "--target", "t", *SMALL, "--epochs", 1, "--folds", 2, "--quiet", "--out", "cv")
        shutil.copy("wave.csv", "more.csv")
        os.symlink("wave.csv", "link.csv")
        os.link("more.csv", "hard.csv")
        os.symlink("m/model.safetensors", "model.st")
        pathlib.Path("c.toml").write_text("threads = 1\n")
        before = {path: path.read_bytes() for path in pathlib.Path(".").rglob("*.*") if path.is_file()}
        for command, option in (("predict", "--out"), ("importance", "--out"), ("check", "--out"), ("check", "--html")):
            for file in ("wave.csv", os.path.abspath("wave.csv"), "link.csv", "hard.csv", "m/model.safetensors", "model.st", "c.toml"):
                for more in ((), ("--overwrite",)):
                    self.refused(2, [f"{option} would write over '{file}'", "name another"],
                                 command, "m", "wave.csv", "more.csv", "--config", "c.toml", option, file, *more)
        for file in ("m/model.safetensors", "m/metrics.jsonl", "model.st"):
            self.refused(2, ["--out", f"'{file}'"], "compare", "m", "model.st", "--out", file, "--overwrite")
        with open("link.csv") as table:
            said = subprocess.run([irn_program.IRN, "predict", "m", "-", "--out", "wave.csv", "--overwrite"], stdin=table, capture_output=True,
                                  text=True, env=environment())
        self.assertEqual((said.returncode, said.stdout), (2, ""), said.stderr)
        again = ("--epochs", 1, "--overwrite", "--quiet", "--out")
        self.refused(2, ["--out", "'cv/predictions.csv'"], "cv", "cv/predictions.csv", "--target", "t", *again, "cv")
        self.refused(2, ["--out", "'m/metrics.csv'"], "train", "m/metrics.csv", "--target", "loss", *again, "m")
        self.refused(2, ["--out", "'m/model.safetensors'"], "train", "wave.csv", "--from", "m", *again, "m")
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_a_file_that_is_there_is_replaced_only_if_that_is_asked_for(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "m")
        for command in (("predict", "m", "wave.csv", "--out"), ("importance", "m", "wave.csv", "--out"), ("compare", "m", "m", "--out"),
                        ("check", "m", "wave.csv", "--closer", 0, "--out"), ("check", "m", "--html")):
            kept = pathlib.Path("kept")
            kept.write_text("precious")
            self.refused(2, ["'kept' is there already", "--overwrite", f"with {command[-1]}"], *command, "kept")
            self.assertEqual(kept.read_text(), "precious")
            self.fine(*command, "kept", "--overwrite")
            self.assertNotEqual(kept.read_text(), "precious")
        self.refused(2, ["same file"], "check", "m", "wave.csv", "--out", "new", "--html", "./new")

    def test_pages_of_many_classes_stay_small(self):
        write_csv("many.csv", ["a", "y"], range(400), [f"class {k % 80}" for k in range(400)])
        self.train("many.csv", "y", "--epochs", 1, "--out", "m")
        self.assertLess(os.path.getsize("m/report.html"), 500_000)
        self.assertIn("The most frequent confusions", pathlib.Path("m/report.html").read_text(encoding="utf-8"))

    def test_one_of_a_kind_is_said_in_the_singular(self):
        write_csv("line.csv", ["a", "t"], range(60), [k / 7 for k in range(60)])
        self.train("line.csv", "t", "--layers", 1, "--epochs", 1, "--out", "m")
        page = re.sub(r"<[^>]*>", " ", pathlib.Path("m/report.html").read_text(encoding="utf-8"))
        for said, words in ((page, "layer 1: 1 neuron, f"), (page, "1 input x:"), (self.fine("info", "m").stdout, "  1 input, 2 neurons, ")):
            self.assertIn(words, said)
            self.assertNotRegex(said, r"\b1 (neurons|inputs|parameters)\b")

    def test_a_number_that_there_is_not_is_a_dash(self):
        self.train("wave.csv", "t", "--epochs", 1, "--out", "numbers")
        self.train("flowers.csv", "kind", "--epochs", 1, "--out", "classes")
        for model, path in (("numbers", "wave.csv"), ("classes", "flowers.csv")):
            pathlib.Path("one.csv").write_text("".join(open(path).readlines()[:2]))
            said = self.fine("eval", model, "one.csv").stdout
            self.assertNotIn("nan", said)
            self.assertRegex(said, r"(?m) -$")

    def test_the_version_stands_alone(self):
        self.refused(2, ["--version", "irn doctor --json"], "--version", "--json")
        self.refused(2, ["--version"], "--json", "--version")
        self.assertRegex(self.fine("--version").stdout, r"^irn \d")

    def test_names_of_files_that_are_no_utf8(self):
        name = os.fsdecode(b"na\xefve")
        pathlib.Path("space.toml").write_text("rate = [0.01, 0.02]\n")
        quick = ("--target", "t", *SMALL, "--epochs", 1, "--json", "--out", name)
        for command in (("train",), ("cv", "--folds", 2), ("sweep", "--folds", 2, "--space", "space.toml")):
            said = subprocess.run([irn_program.IRN, *map(str, (*command, "wave.csv", *quick))], capture_output=True, env=environment())
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn("na\N{REPLACEMENT CHARACTER}ve", json.dumps(json.loads(said.stdout), ensure_ascii=False))
            shutil.rmtree(name)
        pathlib.Path(f"{name}.csv").write_bytes(pathlib.Path("wave.csv").read_bytes())
        for command in (("train",), ("cv",), ("sweep", "--space", "space.toml")):  # whose settings could not name it again
            self.refused(2, ["'na\\xEFve.csv'", "not UTF-8", "rename"], *command, f"{name}.csv", "--target", "t", "--quiet")

    def test_names_of_columns_break_no_line(self):
        pathlib.Path("dates.csv").write_text('"the\nday",t\n' + "".join(f"2024-01-{k + 1:02},{k}.5\n" for k in range(20)))
        for command in ("train", "cv"):
            said = self.fine(command, "dates.csv", "--target", "t", *SMALL, "--epochs", 1, "--out", command).stderr
            self.assertIn("'the\\nday'", said)

    def test_a_training_stopped_before_it_began_is_called_that(self):
        os.mkdir("m")
        self.refused(2, ["'m'", "before it had begun", "start it again"], "train", "--resume", "m")
        pathlib.Path("m/.irn-1-0").touch()
        self.refused(2, ["before it had begun"], "train", "--resume", "m")
        pathlib.Path("m/notes").touch()
        self.refused(2, ["not a folder of irn train"], "train", "--resume", "m")
        os.mkdir("n")
        self.train("wave.csv", "t", "--epochs", 1, "--out", "n")

    def test_settings_find_their_data_from_any_folder(self):
        self.train("wave.csv", "t", "--epochs", 3, "--out", "whole")
        whole = pathlib.Path("whole/model.safetensors").read_bytes()
        os.mkdir("elsewhere")
        write_csv("elsewhere/wave.csv", ["a", "b", "t"], [1, 2, 3], [1, 2, 3], [1.5, 2.5, 3.5])  # another table of that name
        os.mkdir("m")  # a training that was killed before its first checkpoint
        pathlib.Path("m/config.toml").write_text(pathlib.Path("whole/config.toml").read_text())
        os.chdir("elsewhere")
        self.fine("train", "--resume", "../m", "--quiet")
        self.assertEqual(pathlib.Path("../m/model.safetensors").read_bytes(), whole)
        self.fine("train", "--config", "../whole/config.toml", "--out", "repeated", "--quiet")
        self.assertEqual(pathlib.Path("repeated/model.safetensors").read_bytes(), whole)
        # What is named here is meant from here.
        said = self.fine("train", "wave.csv", "--config", "../whole/config.toml", "--validation", 0, "--out", "other")
        self.assertIn("wave.csv: 3 rows", said.stderr)
        os.chdir("..")

    def test_counts_are_whole_in_json(self):
        said = json.loads(self.train("wave.csv", "t", "--epochs", 3, "--out", "m", "--json").stdout)
        metrics = json.loads(self.fine("info", "m", "--json").stdout)["metrics"]
        for numbers in (said, metrics):
            for name in ("epochs", "best_epoch", "complete", "judged_rows", "unsettled_rows"):
                self.assertIsInstance(numbers[name], int, name)
            self.assertIsInstance(numbers["validation_loss"], float)

    def test_info_tells_means_and_categories(self):
        self.train("flowers.csv", "kind", "--epochs", 1, "--validation", 0, "--out", "m")
        info = json.loads(self.fine("info", "m", "--json").stdout)
        size = np.genfromtxt("flowers.csv", delimiter=",", names=True, dtype=None, encoding=None)["size"]
        number, text = info["input_columns"]
        self.assertEqual((number["name"], text), ("size", {"name": "colour", "categories": ["blue", "red"]}))
        self.assertAlmostEqual(number["mean"], np.mean(size))
        self.assertAlmostEqual(number["deviation"], np.std(size))
        self.assertIn("colour: one of blue, red\n", self.fine("info", "m").stdout)

    def test_eval_fits_a_terminal_however_many_classes(self):
        draw = np.random.default_rng(6)
        kind = [f"class number {k % 120} of a hundred and twenty" for k in range(1200)]
        write_csv("many.csv", ["x", "kind"], draw.normal(size=1200).round(3), kind)
        self.train("many.csv", "kind", "--epochs", 1, "--out", "m")
        text = self.fine("eval", "m", "many.csv").stdout
        self.assertLess(max(map(len, text.splitlines())), 160)
        self.assertIn("most frequent confusions of 120 classes", text)
        confusion = np.array(json.loads(self.fine("eval", "m", "many.csv", "--json").stdout)["confusion"])
        np.fill_diagonal(confusion, 0)
        self.assertEqual(int(text.split("rows\n")[1].split("\n")[0].split()[-1]), confusion.max())

    def test_the_pages_decode_knows_classes(self):
        self.train("flowers.csv", "kind", "--epochs", 5, "--out", "m")
        names = python_of_the_page(whole=True)
        metadata, tensors = names["read"]("m/model.safetensors")
        row = {"size": 0.25, "colour": "red"}
        shares = names["decode"](metadata, names["settle"](metadata, tensors, names["encode"](metadata, row)))
        write_csv("row.csv", list(row), *[[value] for value in row.values()])
        answer = self.fine("predict", "m", "row.csv", "--probabilities").stdout.splitlines()[1].split(",")
        self.assertEqual(max(shares, key=shares.get), answer[0])
        for said, share in zip(answer[1:], shares.values()):
            self.assertAlmostEqual(float(said), share, places=4)


if __name__ == "__main__":
    irn_program.main()
