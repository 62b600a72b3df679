"""irn predict on tables that arrive bit by bit, and on what is hardly a table.

usage: stream.py IRN_PROGRAM [unittest's options]
"""

import json
import os
import pathlib
import select
import signal
import subprocess
import threading
import time

import irn_program
from irn_program import ProgramTest, environment, write_csv


class Stream(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("wave.csv", "t", "--epochs", 3, "--out", "m")

    def start(self, *more):
        return subprocess.Popen([irn_program.IRN, "predict", "m", "-", *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment(), bufsize=0)

    def line(self, process, seconds=20):
        """The next line, as soon as it is there."""
        text = b""
        while not text.endswith(b"\n"):
            self.assertTrue(select.select([process.stdout], [], [], seconds)[0], f"no answer after {seconds} s; so far {text}")
            piece = process.stdout.read(1)
            self.assertTrue(piece, f"it ended; so far {text}")
            text += piece
        return text.decode().rstrip("\n")

    def test_a_pipe_that_stays_open_has_its_answers(self):
        whole = self.fine("predict", "m", "wave.csv").stdout.splitlines()
        rows = pathlib.Path("wave.csv").read_text().splitlines()
        process = self.start("--threads", "1")
        process.stdin.write((rows[0] + "\n").encode())
        waits = []
        for row, answer in list(zip(rows, whole))[1:60]:
            process.stdin.write(row[:3].encode())
            process.stdin.write((row[3:] + "\n").encode())
            began = time.monotonic()
            if not waits:
                self.assertEqual(self.line(process), whole[0], "the header comes with the first answer")
            self.assertEqual(self.line(process), answer)
            waits.append(time.monotonic() - began)
        # The median, because others may have the machine for a while: far below what a person or a program that waits would notice.
        self.assertLess(sorted(waits)[len(waits) // 2], 0.01)
        process.stdin.write(b"1,2,3")  # the last line may lack its end
        process.stdin.close()
        self.assertEqual(len(self.line(process).split(",")), 2)
        self.assertEqual((process.wait(20), process.stderr.read()), (0, b""))
        process.stdout.close(), process.stderr.close()

    def test_a_file_is_there_whole_or_not_at_all(self):
        whole = self.fine("predict", "m", "wave.csv").stdout
        self.assertEqual(self.fine("predict", "m", "wave.csv", "-o", "answers.csv").stdout, "")
        self.assertEqual(pathlib.Path("answers.csv").read_text(), whole)
        self.refused(2, ["answers.csv", "--overwrite", "--out"], "predict", "m", "wave.csv", "--out", "answers.csv")
        self.fine("predict", "m", "wave.csv", "--json", "--out", "answers.csv", "--overwrite")
        self.assertEqual(len(json.loads(pathlib.Path("answers.csv").read_text().splitlines()[0])), 2)
        self.assertEqual(self.fine("predict", "m", "wave.csv", "-o", "-").stdout, whole)
        before = sorted(os.listdir("."))
        self.refused(3, ["line 3", "'x'"], "predict", "m", "-", "-o", "new.csv", input="a,b\n1,2\nx,2\n")
        self.refused(1, ["absent/new.csv"], "predict", "m", "wave.csv", "-o", "absent/new.csv")
        self.assertEqual(sorted(os.listdir(".")), before)

    def test_a_signal_leaves_no_part_of_a_file(self):
        before = sorted(os.listdir("."))
        for ending in 10 * (signal.SIGINT, signal.SIGTERM):
            process = self.start("--out", "answers.csv")
            process.stdin.write(b"a,b\n1,2\n")
            end = time.monotonic() + 20
            while sorted(os.listdir(".")) == before and time.monotonic() < end:
                pass  # the signal comes as soon as the file is there
            self.assertNotEqual(sorted(os.listdir(".")), before, "it has begun")
            process.send_signal(ending)
            self.assertEqual(process.wait(20), 130)
            self.assertEqual(process.stderr.read(), b"irn: interrupted\n")
            self.assertEqual(sorted(os.listdir(".")), before)
            process.stdin.close(), process.stdout.close(), process.stderr.close()

    def test_constant_memory(self):
        process = self.start()
        read = []
        drain = threading.Thread(target=lambda: read.append(sum(len(piece) for piece in iter(lambda: os.read(process.stdout.fileno(), 1 << 20), b""))))
        drain.start()
        block = b"0.5,0.25,1\n" * 20000
        process.stdin.write(b"a,b,t\n")
        peaks = []
        for k in range(50):
            at = 0
            while at < len(block):
                at += os.write(process.stdin.fileno(), block[at:])
            if k in (15, 49):
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                peaks.append(int(status.split("VmHWM:")[1].split()[0]))
        process.stdin.close()
        drain.join(60)
        self.assertEqual(process.wait(60), 0)
        process.stdout.close(), process.stderr.close()
        self.assertGreater(read[0], 50 * 20000 * 3)
        self.assertLess(peaks[1] - peaks[0], 12000, f"KB after a third and at the end: {peaks}")

    def test_a_mistake_has_its_line_and_what_came_before_its_answers(self):
        process = self.start()
        out, err = process.communicate(b"a,b\n1,2\n3,4\n5\n", timeout=20)
        self.assertEqual(process.returncode, 3)
        self.assertIn(b"standard input, line 4", err)
        process = self.start()
        process.stdin.write(b"a,b\n1,2\n")
        self.line(process), self.line(process)
        out, err = process.communicate(b"3,x\n", timeout=20)
        self.assertEqual(process.returncode, 3)
        self.assertIn(b"line 3, column 'b': 'x' is text", err)

    def test_json_lines(self):
        rows = [dict(zip(("a", "t", "settled"), line.split(","))) for line in self.fine("predict", "m", "wave.csv", "--keep", "a").stdout.splitlines()[1:]]
        lines = [json.loads(line) for line in self.fine("predict", "m", "wave.csv", "--keep", "a", "--json").stdout.splitlines()]
        self.assertEqual(len(lines), 200)
        for row, line in zip(rows, lines):
            self.assertEqual((float(row["a"]), float(row["t"]), row["settled"] == "1"), (line["a"], line["t"], line["settled"]))
        self.train("flowers.csv", "kind", "--epochs", 3, "--missing", "drop", "--out", "m", "--overwrite")
        write_csv("gap.csv", ["size", "colour"], [1, ""], ["red", "blue"])
        first, second = (json.loads(line) for line in self.fine("predict", "m", "gap.csv", "--probabilities", "--json", "--quiet").stdout.splitlines())
        self.assertEqual(list(first), ["kind", "kind=lily", "kind=rose", "kind=tulip", "settled"])
        self.assertEqual(second, {"kind": None, "kind=lily": None, "kind=rose": None, "kind=tulip": None, "settled": False})

    def test_kept_columns_have_names_of_their_own(self):
        self.refused(2, ["--keep", "'a' is named twice"], "predict", "m", "wave.csv", "--keep", "a,b,a")
        write_csv("again.csv", ["a", "b", "settled"], [1, 2], [3, 4], [1, 0])
        self.refused(2, ["--keep", "'settled' of their own"], "predict", "m", "again.csv", "--keep", "settled")

    def test_json_is_utf8(self):
        for name, content in (("texts", b"a,b,note\n1,2,fine\n3,4,na\xefve\n"), ("names", b"a,b,na\xefve\n1,2,3\n")):
            pathlib.Path(f"{name}.csv").write_bytes(content)
            column = content.split(b"\n")[0].split(b",")[2]
            given = [irn_program.IRN, "predict", "m", f"{name}.csv", "--keep", column]
            self.assertIn(b"na\xefve", subprocess.run(given, capture_output=True, env=environment()).stdout)
            refused = subprocess.run([*given, "--json"], capture_output=True, env=environment())
            self.assertEqual(refused.returncode, 3)
            self.assertRegex(refused.stderr, rb"\Airn: (texts.csv, line 3, column 'note'|names.csv: the column 'na\\xEFve').*not UTF-8, which JSON must be.*\n\Z")

    def test_tables_with_little_in_them(self):
        pathlib.Path("head.csv").write_text("a,b\n")
        self.assertEqual(self.fine("predict", "m", "head.csv").stdout, "t,settled\n")
        self.assertEqual(self.fine("predict", "m", "head.csv", "--json").stdout, "")
        pathlib.Path("gap.csv").write_text("a,b\n,1\n")
        said = self.fine("predict", "m", "gap.csv", "--missing", "drop")
        self.assertEqual(said.stdout, "t,settled\n,0\n")
        self.assertIn("1 of 1 rows have no answer", said.stderr)
        pathlib.Path("half.csv").write_text("a,c\n1,2\n")
        self.refused(3, ['half.csv: the column "b" is missing'], "predict", "m", "half.csv")
        self.refused(3, ["empty"], "predict", "m", "-", input="")

    def test_binary_data_is_called_that(self):
        self.train("wave.csv", "t", "--epochs", 2, "--out", "m", "--overwrite")
        pathlib.Path("noise.csv").write_bytes(bytes(range(256)) * 40 + b"\r1\r2\r\n")
        self.refused(3, ["noise.csv: binary data, not a table"], "predict", "m", "noise.csv")
        piped = subprocess.run([irn_program.IRN, "predict", "m", "-"], stdin=open("noise.csv", "rb"), capture_output=True, text=True)
        self.assertEqual(piped.returncode, 3)
        self.assertIn("standard input: binary data, not a table", piped.stderr)

    def test_unknown_texts_when_predicting(self):
        self.train("flowers.csv", "kind", "--epochs", 2, "--out", "m", "--overwrite")
        write_csv("green.csv", ["size", "colour", "kind"], [1, 2], ["red", "green"], ["rose", "rose"])
        self.refused_after(3, ["line 3", "'green'"], "predict", "m", "green.csv")
        for command in ("predict", "eval"):
            self.fine(command, "m", "green.csv", "--unknown", "zeros")

    def refused_after(self, code, words, *arguments):
        """Like refused(), with answers to rows before the mistake."""
        result = irn_program.run(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


if __name__ == "__main__":
    irn_program.main()
