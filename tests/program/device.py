"""--device: what cannot be used is refused in one line, before anything is read or written.

usage: device.py IRN_PROGRAM [unittest's options]
"""

import json
import os
import unittest

import irn_program
from irn_program import ProgramTest, run

ROWS = "".join(f"{i % 7},{i % 5},{(i * i) % 3}\n" for i in range(60))


class Devices(ProgramTest):
    def setUp(self):
        super().setUp()
        with open("rows.csv", "w", encoding="utf-8") as file:
            file.write("a,b,y\n" + ROWS)

    def refused(self, *arguments, **more):
        result = run(*arguments, **more)
        self.assertEqual(result.returncode, 2, result.stderr + result.stdout)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def test_a_word_that_is_no_device(self):
        for word in ("gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:1", ""):
            said = self.refused("train", "rows.csv", "--target", "y", "--device", word, "--out", "model")
            self.assertIn("--device", said)
            self.assertIn("is no device; take cpu, cuda", said)
        self.assertFalse(os.path.exists("model"))

    def test_a_build_without_the_part_says_so(self):
        without = {"IRN_CUDA_MODULE": "nowhere.so"}
        said = self.refused("train", "rows.csv", "--target", "y", "--device", "cuda", "--out", "model", **without)
        self.assertIn("cannot be used: this build of irn has no part for CUDA", said)
        self.assertFalse(os.path.exists("model"))

    def test_a_file_that_is_not_the_part(self):
        with open("part.so", "w", encoding="utf-8") as file:
            file.write("no library")
        said = self.refused("bench", "--device", "cuda", IRN_CUDA_MODULE=os.path.abspath("part.so"))
        self.assertIn("cannot be loaded", said)

    def test_a_device_that_is_not_there(self):
        self.fine("train", "rows.csv", "--target", "y", "--epochs", "2", "--out", "model", "--quiet")
        for command in ("predict", "eval", "check", "importance"):
            said = self.refused(command, "model", "rows.csv", "--device", "cuda:97")
            self.assertTrue("cuda:97" in said, said)
        for command in ("train", "cv", "sweep"):  # before the table is looked for
            said = self.refused(command, "no-such.csv", "--target", "y", "--device", "cuda:97", *self.space_of(command))
            self.assertRegex(said, "^irn: --device: .*cuda:97")

    def space_of(self, command, space="rate = [0.01, 0.02]\n"):
        with open("space.toml", "w", encoding="utf-8") as file:
            file.write(space)
        return ["--space", "space.toml"] if command == "sweep" else []

    def test_trials_may_have_devices_of_their_own(self):
        sweep = ["sweep", "rows.csv", "--target", "y", "--epochs", "1", "--folds", "2", "--quiet", "--device", "cuda:97"]
        self.fine(*sweep, *self.space_of("sweep", 'device = "cpu"\nrate = [0.01, 0.02]\n'), "--out", "swept")
        said = self.refused(*sweep, *self.space_of("sweep", 'device = ["cpu", "cuda:98"]\n'), "--out", "other")
        self.assertRegex(said, "trial 2: --device: .*cuda:98")
        self.assertFalse(os.path.exists("other"))

    def computes_or_says_why_not(self, rows):
        found = {f["name"]: f for f in json.loads(self.fine("doctor", "--json").stdout)["findings"]}
        if not found["cuda"]["facts"]["usable"]:
            self.assertIn(found["cuda"]["text"], self.refused("predict", "model", rows, "--device", "cuda"))
        else:
            here = self.fine("predict", "model", rows).stdout
            self.assertEqual(self.fine("predict", "model", rows, "--device", "cuda").stdout.count("\n"), here.count("\n"))

    def test_cuda_computes_or_says_why_not(self):
        self.fine("train", "rows.csv", "--target", "y", "--epochs", "2", "--out", "model", "--quiet")
        self.computes_or_says_why_not("rows.csv")

    def test_convolutions_are_computed_there_too(self):
        with open("images.csv", "w", encoding="utf-8") as file:
            file.write(",".join(f"p{k}" for k in range(144)) + ",y\n")
            for i in range(40):
                file.write(",".join(str(i * k % 7) for k in range(144)) + f",{i % 2}\n")
        self.fine("train", "images.csv", "--target", "y", "--images", "12x12", "--convolutions", "4k3,8k3s2",
                  "--recurrence", "lateral=conv1", "--epochs", "1", "--out", "model", "--quiet")  # 866 neurons
        self.computes_or_says_why_not("images.csv")

    @unittest.skipUnless(irn_program.ON_HOST, "needs the host's stand-in for a device")
    def test_what_the_device_lacks_is_refused_before_anything_is_written(self):
        self.space_of("sweep")
        before = sorted(os.listdir())
        for command in ("train", "cv", "sweep"):
            for option in (["--dropout", "0.2"], ["--normalise"]):
                said = self.refused(command, "no-such.csv", "--target", "y", "--device", "cuda", *option, *self.space_of(command),
                                    IRN_CUDA_MODULE=irn_program.ON_HOST)
                self.assertIn(f"irn: {option[0][2:]}: device cuda does not have it; take device cpu", said)
        self.assertEqual(sorted(os.listdir()), before)

    def opened_part(self, *arguments):
        """Whether the loader was asked for the part for CUDA."""
        with open("part.so", "w", encoding="utf-8") as file:
            file.write("no library")
        result = self.fine(*arguments, LD_DEBUG="files", IRN_CUDA_MODULE=os.path.abspath("part.so"))
        self.assertIn("libc.so", result.stderr, "the loader tells what it opens")
        return "part.so" in result.stderr

    def test_the_part_is_opened_only_for_those_who_ask_for_it(self):
        self.fine("train", "rows.csv", "--target", "y", "--epochs", "2", "--out", "model", "--quiet")
        for arguments in (["--version"], ["doctor"]):
            self.assertTrue(self.opened_part(*arguments), arguments)
        for arguments in (["--help"], ["train", "--help"], ["info", "model"], ["completion", "bash"], ["man"],
                          ["predict", "model", "rows.csv"], ["eval", "model", "rows.csv"], ["check", "model", "rows.csv"],
                          ["train", "rows.csv", "--target", "y", "--epochs", "1", "--out", "other"]):
            self.assertFalse(self.opened_part(*arguments), arguments)

    def test_the_processor_is_a_device(self):
        self.fine("train", "rows.csv", "--target", "y", "--epochs", "2", "--out", "model", "--quiet", "--device", "cpu")


if __name__ == "__main__":
    irn_program.main()
