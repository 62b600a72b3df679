"""docs/commands.md names every command that --help names, every option with the same default, every name that an option can have and
every format of data, and no other option. The manual pages have all of --help, and man has nothing to say against them.

usage: documented.py IRN_PROGRAM [unittest's options]
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import irn_program
from irn_program import run

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "commands.md"
# Pages beside it that go through all that an option can be.
ALSO = {"--activation": ("library.md", "model-file.md"), "--gradient": ("library.md",), "--recurrence": ("library.md",)}


def section(command):
    """The page's part about a command: from its heading to the next of that level."""
    found = re.search(rf"^## irn {command}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M)
    if not found:
        raise AssertionError(f"{PAGE.name} has no section \"irn {command}\"")
    return found.group(1)


def commands():
    return re.findall(r"^  ([a-z]+) ", run("--help").stdout.split("Commands:")[1].split("\n\n")[0], re.M)


def described(command):
    """{option: what --help says of it}; the text of an option goes on in the lines below it."""
    text = re.sub(r"\n {20,}", " ", run(command, "--help").stdout)
    found = dict(re.findall(r"^  (?:-[a-z],)?(--[a-z-]+)(.*)$", text, re.M))
    del found["--help"]
    return found


def options_of_help(command):
    """{option: default}"""
    defaults = {name: re.search(r" \[([^\]]*)\]$", text) for name, text in described(command).items()}
    return {name: default.group(1) if default else "" for name, default in defaults.items()}


def options_of_page(command):
    """Rows of tables: | `--rate X` | `0` | ... |"""
    rows = re.findall(r"^\| `(--[a-z-]+)[^|]*\| ([^|]*) \|", section(command), re.M)
    return {name: default.strip("` ") for name, default in rows}


def names_of_help(text):
    """What an option can be, if --help lists it: "Of the rate: constant, step, cosine [cosine]"."""
    found = re.search(r"(?:: |NAME +)((?:[A-Za-z0-9_-]+, )+[A-Za-z0-9_-]+)(?= \[|;|$|, with)", text)
    return found.group(1).split(", ") if found else []


def row_and_link(command, option):
    """The row of an option, with the page that it refers to."""
    row = re.search(rf"^\| `{option}[ `].*$", section(command), re.M).group(0)
    if other := re.search(r"as for `([a-z]+)`", row):
        row += row_and_link(other.group(1), option)
    return row + "".join((PAGE.parent / page).read_text(encoding="utf-8") for page in re.findall(r"\((\w+\.md)\)", row))


def manual(command):
    return run("man", *command.split()).stdout


def man(page, *options):
    return subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", *options, "-"], input=page, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "500", "MANROFFSEQ": ""})


def man_warnings(page):
    return man(page, "-Tutf8", "-Z").stderr


def rendered(page):
    """The page as man shows it, with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r".\x08|\x1b\[[0-9;]*m", "", man(page).stdout))


class Documented(unittest.TestCase):
    maxDiff = None

    def test_every_option_with_its_default(self):
        self.assertIn("train", commands())
        for command in commands():
            with self.subTest(f"irn {command} --help, beside {PAGE.name}"):
                of_page = options_of_page(command)
                if of_page:
                    self.assertEqual(of_page, options_of_help(command))
                if f"irn {command} --help" in section(command):
                    continue  # leaves them to it
                for option in options_of_help(command):  # in the table, or in the prose of a command that has none
                    self.assertIn(option, section(command))

    def test_every_name_that_an_option_can_have(self):
        listed = 0
        for command in commands():
            for option in options_of_page(command):
                for name in names_of_help(described(command)[option]):
                    listed += 1
                    with self.subTest(f"irn {command} {option} {name}"):
                        self.assertIn(f"`{name}`", row_and_link(command, option))
                        for page in ALSO.get(option, ()):
                            text = (PAGE.parent / page).read_text(encoding="utf-8")
                            self.assertTrue(re.search(rf"(?<![\w-]){name}(?![\w-])", text), page)
        self.assertGreater(listed, 30, "solvers, gradients, losses, ...")

    def test_every_format_of_data(self):
        formats = re.search(r"Table: (.*), plain", run("train", "--help").stdout).group(1).replace(" or ", ", ").split(", ")
        kinds = re.findall(r"^\| ([A-Z][A-Z, ]+) \|", PAGE.read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(", ".join(kinds).split(", ")), sorted(formats))

    def test_help_can_be_asked_for_in_words(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "eval").stdout, run("eval", "--help").stdout)

    def test_shells_complete_every_command_and_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = run("completion", shell).stdout
            for command in commands():
                for option in options_of_help(command):
                    self.assertIn(option if shell != "fish" else f"'__fish_seen_subcommand_from {command}' -l {option[2:]}", script)
            if subprocess.run(["which", shell], capture_output=True).returncode == 0:
                checked = subprocess.run([shell, "-n", "/dev/stdin"], input=script, capture_output=True, text=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""), shell)
        # As a user of bash meets it.
        completed = (("train --sol", "--solver"), ("train --schedule c", "constant cosine"), ("train --metric R", "R2"), ("importance --metric r", "recall roc_auc rms"))
        for words, meant in completed:
            typed = f'eval "$(cat)"; COMP_WORDS=(irn {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _irn; echo "${{COMPREPLY[@]}}"'
            said = subprocess.run(["bash", "-c", typed], input=run("completion", "bash").stdout, capture_output=True, text=True)
            self.assertEqual(said.stdout, meant + "\n", said.stderr)
        refused = run("completion", "tcsh")
        self.assertEqual((refused.returncode, refused.stderr), (2, 'irn: unknown shell "tcsh". Known: bash, zsh, fish\n'))

    def test_bash_completes_names_of_files_with_blanks(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("my table.csv", "my other.csv"):
                (pathlib.Path(folder) / name).touch()
            typed = 'eval "$(cat)"; COMP_WORDS=(irn train my); COMP_CWORD=2; _irn; printf "%s\\n" "${COMPREPLY[@]}"'
            said = subprocess.run(["bash", "-c", typed], input=run("completion", "bash").stdout, capture_output=True, text=True, cwd=folder)
            self.assertEqual(sorted(said.stdout.splitlines()), ["my other.csv", "my table.csv"], said.stderr)

    def test_help_fits_a_terminal(self):
        for command in ("", *commands()):
            for line in run(*command.split(), "--help").stdout.splitlines():
                if not line.startswith("  irn "):  # an example, to be pasted as it is
                    self.assertLessEqual(len(line), 80, line)

    def test_help_says_what_every_option_is(self):
        for command in commands():
            for option, text in described(command).items():
                self.assertRegex(re.sub(r"^ \S+ {2,}", "", text).strip(), r"^[A-Z].{7}", f"irn {command} {option}")

    def test_every_exit_code(self):
        of_page = re.findall(r"^\| (\d+) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
        self.assertEqual([code for code, _ in of_page], ["0", "1", "2", "3", "4", "130"])
        for command in ("", "train"):
            shown = rendered(manual(command))
            for code, meaning in of_page:
                self.assertIn(f" {code} {meaning.replace('`', '')} ", shown)

    def test_examples_come_first(self):
        for command in ("", *commands()):
            text, page = run(*command.split(), "--help").stdout, manual(command)
            self.assertRegex(text, rf"(?m)^  (irn|eval \"\$\(irn) {command}")
            self.assertLess(re.search(r"^  .*irn ", text, re.M).start(), text.index("Arguments:" if "Arguments:" in text else "  -h,--help"))
            self.assertLess(page.index(".SH EXAMPLES"), page.index(".SH OPTIONS"))


class Manual(unittest.TestCase):
    maxDiff = None

    def test_man_has_nothing_to_say_against_any_page(self):
        for command in ("", *commands()):
            with self.subTest(f"man irn {command}"):
                self.assertEqual(man_warnings(manual(command)), "")
        self.assertNotEqual(man_warnings(manual("train") + ".nonsense\n"), "", "the check can fail")

    def test_a_page_has_what_help_has(self):
        for command in ("", *commands()):
            text = re.sub(r"\n {20,}", " ", run(*command.split(), "--help").stdout)
            shown = rendered(manual(command))
            entries = re.findall(r"^  ((?:-\w,)?--\S+(?: \S+)?|[A-Z]{2,}|[a-z]+)  +(\S.*)$", text, re.M)
            self.assertGreater(len(entries), 1, text)
            for name, about in entries:
                self.assertIn(f" {name.replace(',--', ', --')} {about} ", shown, f"man irn {command}")

    def test_all_pages_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("man", "--out", folder).returncode, 0)
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()),
                             sorted(["irn.1", *(f"irn-{command}.1" for command in commands())]))
            self.assertEqual((pathlib.Path(folder) / "irn-train.1").read_text(encoding="utf-8"), manual("train"))
        self.assertIn('did you mean "train"', run("man", "tran").stderr)
        self.assertEqual(run("man", "tran").returncode, 2)


if __name__ == "__main__":
    irn_program.main()
