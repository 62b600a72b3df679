"""docs/commands.md names every option of every command that --help names, with the same default, and no other.

usage: documented.py IRN_PROGRAM [unittest's options]
"""

import pathlib
import re
import unittest

import irn_program
from irn_program import run

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "commands.md"


def section(command):
    """The page's part about a command: from its heading to the next of that level."""
    return re.search(rf"^## irn {command}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M).group(1)


def options_of_help(command):
    """{option: default}; the text of an option goes on in the lines below it."""
    text = re.sub(r"\n {20,}", " ", run(command, "--help").stdout)
    found = {}
    for name, described in re.findall(r"^  (?:-h,)?(--[a-z-]+)(.*)$", text, re.M):
        default = re.search(r" \[([^\]]*)\]$", described)
        found[name] = default.group(1) if default else ""
    return found


def options_of_page(command):
    """Rows of tables: | `--rate X` | `0` | ... |"""
    rows = re.findall(r"^\| `(--[a-z-]+)[^|]*\| ([^|]*) \|", section(command), re.M)
    return {name: default.strip("` ") for name, default in rows}


class Documented(unittest.TestCase):
    maxDiff = None

    def test_every_option_with_its_default(self):
        for command in ("train", "predict", "eval", "info"):
            described = options_of_help(command)
            del described["--help"]
            self.assertGreater(len(described), 1)
            self.assertEqual(options_of_page(command), described, f"irn {command} --help, beside {PAGE.name}")

    def test_help_can_be_asked_for_in_words(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "eval").stdout, run("eval", "--help").stdout)

    def test_help_fits_a_terminal(self):
        for command in ("train", "predict", "eval", "info", "reproduce"):
            for line in run(command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_every_command_and_exit_code(self):
        commands = re.findall(r"^  ([a-z]+) ", run("--help").stdout.split("Commands:")[1].split("\n\n")[0], re.M)
        self.assertIn("train", commands)
        for command in commands:
            self.assertTrue(section(command))
        codes = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.M)
        self.assertEqual(codes, ["0", "1", "2", "3", "4", "130"])


if __name__ == "__main__":
    irn_program.main()
