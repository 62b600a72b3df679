"""scripts/results: from folders of results like those that docs/paper.md shows it makes that page, and from others it changes nothing.

usage: results.py [unittest's options]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAPER = (SOURCE / "docs/paper.md").read_text(encoding="utf-8")
PAGES = ("README.md", "docs/paper.md")
FIGURES = {"full": ("oscillator-curves", "sweep"), "device": (), "many": ("oscillator-spread",), "sweep": ("sweep-spread",)}


def block(what):
    return re.search(f"<!-- {what} -->\n(.*?)<!-- end of {what} -->", PAPER, re.S)[1]


def cells(table):
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]


def repeats(what, column):
    """In the title of a column."""
    return int(block(what).splitlines()[0][1:-1].split("|")[column].split()[0].replace(",", ""))


def seconds(words):
    minutes, rest = re.fullmatch(r"(?:(\d+) min )?(\d+) s", words).groups()
    return 60 * int(minutes or 0) + int(rest)


def parts(what, column):
    """By claim, as claims.json has them, where `column` and the next have interval and verdict."""
    claims = {}
    for row in cells(block(what)):
        number, part = row[0].split(": ", 1)
        low, high = row[column].split(" to ")
        claims.setdefault(int(number), []).append({"part": part, "low": float(low), "high": float(high), "verdict": row[column + 1]})
    return claims


def means(column):
    all_means = []
    for row in cells(block("means")):
        quantity, network = row[0].rsplit(", ", 1)
        mean, half = map(float, row[column].split(" ± "))
        all_means.append({"quantity": quantity, "network": network, "mean": mean, "low": mean - half, "high": mean + half})
    return all_means


class Results(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name) / "tree"
        for name in ("scripts/results", *PAGES):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.root / name)
        (self.root / "docs/figures").mkdir()
        self.folders = {name: pathlib.Path(scratch.name) / name for name in FIGURES}
        self.make_folders()

    def make_folders(self):
        few = {**parts("parts of curves", 1), **parts("parts of sweep", 1)}
        claims = {"full": few, "device": few, "many": parts("parts of curves", 3), "sweep": parts("parts of sweep", 3)}
        columns = {"full": 1, "device": 2, "many": 3}
        for (name, folder), (command, time, machine, date) in zip(self.folders.items(), cells(block("times"))):
            folder.mkdir()
            for figure in FIGURES[name]:
                (folder / f"{figure}.svg").write_text(figure)
            self.write(name, "run.json", {"command": command.strip("`"), "seconds": seconds(time), "machine": machine, "date": date + " 12:00"})
            self.write(name, "protocol.json", {"repeats": repeats("means", columns.get(name, 1)),
                                               "sweep-repeats": repeats("parts of sweep", 3 if name == "sweep" else 1)})
            numbered = [{"number": number, "numbers": {"parts": its}} for number, its in claims[name].items()]
            if name in columns:
                numbered[0]["numbers"]["means"], numbered[1]["numbers"]["means"] = means(columns[name])[:6], means(columns[name])[6:]
            self.write(name, "claims.json", numbered)
        (self.folders["full"] / "claims.md").write_text(block("claims"), encoding="utf-8")
        for name in ("many", "sweep"):
            (self.folders[name] / "claims.md").write_text(block(f"claims of {name}"), encoding="utf-8")
            (self.folders[name] / "tables.md").write_text(block(f"tables of {name}"), encoding="utf-8")

    def write(self, name, file, value):
        (self.folders[name] / file).write_text(json.dumps(value), encoding="utf-8")

    def change(self, name, file, change):
        value = json.loads((self.folders[name] / file).read_text(encoding="utf-8"))
        change(value)
        self.write(name, file, value)

    def run_script(self):
        return subprocess.run([sys.executable, "-B", self.root / "scripts/results", *self.folders.values()], capture_output=True, text=True)

    def paper(self):
        result = self.run_script()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return (self.root / "docs/paper.md").read_text(encoding="utf-8")

    def refused(self, words):
        result = self.run_script()
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertRegex(result.stderr, words)
        for page in PAGES:
            self.assertEqual((self.root / page).read_bytes(), (SOURCE / page).read_bytes(), page)
        self.assertEqual(list((self.root / "docs/figures").iterdir()), [])

    def test_the_page_is_what_it_makes(self):
        self.assertEqual(self.paper(), PAPER)
        self.assertEqual((self.root / "README.md").read_bytes(), (SOURCE / "README.md").read_bytes())
        self.assertEqual({path.name: path.read_text() for path in (self.root / "docs/figures").iterdir()},
                         {f"{figure}.svg": figure for figures in FIGURES.values() for figure in figures})

    def test_times_are_rounded_before_they_are_split(self):
        for given, shown in ((119.4, "119 s"), (119.6, "2 min 0 s"), (179.4, "2 min 59 s"), (179.7, "3 min 0 s")):
            self.change("full", "run.json", lambda run: run.update(seconds=given))
            self.assertIn(f"| `irn reproduce --full` | {shown} |", self.paper())

    def test_titles_say_what_was_run_and_where(self):
        self.change("many", "protocol.json", lambda protocol: protocol.update(repeats=2500))
        self.change("sweep", "protocol.json", lambda protocol: protocol.update({"sweep-repeats": 240}))
        self.change("device", "run.json", lambda run: run.update(machine="abacus, 7 beads, and 1 thread of a hand"))
        self.change("sweep", "run.json", lambda run: run.update(machine="16 threads of Some(R) Processor, and more"))
        page = self.paper()
        for title in ("|  | 12 repeats, processor | 12 repeats, abacus | 2,500 repeats, H200 |",
                      "| part | 12 repeats, processor | verdict | 2,500 repeats, H200 | verdict |",
                      "| part | 12 repeats, processor | verdict | 240 repeats, processor | verdict |"):
            self.assertIn(title, page)

    def test_results_that_do_not_go_together_change_nothing(self):
        self.change("many", "claims.json", lambda claims: claims[0]["numbers"]["parts"].reverse())
        self.refused("claim 6, parts: .*many has .* where .*full has ")

    def test_missing_parts_change_nothing(self):
        self.change("sweep", "claims.json", lambda claims: claims[-1]["numbers"]["parts"].pop())
        self.refused("claim 9, parts: .*sweep has nothing where ")

    def test_missing_claims_change_nothing(self):
        self.change("sweep", "claims.json", lambda claims: claims.pop())
        self.refused("sweep has no parts of claim 9")

    def test_other_quantities_change_nothing(self):
        self.change("device", "claims.json", lambda claims: claims[1]["numbers"]["means"][0].update(network="none"))
        self.refused("claim 7, means: .*device has .*, none where ")

    def test_missing_files_change_nothing(self):
        (self.folders["sweep"] / "sweep-spread.svg").unlink()
        self.refused("cannot read .*sweep-spread.svg: No such file")
        (self.folders["many"] / "run.json").unlink()
        self.refused("many has no run.json")


if __name__ == "__main__":
    unittest.main()
