"""irn doctor: a healthy machine, and what it says where something is wrong.

usage: doctor.py IRN_PROGRAM [unittest's options]
"""

import json
import os
import re
import shutil
import subprocess
import unittest

import irn_program
from irn_program import ProgramTest, environment, run


class Doctor(ProgramTest):
    def findings(self, *arguments, code=0, **more):
        result = run("doctor", "--json", *arguments, **more)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        told = json.loads(result.stdout)
        self.assertEqual(told["ok"], code == 0)
        return {found["name"]: found for found in told["findings"]}

    def test_all_is_well_here(self):
        before = sorted(os.listdir())
        found = self.findings()
        self.assertEqual({name: f["health"] for name, f in found.items() if f["health"] == "failed"}, {})
        for test in ("settling", "honesty", "training", "threads"):
            self.assertTrue(found[test]["facts"]["passed"], found[test])
        self.assertIn(found["instructions"]["facts"]["in_use"], found["instructions"]["facts"]["compiled"])
        self.assertEqual(found["cores"]["facts"]["threads"], len(os.sched_getaffinity(0)))
        self.assertGreater(found["memory"]["facts"]["bytes"], found["memory"]["facts"]["free_bytes"])
        self.assertTrue(found["cpu"]["facts"]["usable"])
        self.assertTrue(found["cuda"]["facts"]["usable"] or "no " in found["cuda"]["text"], "it says why")
        self.assertEqual(sorted(os.listdir()), before, "it leaves nothing behind")

    def test_the_text_has_a_line_for_each(self):
        text = self.fine("doctor").stdout.splitlines()
        names = [re.match(r"(ok|warning) +(on )?[a-z:\d]+ +\S", line) and line[9:22].rstrip() for line in text[:-1] if "->" not in line]
        self.assertEqual(names, list(self.findings()))
        self.assertRegex(text[-1], r"(all is well|works; \d+ to look at), in [\d.e-]+ s")

    def test_a_folder_that_takes_no_files_is_a_failure(self):
        found = self.findings("--out", "nowhere", code=1)["folder"]
        self.assertEqual((found["health"], found["facts"]["writable"]), ("failed", False))
        self.assertIn("--out", found["advice"])
        self.assertIn("1 failed", run("doctor", "--out", "nowhere").stdout)
        self.assertEqual(self.findings("--out", ".")["folder"]["health"], "ok")

    def test_too_many_threads_are_a_warning(self):
        for found in (self.findings("-j", 300)["cores"], self.findings(IRN_THREADS="300")["cores"]):
            self.assertEqual((found["health"], found["facts"]["threads"]), ("warning", 300))
            self.assertIn("--threads", found["advice"])

    def test_version_has_the_facts_of_the_build(self):
        version, build = self.fine("--version").stdout.splitlines()
        facts = self.findings()["version"]["facts"]
        self.assertEqual(version, f"irn {facts['irn']}")
        for fact in (facts["compiler"], facts["processor"], "OpenBLAS", "cpu"):
            self.assertIn(fact, build)

    def test_version_tells_a_build_without_cuda_from_a_machine_without_a_device(self):
        without = self.fine("--version", IRN_CUDA_MODULE="nowhere.so").stdout
        self.assertIn("; CUDA not built in; devices: cpu\n", without)
        self.assertIs(self.findings(IRN_CUDA_MODULE="nowhere.so")["parts"]["facts"]["cuda"], False)

    @unittest.skipUnless(irn_program.ON_HOST, "needs the host's stand-in for a device")
    def test_a_device_is_tested_too(self):
        self.assertIn("; CUDA built in; devices: cpu, cuda\n", self.fine("--version", IRN_CUDA_MODULE=irn_program.ON_HOST).stdout)
        found = self.findings(IRN_CUDA_MODULE=irn_program.ON_HOST)
        self.assertIs(found["parts"]["facts"]["cuda"], True)
        self.assertTrue(found["on cuda"]["facts"]["passed"], found["on cuda"])
        self.assertNotIn("on cuda", self.findings(IRN_CUDA_MODULE="nowhere.so"))

    @unittest.skipUnless(irn_program.ON_HOST, "needs the host's stand-in for a device")
    def test_a_device_that_cannot_be_tested_is_not_called_wrong(self):
        found = self.findings(code=1, IRN_CUDA_MODULE=irn_program.ON_HOST, CUDA_ON_HOST_BYTES="1000")["on cuda"]
        self.assertEqual((found["health"], found["facts"]), ("failed", {"ran": False, "passed": False}))
        self.assertRegex(found["text"], "^could not run its self-test: .*memory")
        self.assertNotIn("wrong", found["advice"])

    @unittest.skipUnless(shutil.which("qemu-x86_64") and os.uname().machine == "x86_64", "needs qemu-user")
    def test_processors_of_every_age_get_what_they_can_run(self):
        """No program of ours ends with an illegal instruction: it takes narrower vectors, or none, and says so."""
        with open(irn_program.IRN, "rb") as program:
            if re.search(b"__[at]san_init", program.read()):
                self.skipTest("sanitizers and qemu both want the same addresses")
        for processor, expected, health in (("Skylake-Client-v3", "AVX2", "ok"), ("Westmere", "SSE4", "ok"), ("core2duo", None, "warning")):
            ran = subprocess.run(["qemu-x86_64", "-cpu", processor, irn_program.IRN, "doctor", "--json", "-j", "1"], capture_output=True, text=True,
                                 env=environment(), timeout=100)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            found = next(f for f in json.loads(ran.stdout)["findings"] if f["name"] == "instructions")
            self.assertIn(expected or found["facts"]["compiled"][-1], found["facts"]["in_use"])
            self.assertEqual(found["health"], health, processor)


if __name__ == "__main__":
    irn_program.main()
