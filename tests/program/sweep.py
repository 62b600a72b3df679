"""irn sweep from the outside: what it tries, what it keeps, and that it goes on where it was killed.

usage: sweep.py IRN_PROGRAM [unittest's options]
"""

import csv
import io
import json
import os
import pathlib
import pty
import signal
import subprocess
import time
import xml.etree.ElementTree

import numpy as np

import irn_program
from irn_program import SMALL, ProgramTest, environment

QUICK = [*SMALL, "--epochs", "4", "--folds", "2"]


def table(path):
    return list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text())))


class Sweep(ProgramTest):
    def space(self, text):
        pathlib.Path("space.toml").write_text(text)

    def sweep(self, path, target, *more):
        return json.loads(self.fine("sweep", path, "--target", target, "--space", "space.toml", *QUICK, "--json", "--out", "s", *more).stdout)

    def test_a_grid_has_every_combination_and_keeps_the_best(self):
        self.space('rate = [0.001, 0.03]\nlayers = ["4", "8", "8-4"]\nclip = 0.5\n')
        found = self.sweep("wave.csv", "t")
        tried = {(trial["options"]["rate"], trial["options"]["layers"]) for trial in found["trials"]}
        self.assertEqual(tried, {(rate, layers) for rate in ("0.001", "0.03") for layers in ("4", "8", "8-4")})
        self.assertEqual((found["metric"], {trial["options"]["clip"] for trial in found["trials"]}), ("R2", {"0.5"}))
        best = max(found["trials"], key=lambda trial: trial["metrics"]["R2"])
        self.assertEqual(found["best"], best["trial"])
        rows = table("s/trials.csv")
        self.assertEqual(len(rows), 6)
        for row, trial in zip(rows, found["trials"]):
            self.assertAlmostEqual(float(row["R2"]), np.mean([fold["metrics"]["R2"] for fold in trial["folds"]]))
            self.assertEqual((row["rate"], row["layers"]), (trial["options"]["rate"], trial["options"]["layers"]))

        # The best model is what irn train makes of the best options.
        self.assertEqual(found["model"], "s/best/model.safetensors")
        options = best["options"]
        self.train("wave.csv", "t", "--epochs", 4, "--rate", options["rate"], "--layers", options["layers"], "--clip", 0.5, "--out", "m")
        self.assertEqual(pathlib.Path("m/model.safetensors").read_bytes(), pathlib.Path(found["model"]).read_bytes())
        page = pathlib.Path("s/report.html").read_text()
        xml.etree.ElementTree.fromstring(page[page.index("<html"):])
        for words in ("Every trial as a line", "rate", "best/report.html", "Loss of the best trial"):
            self.assertIn(words, page)
        kept = pathlib.Path("s/trials.csv").read_text()
        text = self.fine("sweep", "wave.csv", "--target", "t", "--space", "space.toml", *QUICK, "--out", "s")
        self.assertEqual(pathlib.Path("s/trials.csv").read_text(), kept)
        self.assertTrue(text.stdout.endswith("s/best/model.safetensors\n"))
        self.assertIn("12 trainings are there", text.stderr)

    def test_a_trial_is_what_cross_validation_says_of_it(self):
        self.space("rate = [0.002, 0.02]\n")
        found = self.sweep("flowers.csv", "kind", "--seed", 3)
        self.assertEqual(found["metric"], "log_loss")
        for trial in found["trials"]:
            cv = json.loads(self.fine("cv", "flowers.csv", "--target", "kind", *QUICK, "--seed", 3, "--rate", trial["options"]["rate"],
                                      "--json", "--overwrite", "--out", "cv").stdout)
            for name, value in trial["metrics"].items():
                self.assertAlmostEqual(value, cv["metrics"][name]["mean"], places=12, msg=name)

    def test_random_trials_fill_their_ranges(self):
        self.space('rate = { low = 1e-4, high = 1e-1, log = true }\nlayers = { low = 2, high = 9, whole = true }\nactivation = ["tanh", "sigmoid"]\n')
        found = self.sweep("wave.csv", "t", "--trials", 40, "--epochs", 1)
        options = [trial["options"] for trial in found["trials"]]
        rates = np.log10([float(o["rate"]) for o in options])
        self.assertEqual(len(options), 40)
        self.assertTrue(rates.min() >= -4 and rates.max() <= -1)
        for low in (-4, -3, -2):  # log-uniform: a third in each decade
            self.assertTrue(5 <= np.sum((rates >= low) & (rates < low + 1)) <= 22, rates)
        self.assertEqual({o["layers"] for o in options} - set("23456789"), set())
        self.assertGreater(len({o["layers"] for o in options}), 5)
        self.assertEqual({o["activation"] for o in options}, {"tanh", "sigmoid"})
        again = self.sweep("wave.csv", "t", "--trials", 40, "--epochs", 1, "--threads", 1)
        self.assertEqual([t["options"] for t in again["trials"]], options)

    def test_whole_numbers_stay_within_their_range(self):
        self.space("batch = { low = 15.5, high = 18.5, whole = true }\n")
        found = self.sweep("wave.csv", "t", "--trials", 20, "--epochs", 1)
        self.assertEqual({trial["options"]["batch"] for trial in found["trials"]}, {"16", "17", "18"})

    def test_no_combination_is_tried_twice(self):
        def tried(text, *more):
            self.space(text)
            said = self.fine("sweep", "wave.csv", "--target", "t", "--space", "space.toml", *QUICK, "--json", "--out", f"s{len(os.listdir())}", *more)
            first = [trial["options"] for trial in json.loads(said.stdout)["trials"] if trial["rung"] == 1]
            self.assertEqual(len({tuple(options.items()) for options in first}), len(first), first)
            return len(first), said.stderr

        few = 'layers = ["4", "8"]\nepochs = 3\n'
        for method in ("random", "halving"):
            count, said = tried(few, "--method", method, "--trials", 6)
            self.assertEqual(count, 2)
            self.assertEqual(said, "irn: --trials 6: there are only 2 different combinations in space.toml; each is tried once\n")
        eight = 'layers = ["3", "4", "5", "6"]\nactivation = ["tanh", "sigmoid"]\nepochs = 1\n'
        self.assertEqual(tried(eight, "--method", "random", "--trials", 7), (7, ""))
        count, said = tried("rate = { low = 0.01, high = 0.01003 }\nepochs = 1\n", "--trials", 9)  # to four digits
        self.assertEqual(count, 4)
        self.assertIn("only 4 different", said)
        self.assertEqual(tried('layers = ["4", "4", "8"]\nrate = [0.01, 1e-2]\nepochs = 1\n'), (2, ""))

    def test_no_two_columns_have_one_name(self):
        self.space("epochs = [2, 3]\n")
        self.sweep("wave.csv", "t")
        header = pathlib.Path("s/trials.csv").read_text().splitlines()[0].split(",")
        self.assertEqual(len(set(header)), len(header), header)
        for row in table("s/trials.csv"):
            self.assertEqual(row["rung_epochs"], row["epochs"])

    def test_halving_gives_more_epochs_to_the_better(self):
        self.space("rate = { low = 1e-4, high = 1e-1, log = true }\n")
        found = self.sweep("wave.csv", "t", "--method", "halving", "--trials", 9, "--epochs", 9)
        by_epochs = {}
        for trial in found["trials"]:
            by_epochs.setdefault(trial["rung_epochs"], []).append(trial)
        self.assertEqual({epochs: len(trials) for epochs, trials in by_epochs.items()}, {1: 9, 3: 3, 9: 1})
        for fewer, more in ((1, 3), (3, 9)):
            order = sorted(by_epochs[fewer], key=lambda trial: -trial["metrics"]["R2"])
            self.assertEqual({t["trial"] for t in by_epochs[more]}, {t["trial"] for t in order[:len(by_epochs[more])]})
        self.assertEqual(found["best"], by_epochs[9][0]["trial"])
        self.assertIn("epochs = 9\n", pathlib.Path("s/best/config.toml").read_text())

    def test_killed_it_goes_on_and_ends_the_same(self):
        self.space("rate = { low = 1e-3, high = 1e-1, log = true }\nlayers = [8, 16]\n")
        common = ["sweep", "wave.csv", "--target", "t", "--space", "space.toml", *SMALL, "--folds", "3", "--epochs", "60", "--trials", "8"]
        begun = time.monotonic()
        self.fine(*common, "--quiet", "--out", "whole")
        took = time.monotonic() - begun  # kills come within it on any machine
        kills = 0
        while kills < 30:
            process = subprocess.Popen([irn_program.IRN, *common, "--quiet", "--out", "killed"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=environment())
            try:
                process.wait(took * (0.15 + 0.1 * kills))
                self.assertEqual(process.returncode, 0, process.stderr.read())
                process.stderr.close()
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                process.stderr.close()
                kills += 1
        self.assertGreater(kills, 0, "it was never killed: the test shows nothing")
        self.assertEqual(list(pathlib.Path("killed").rglob(".irn-*")), [], "half-written files are cleared away")
        for name in ("best/model.safetensors",):
            self.assertEqual(pathlib.Path("whole", name).read_bytes(), pathlib.Path("killed", name).read_bytes())
        for a, b in zip(table("whole/trials.csv"), table("killed/trials.csv")):
            a.pop("seconds"), b.pop("seconds")
            self.assertEqual(a, b)

    def test_a_damaged_result_is_refused(self):
        self.space("rate = [0.001, 0.01]\n")
        self.sweep("wave.csv", "t")
        file = sorted(pathlib.Path("s/results").iterdir())[0]
        whole = json.loads(file.read_text())
        for damage in ({}, {**whole["result"], "metrics": []}, {**whole["result"], "metrics": {"R2": "good"}}, {**whole["result"], "settled": None}):
            file.write_text(json.dumps({**whole, "result": damage}))
            self.refused(2, [str(file), "is damaged; remove it"], "sweep", "wave.csv", "--target", "t", "--space", "space.toml", *QUICK, "--quiet", "--out", "s")
        file.unlink()
        left = file.parent / ".irn-1-0"  # by a kill within the write
        left.write_text("{")
        self.sweep("wave.csv", "t")
        self.assertTrue(file.exists() and not left.exists())

    def test_trials_that_diverged_are_called_that(self):
        self.space('solver = ["fixed-point:steps=1", "auto"]\n')
        said = self.fine("sweep", "wave.csv", "--target", "t", "--space", "space.toml", *QUICK, "--certify", 0, "--out", "s")
        for text in (said.stdout, said.stderr):
            self.assertRegex(text, r"solver fixed-point:steps=1; 2 of 2 diverged")
            self.assertNotRegex(text, r"solver auto;")

    def test_killed_before_it_had_begun_it_begins(self):
        self.space("rate = [0.001, 0.01]\n")
        pathlib.Path("s").mkdir()
        pathlib.Path("s/.irn-1-0").write_text("{")  # as a kill within the first write leaves it
        self.assertEqual(len(self.sweep("wave.csv", "t")["trials"]), 2)
        self.assertFalse(pathlib.Path("s/.irn-1-0").exists())
        pathlib.Path("other").mkdir()
        pathlib.Path("other/mine.txt").write_text("mine")
        self.refused(2, ["holds something else"], "sweep", "wave.csv", "--target", "t", "--space", "space.toml", *QUICK, "--quiet", "--out", "other")

    def test_interrupted_it_says_how_to_go_on(self):
        self.space("rate = [0.001, 0.01]\n")
        process = subprocess.Popen([irn_program.IRN, "sweep", "wave.csv", "--target", "t", "--space", "space.toml", "--epochs", "100000", "--out", "s"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("The same command goes on", err)

    def test_a_live_table_on_a_terminal(self):
        self.space("rate = [0.001, 0.01, 0.1]\n")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([irn_program.IRN, "sweep", "wave.csv", "--target", "t", "--space", "space.toml", *QUICK, "--out", "s"],
                                   stdout=subprocess.DEVNULL, stderr=theirs, env=environment())
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:
            pass
        os.close(ours)
        self.assertEqual(process.wait(), 0, shown)
        text = shown.decode()
        self.assertIn("6/6 trainings", text)
        self.assertRegex(text, r" 1\. trial \d: R2 0\.\d+  rate 0\.")

    def test_what_makes_no_sense(self):
        sweep = ("sweep", "wave.csv", "--target", "t", "--out", "s")
        self.refused(2, ["--space"], *sweep)
        self.refused(2, ["--space", "nowhere.toml"], *sweep, "--space", "nowhere.toml")
        for text, words in (("rate = = 3", ["space.toml", "line 1"]), ("rte = [1, 2]", ["line 1", "rte", "rate"]), ("foo = [1]", ["line 1", "unknown", "foo", "irn train --help"]),
                            ("threads = [1, 2]", ["threads", "option"]), ("rate = []", ["rate", "nothing"]),
                            ("rate = 0.1", ["nothing varies"]), ("rate = { low = 1, high = 0.1 }", ["low"]),
                            ("rate = { low = 0, high = 0.1, log = true }", ["log-uniform"]), ("rate = { low = 0.1 }", ["high"]),
                            ("rate = { low = 0.1, hi = 2 }", ["hi"]),
                            ('rate = { low = 0.1, high = 2, log = "yes" }', ["line 1", "log is true or false"]),
                            ('batch = { low = 8, high = 64, whole = "true" }', ["whole is true or false"]),
                            ('rate = { low = 0.1, high = 2, steps = "5" }', ["steps", "whole number"]),
                            ("rate = { low = 0.1, high = 2, steps = 1000000000 }", ["steps", "10000"]),
                            ("batch = { low = 8.2, high = 9.8, whole = true }", ["batch", "no two whole numbers"]),
                            ("batch = { low = 8, high = 1e300, whole = true }", ["batch", "2^53"]), ("rate = [0.1, -1]", ["trial 2", "--rate"]),
                            ('layers = ["8", "3x"]', ["trial 2", "3x"]), ('target = ["a", "t"]', ["target", "option"])):
            self.space(text)
            self.refused(2, words, *sweep, "--space", "space.toml")
        self.space("rate = { low = 0.001, high = 0.1 }\n")
        self.refused(2, ["steps"], *sweep, "--space", "space.toml", "--method", "grid")
        self.refused(2, ["halving"], *sweep, "--space", "space.toml", "--method", "halvin")
        self.assertFalse(os.path.exists("s"))
        self.space("rate = [0.001, 0.01]\n")
        self.sweep("wave.csv", "t")
        with_space = (*sweep, "--space", "space.toml", *QUICK)
        kept = {path: path.read_bytes() for path in pathlib.Path("s").rglob("*.*") if path.is_file()}
        for more, words in ((("--batch", 8, "--clip", 0.5), "other settings: batch was 16, now 8; clip was 1, now 0.5; take another"),
                            (("--folds", 3), "settings: folds was 2, now 3; take"), (("--order", "a"), "order was '', now 'a'; take")):
            self.refused(2, ["'s'", "--out", words], *with_space, *more)
        self.space("rate = [0.001, 0.02]\n")
        self.refused(2, ["'s'", "settings: rate was [0.001, 0.01], now [0.001, 0.02]; take", "--out"], *with_space)
        self.space("rate = [0.001, 0.01, 0.1]\n")
        self.refused(2, ["trials was 2, now 3"], *with_space)
        self.space("rate = [0.001, 0.01]\n")
        irn_program.wave("wave.csv", 190)
        self.refused(2, ["'s'", "the data has changed", "--out"], *with_space)
        self.assertEqual({path: path.read_bytes() for path in kept}, kept)


if __name__ == "__main__":
    irn_program.main()
