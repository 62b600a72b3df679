"""irn train stopped at random moments and resumed: it ends with the bits of a run that was never stopped.

usage: resume.py IRN_PROGRAM [unittest's options]
"""

import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import irn_program
from irn_program import ProgramTest, environment, python_of_the_page, wave

SEED = int(os.environ.get("RESUME_SEED", time.time_ns() % 1_000_000))  # printed, so that a failure can be repeated
# About a second of training on a busy core, with a checkpoint wherever it stops.
LONG = ["train", "wave.csv", "--target", "t", "--layers", "12", "--activation", "tanh", "--batch", "8", "--validation",
        "0.2", "--patience", "0", "--noise", "0.1", "--checkpoint-seconds", "0.02", "--quiet"]


def start(*arguments):
    return subprocess.Popen([irn_program.IRN, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=environment())


def model(folder):
    return pathlib.Path(folder, "model.safetensors").read_bytes()


class Resume(ProgramTest):
    def setUp(self):
        super().setUp()
        wave("wave.csv", 400)
        self.random = random.Random(SEED)

    def whole(self, *more):
        began = time.monotonic()
        self.fine(*LONG, *more, "--out", "whole")
        return time.monotonic() - began

    def stop_until_done(self, number, seconds, *more):
        """Begins, and stops with the signal at random moments until a run gets to its end; how often it was stopped."""
        arguments, stops = [*LONG, *more, "--out", "broken"], 0
        while True:
            process = start(*arguments, "--threads", self.random.randint(1, 3))
            try:
                process.wait(self.random.uniform(0.02, seconds / 2) if stops < 8 else 100)
            except subprocess.TimeoutExpired:
                process.send_signal(number)
            out, err = process.communicate(timeout=100)
            if process.returncode == 0 or "is done: there is nothing to resume" in err:  # killed after its last file
                return stops
            stops += 1
            if number == signal.SIGKILL:
                self.assertEqual(process.returncode, -number, err)
            elif process.returncode != -number:  # else the system was still loading the program
                self.assertEqual((process.returncode, out), (130, ""), err)
                self.assertTrue(err == "irn: interrupted\n" or err.endswith("to go on: irn train --resume broken\n"), err)
            if os.path.exists("broken/config.toml"):
                arguments = ["train", "--resume", "broken", "--quiet"]

    def ends_with_the_same_bits(self, number, *more):
        seconds, stops, rounds = self.whole(*more), 0, 0
        while stops < 4 and rounds < 5:
            shutil.rmtree("broken", ignore_errors=True)
            stops += self.stop_until_done(number, seconds, *more)
            rounds += 1
            self.assertEqual(model("broken"), model("whole"), f"seed {SEED}, {more}")
            metrics = [pathlib.Path(folder, "metrics.csv").read_text().split("\n") for folder in ("broken", "whole")]
            self.assertEqual(*([line.rpartition(",")[0] for line in lines] for lines in metrics))  # but for the seconds
            self.assertEqual({name for name in os.listdir("broken")} ^ {name for name in os.listdir("whole")}, set())
        self.assertGreater(stops, 0, "no signal hit a run: the test shows nothing")

    def test_killed_in_float(self):
        self.ends_with_the_same_bits(signal.SIGKILL, "--epochs", "60")

    def test_killed_in_double_with_momentum(self):
        self.ends_with_the_same_bits(signal.SIGKILL, "--epochs", "40", "--precision", "double", "--optimiser", "sgd",
                                     "--rate", "0.02")

    def test_killed_with_images_that_change_and_weights_averaged(self):
        self.ends_with_the_same_bits(signal.SIGKILL, "--epochs", "40", "--images", "1x2", "--augment",
                                     "shift=0.5,elastic=0.3,flip=true", "--average", "0.95")

    def test_killed_with_dropout_and_normalised_weights(self):
        self.ends_with_the_same_bits(signal.SIGKILL, "--epochs", "40", "--dropout", "0.2", "--normalise")

    def test_killed_with_a_checkpoint_after_every_step(self):
        self.ends_with_the_same_bits(signal.SIGKILL, "--epochs", "4", "--checkpoint-seconds", "0")

    def test_interrupted(self):
        self.ends_with_the_same_bits(signal.SIGINT, "--epochs", "60")

    def test_terminated(self):
        self.ends_with_the_same_bits(signal.SIGTERM, "--epochs", "60", "--precision", "double")


class TwoSignals(ProgramTest):
    def setUp(self):
        super().setUp()
        wave("wave.csv", 400)
        self.process = start(*LONG, "--epochs", "2000", "--out", "m", "--checkpoint-seconds", "0")
        while not os.path.exists("m/checkpoint.safetensors"):
            self.assertIsNone(self.process.poll(), "it ended before its first checkpoint")
            time.sleep(0.01)

    def test_in_a_row_are_one_request(self):
        """As `timeout` sends them: to the program, and to its group."""
        os.kill(self.process.pid, signal.SIGINT)
        time.sleep(0.001)
        os.kill(self.process.pid, signal.SIGINT)
        _, err = self.process.communicate(timeout=100)
        self.assertEqual(self.process.returncode, 130, err)
        self.assertTrue(err.endswith("to go on: irn train --resume m\n"), err)


class AnotherRunEndedMeanwhile(ProgramTest):
    """Two runs in one folder: the second still reads its data, from a pipe, when the first is done."""

    def setUp(self):
        super().setUp()
        wave("wave.csv", 10000)
        self.text = pathlib.Path("wave.csv").read_text()
        self.assertGreater(len(self.text), 1.5 * 2**16, "more than a pipe holds")

    def reading(self, *arguments):
        """A run that has begun to read: it has taken in what the pipe cannot hold."""
        process = subprocess.Popen([irn_program.IRN, *map(str, arguments), "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment())
        process.stdin.write(self.text[:-20])
        process.stdin.flush()
        return process

    def leaves_the_model(self, process, *words):
        before = model("m")
        out, err = process.communicate(self.text[-20:], timeout=100)
        self.assertEqual((process.returncode, out, err.count("\n")), (2, "", 1), err)
        for word in words:
            self.assertIn(word, err)
        self.assertEqual(model("m"), before)

    def test_a_training_made_meanwhile_is_not_replaced(self):
        train = ("train", "-", "--target", "t", "--layers", "4", "--epochs", "1", "--out", "m")
        late = self.reading(*train, "--seed", "2")
        self.fine(*train, "--quiet", input=self.text)
        self.leaves_the_model(late, "finished training", "--overwrite")
        replacing = self.reading(*train, "--seed", "2", "--overwrite")
        before = model("m")
        self.assertEqual(replacing.communicate(self.text[-20:], timeout=100), ("m/model.safetensors\n", ""))
        self.assertNotEqual(model("m"), before)

    def test_a_training_that_was_finished_meanwhile_is_not_begun_anew(self):
        process = self.reading(*["-" if word == "wave.csv" else word for word in LONG if word != "--quiet"], "--epochs", "10", "--out", "m")
        process.stdin.write(self.text[-20:])
        process.stdin.close()
        while not os.path.exists("m/checkpoint.safetensors"):
            self.assertIsNone(process.poll(), "it ended before its first checkpoint")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=100), 130)
        late = self.reading("train", "--resume", "m")
        self.fine("train", "--resume", "m", "--quiet", input=self.text)
        self.leaves_the_model(late, "is done: there is nothing to resume")


class WhatIsNotResumed(ProgramTest):
    """A training stopped after a while, and then something is not as it was."""

    def setUp(self):
        super().setUp()
        wave("wave.csv", 400)
        process = start(*LONG, "--epochs", "2000", "--out", "m", "--checkpoint-seconds", "0")
        while not os.path.exists("m/checkpoint.safetensors"):
            self.assertIsNone(process.poll(), "it ended before its first checkpoint")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130)

    def refused_and_unharmed(self, code, words, *arguments):
        before = pathlib.Path("m/checkpoint.safetensors").read_bytes()
        self.refused(code, words, *arguments)
        self.assertEqual(pathlib.Path("m/checkpoint.safetensors").read_bytes(), before)

    def test_other_settings(self):
        self.refused_and_unharmed(2, ["--epochs", "--resume"], "train", "--resume", "m", "--epochs", "3")
        self.refused_and_unharmed(2, ["--loss", "--resume"], "train", "--resume", "m", "--loss", "huber")
        pathlib.Path("c.toml").write_text("epochs = 3\n")
        self.refused_and_unharmed(2, ["--config", "--resume"], "train", "--resume", "m", "--config", "c.toml")
        text = pathlib.Path("m/config.toml").read_text()
        pathlib.Path("m/config.toml").write_text(text.replace("batch = 8", "batch = 9"))
        self.refused_and_unharmed(2, ["m/config.toml", "changed"], "train", "--resume", "m", "--quiet")
        pathlib.Path("m/config.toml").write_text(text.replace('"squared"', '"huber"').replace("'squared'", "'huber'"))
        self.refused_and_unharmed(2, ["m/config.toml", "changed"], "train", "--resume", "m", "--quiet")

    def test_a_training_of_a_time_without_losses_and_weights_goes_on(self):
        page = python_of_the_page()
        metadata, tensors = page["read"]("m/checkpoint.safetensors")
        lines = metadata["configuration"].split("\n")
        metadata["configuration"] = "\n".join(line for line in lines if not line.startswith("loss = "))
        self.assertLess(len(metadata["configuration"].split("\n")), len(lines))
        fit = json.loads(metadata["fit"])
        del fit["sums"]["weight"], fit["sums"]["counted_weight"]
        metadata["fit"] = json.dumps(fit)
        page["write"]("m/checkpoint.safetensors", metadata, tensors)
        pathlib.Path("m/config.toml").write_text(metadata["configuration"])
        before = pathlib.Path("m/checkpoint.safetensors").read_bytes()
        process = start("train", "--resume", "m")
        while pathlib.Path("m/checkpoint.safetensors").read_bytes() == before:
            self.assertIsNone(process.poll(), "it did not go on")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertIn("going on after", process.communicate(timeout=100)[1])
        self.assertEqual(process.returncode, 130)

    def test_other_data(self):
        text = pathlib.Path("wave.csv").read_text()
        first, second, *rest = text.split("\n")
        for changed in ("\n".join([first, *rest]),                          # a row less
                        "\n".join([first, rest[0], second, *rest[1:]]),     # two rows change places
                        text.replace("a,b,t", "a,c,t")):                    # another name
            pathlib.Path("wave.csv").write_text(changed)
            self.refused_and_unharmed(3, ["wave.csv", "changed"], "train", "--resume", "m", "--quiet")
        os.remove("wave.csv")
        self.refused_and_unharmed(3, ["wave.csv"], "train", "--resume", "m", "--quiet")

    def test_a_damaged_checkpoint(self):
        whole = pathlib.Path("m/checkpoint.safetensors").read_bytes()
        for damaged in (whole[:-5], whole[:100], b"", whole[:-9] + bytes([whole[-9] ^ 16]) + whole[-8:]):
            pathlib.Path("m/checkpoint.safetensors").write_bytes(damaged)
            self.refused_and_unharmed(3, ["m/checkpoint.safetensors"], "train", "--resume", "m", "--quiet")

    def test_an_unfinished_training_is_not_replaced_unasked(self):
        self.refused_and_unharmed(2, ["irn train --resume m", "--overwrite"], "train", "wave.csv", "--target", "t", "--out",
                                  "m")

    def test_two_at_once(self):
        folder = os.open("m", os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(folder, fcntl.LOCK_EX)  # as a training under way does
        self.refused_and_unharmed(2, ["another irn train is at work"], "train", "--resume", "m", "--quiet")
        self.refused_and_unharmed(2, ["another irn train is at work"], "train", "wave.csv", "--target", "t", "--out", "m",
                                  "--overwrite", "--quiet")
        os.close(folder)

    def test_the_best_weights_so_far_are_a_model(self):
        while not os.path.exists("m/model.safetensors"):  # there are none before the first epoch ends
            process = start("train", "--resume", "m", "--quiet")
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=100)
        self.assertIn("not complete", self.fine("info", "m").stdout)
        self.assertIn("irn: the model is of a training that is not finished", self.fine("eval", "m", "wave.csv").stderr)


if __name__ == "__main__":
    print("random moments from seed", SEED)
    irn_program.main()
