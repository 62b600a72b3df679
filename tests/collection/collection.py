"""experiments/real_data on two small tables: jobs are run once, results are kept, a row without an answer costs what it should.

usage: collection.py IRN FOLDER-OF-THE-SCRIPTS
"""
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import unittest

IRN, SCRIPTS = sys.argv[1:3]
sys.path.insert(0, SCRIPTS)
import certificate
import ours
import store
import summary


def write_rows(path, count):
    with open(path, "w") as f:
        f.write("x0,word,number,kind\n")
        for _ in range(count):
            x = random.uniform(-1, 1)
            f.write(f"{x},{random.choice(['red', 'blue', ''])},{2 * x + 0.5},{'high' if x > 0 else 'low'}\n")


def write_half(folder):
    """One table of numbers and one of classes, two splits each."""
    random.seed(1)
    tables = []
    for name, task, target in (("sums", "regression", "number"), ("two kinds", "classification", "kind")):
        place = name.replace(" ", "-")
        for split in range(2):
            os.makedirs(os.path.join(folder, place, str(split)))
            for file, count in (("train.csv", 80), ("test.csv", 20)):
                write_rows(os.path.join(folder, place, str(split), file), count)
        tables.append({"name": name, "folder": place, "kind": "small", "seed": 1, "task": task, "rows": 100, "columns": 3,
                       "texts": ["word"], "targets": [target], "options": ["--missing", "mean"], "digests": ["a", "b"]})
    write_index(folder, tables)


def write_index(folder, tables):
    with open(os.path.join(folder, "index.json"), "w") as f:
        json.dump({"half": "test", "tables": tables}, f)


FAKE = """#!/bin/sh
echo number,settled
echo 3,1
echo ,0
"""


class Collection(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.half, self.results = os.path.join(folder.name, "half"), os.path.join(folder.name, "results")
        write_half(self.half)

    def run_irn(self, run="irn", *more):
        return subprocess.run([sys.executable, "-B", os.path.join(SCRIPTS, "ours.py"), self.half, "--irn", IRN, "--results",
                               self.results, "--run", run, "-j", "2", *more], capture_output=True, text=True)

    def lines(self, *arguments):
        done = self.run_irn(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_a_job_is_run_once(self):
        self.assertEqual(len(self.lines()), 4)
        self.assertEqual(self.lines(), [])

    def test_other_options_and_other_data_are_run_again(self):
        self.lines()
        self.assertEqual(len(self.lines("irn=--epochs 3")), 4)
        tables = store.read_index(self.half)["tables"]
        tables[0]["digests"][1] = "c"
        write_index(self.half, tables)
        self.assertIsNone(store.read_result(self.results, "irn", tables[0], 1))
        self.assertEqual(len(self.lines("irn=--epochs 3")), 1)

    def test_layers_of_another_run(self):
        self.lines("irn=--layers 7-5")
        self.lines("deeper=--layers {layers}-{last} --recurrence none", "--like", "irn")
        table = store.read_index(self.half)["tables"][0]
        self.assertEqual(store.read_result(self.results, "deeper", table, 0)["layers"], "7-5-5")

    def test_a_wrong_option_leaves_no_result(self):
        done = self.run_irn("irn=--hiden 5")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--hiden", done.stderr)
        self.assertFalse(os.path.exists(self.results))

    def test_a_refused_table_settles_nowhere(self):
        tables = store.read_index(self.half)["tables"]
        for table in tables:
            table["options"] = []
        write_index(self.half, tables)
        self.lines()
        result = store.read_result(self.results, "irn", tables[0], 0)
        self.assertEqual((result["score"], result["settled"], result["samples"], result["code"]), (0, 0, 20, 3))

    def test_no_answer_counts_as_the_mean_of_the_training_rows(self):
        for file, rows in (("train.csv", [0, 4]), ("test.csv", [3, 5])):
            with open(os.path.join(self.half, "sums", "0", file), "w") as f:
                f.write("number\n" + "".join(f"{row}\n" for row in rows))
        fake = os.path.join(self.half, "fake")
        with open(fake, "w") as f:
            f.write(FAKE)
        os.chmod(fake, stat.S_IRWXU)
        self.assertAlmostEqual(ours.r2_of_all(fake, "model", store.jobs(self.half)[0]), 1 - (5 - 2) ** 2 / 2)

    def test_the_summary_counts_tables_and_rows(self):
        self.lines()
        for peer, lead in (("mlp", -0.1), ("boosting", 0.2), ("linear", 0)):
            for job in store.jobs(self.half):
                own = store.read_result(self.results, "irn", job.table, job.split)
                store.write_result(self.results, peer, job, "key", {"score": own["score"] + lead, "seconds": own["seconds"]})
        text = summary.beside_peers(self.half, self.results, "irn")
        self.assertIn("at least as good as the MLP on 2 of 2 tables (100%)", text)
        self.assertIn("mean difference to boosting -0.2000", text)
        self.assertIn("(0 of 80 did not)", text)
        self.assertIn("against `mlp`: better by more than its standard error on 2 of 2",
                      "\n".join([summary.run_totals("mlp", *(summary.collect(self.half, self.results, n) for n in ("irn", "mlp")))]))

    def test_runs_in_turn(self):
        done = self.lines("irn=--epochs 3", "--run", "free=--epochs 3 --certify 0", "-j", "1")
        self.assertEqual([line.split()[0] for line in done], ["irn", "free"] * 4)

    def test_the_summary_of_free_training(self):
        """Free training is 0.1 ahead, takes three times as long and loses half the rows of one split."""
        self.lines("irn=--epochs 3")
        for job in store.jobs(self.half):
            own = store.read_result(self.results, "irn", job.table, job.split)
            lost = job.table["name"] == "sums" and job.split == 1
            store.write_result(self.results, "free", job, "key", {**own, "score": own["score"] + 0.1, "seconds": 3 * own["seconds"],
                                                                  "settled": 0.5 if lost else 1.0, "evaluations": 60})
        text = certificate.half(self.half, self.results)
        self.assertIn("better by more than its standard error on 0 of 2, worse on 2; mean difference -0.1000", text)
        self.assertIn("free training settled 87.5000% of the held-out rows (10 of 80 did not, worst table sums with 75.00 %)", text)
        self.assertIn("| 75.00 % | 50.00 % |", text)
        self.assertIn("free 60.0\n", text)
        self.assertIn("median 3.00", text)


unittest.main(argv=[sys.argv[0]])
