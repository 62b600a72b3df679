"""Runs the commands of pages, in order and in one scratch folder, and compares what they print with what the pages show.

    ```console                 commands after "$ ", what they print (both streams) below them; "..." stands for any lines, or for the
    $ irn eval model new.csv   rest of a line
    accuracy    0.9650
    ...
    ```
    ```toml title="a.toml"     a file with that name
    ```

A command must end with code 0, unless its block shows the code with `echo $?`. Words must be the same, and so must whole numbers. Other
processors round differently, so a number with a decimal point may be off by 30 % or by 0.03; times and speeds may be anything. What else
depends on the machine is said by a comment right before a block: "<!-- varies by 6 -->", whole numbers by no more than that;
"<!-- varies: REGEX -->", what the expression matches by anything. "<!-- run: COMMAND -->" runs a command that the page does not show.

usage: pages.py [--show] BIN_FOLDER PAGE...    --show prints what the commands print, and compares nothing
       pages.py --self-test
The environment's PYTHONPATH and PKG_CONFIG_PATH are those of the commands.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "--- next command ---"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")
TIMES = re.compile(r"\d+:\d\d left|[\d.]+ [kM]? ?samples/s|[\d.]+ m?s\b|[\d.]+ seconds")
BLOCK = re.compile(r"((?:<!-- (?:varies|run).*? -->\n)*)^```([a-z+]+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.M)


def same_number(shown, got, slack):
    if shown == got:
        return True
    a, b = (float(text.replace(",", "")) for text in (shown, got))
    if re.fullmatch(r"-?[\d,]+", shown) and re.fullmatch(r"-?[\d,]+", got):
        return abs(a - b) <= slack
    return abs(a - b) <= max(0.03, 0.3 * abs(a))


def same_line(shown, got, slack=0, varying=None):
    rest = shown.endswith("...")
    if rest:
        shown, got = shown[:-3], got
    for pattern in filter(None, (TIMES, varying)):
        shown, got = pattern.sub("~", shown), pattern.sub("~", got)
    if rest:  # as many numbers and words as are shown
        got = " ".join(got.split()[: len(shown.split())])
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (shown, got)]
    numbers = [NUMBER.findall(text) for text in (shown, got)]
    return words[0] == words[1] and all(same_number(a, b, slack) for a, b in zip(*numbers))


def first_difference(shown, got, **how):
    """Nothing, or the line of `shown` that `got` has no place for. "..." skips as few lines as it can."""
    skipping, place = False, 0
    for line in shown:
        if line.strip() == "...":
            skipping = True
            continue
        while skipping and place < len(got) and not same_line(line, got[place], **how):
            place += 1
        if place >= len(got) or not same_line(line, got[place], **how):
            return f"the page shows\n    {line}\nand the program prints\n    {got[place] if place < len(got) and not skipping else 'nothing like it'}"
        skipping, place = False, place + 1
    if place < len(got) and not skipping:
        return f"the page does not show\n    {got[place]}"
    return None


def steps_of(page):
    """[(comments, command, lines shown, whether it may fail)] in order; a file is a command that writes it."""
    for comments, language, title, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        for command in re.findall(r"<!-- run: (.*) -->", comments):
            yield "", command, [], False
        if title:
            yield "", f"cat > {title} <<'END_OF_THE_FILE'\n{text}END_OF_THE_FILE", [], False
        elif language == "console":
            if not text.startswith("$ "):
                raise SystemExit(f"{page}: a block begins without a command:\n{text}")
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, *shown = part.splitlines()
                while shown and shown[0].startswith("> "):
                    command += "\n" + shown.pop(0)[2:]
                yield comments, command, shown, "$ echo $?" in text


def printed_by(steps, environment):
    """What each command prints, and its exit code. One shell runs them all, so that $? and variables are as a reader has them."""
    script = "".join(f"{command}\n{{ code=$?; echo; echo '{MARK}' $code; (exit $code); }} 2>/dev/null\n" for _, command, *_ in steps)
    result = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=environment, timeout=900)
    parts = re.split(rf"^{MARK} (\d+)\n", result.stdout, flags=re.M)
    return [(text.rstrip("\n").splitlines(), int(code)) for text, code in zip(parts[0::2], parts[1::2])]


def mistakes(steps, printed):
    for (comments, command, shown, may_fail), (got, code) in zip(steps, printed):
        if code and not may_fail:
            yield f"$ {command}\nended with code {code}, saying\n" + "\n".join(got[-5:])
            continue
        slack = re.search(r"varies by (\d+)", comments)
        varying = re.search(r"varies: (.*) -->", comments)
        difference = first_difference(shown, got, slack=int(slack[1]) if slack else 0, varying=re.compile(varying[1]) if varying else None)
        if difference:
            yield f"$ {command}\n{difference}"


def environment(bin_folder, scratch):
    tools = scratch / ".bin"
    tools.mkdir()
    (tools / "python3").symlink_to("/usr/bin/python3")  # Debian's; another may have no NumPy
    (tools / "irn").symlink_to(pathlib.Path(bin_folder).resolve() / "irn")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("IRN_")}
    return {**kept, "PATH": f"{tools}:{kept['PATH']}", "HOME": str(scratch), "LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "ignore::ResourceWarning"}


def run(bin_folder, pages, show):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        variables = environment(bin_folder, scratch)
        os.chdir(scratch)
        failed = 0
        for page in pages:
            steps = list(steps_of(page))
            printed = printed_by(steps, variables)
            if show:
                for (_, command, *_), (got, code) in zip(steps, printed):
                    print(f"$ {command}", *got, f"[code {code}]" if code else "", sep="\n")
                continue
            if len(printed) != len(steps) or not steps:
                raise SystemExit(f"{page}: {len(printed)} of {len(steps)} commands were run")
            for mistake in mistakes(steps, printed):
                failed += 1
                print(f"{page}: {mistake}\n")
            print(f"{page}: {sum(not command.startswith('cat > ') for _, command, *_ in steps)} commands run")
        return failed


def self_test():
    same = [("accuracy 0.97", "accuracy  0.95"), ("12 rows", "12 rows"), ("3 s, 5 k samples/s", "9 s, 1.2 M samples/s"),
            ("epoch 1/30 loss 0.5...", "epoch 1/30 loss 0.45 and more")]
    other = [("accuracy 0.97", "accuracy 0.52"), ("12 rows", "13 rows"), ("accuracy 0.97", "precision 0.97"), ("a b", "a b c")]
    assert all(same_line(*pair) for pair in same) and not any(same_line(*pair) for pair in other)
    assert same_line("12 rows", "13 rows", slack=1) and same_line("best 3 of 9", "best 7 of 9", varying=re.compile(r"best \d+"))
    assert first_difference(["a", "...", "d"], ["a", "b", "c", "d"]) is None
    assert first_difference(["a", "...", "e"], ["a", "b", "c", "d"]) and first_difference(["a"], ["a", "b"]) and first_difference(["a", "b"], ["a"])
    with tempfile.TemporaryDirectory() as name:
        page = pathlib.Path(name) / "page.md"
        page.write_text('```toml title="a.toml"\nx = 1\n```\n\n```console\n$ cat a.toml\nx = 1\n$ false\n$ echo $?\n1\n```\n```console\n$ echo 7\n8\n$ false\n```\n')
        steps = list(steps_of(page))
        os.chdir(name)
        found = list(mistakes(steps, printed_by(steps, dict(os.environ))))
        assert len(found) == 2 and "$ echo 7" in found[0] and "code 1" in found[1], found


if sys.argv[1:] == ["--self-test"]:
    self_test()
    sys.exit()
arguments = sys.argv[1:]
show = "--show" in arguments
arguments = [argument for argument in arguments if argument != "--show"]
if len(arguments) < 2:
    sys.exit(__doc__)
sys.exit(run(arguments[0], [pathlib.Path(page).resolve() for page in arguments[1:]], show) > 0)
