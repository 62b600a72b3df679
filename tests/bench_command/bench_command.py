"""irn bench, in its shortest form: the table and the JSON say the same kind of thing, and nonsense is refused.

usage: bench_command.py IRN
"""
import json
import subprocess
import sys


def run(*arguments):
    return subprocess.run([sys.argv[1], "bench", *arguments], capture_output=True, text=True)


short = ("--hidden", "2,33", "--seconds", "0.01", "--quiet")
done = run(*short, "--json")
assert done.returncode == 0 and done.stderr == "", done
result = json.loads(done.stdout)
assert [(r["job"], r["network"]) for r in result["rows"]] == [
    ("settle", "100-2-2"), ("training step", "100-2-2"), ("settle", "100-33-2"), ("training step", "100-33-2")], result
for r in result["rows"]:
    low, high = r["rate_quartiles"]
    assert 0 < low <= r["rate"] <= high, r
    assert r["settled"] > 0.9 and r["mean_evaluations"] > 1, r
    assert 0 < r["of_limit"] < 1.5, r  # a neighbour may slow the measurement of the limit more than the work
assert all(0 < r["test_error"] < 0.2 for r in result["rows"] if r["job"] == "settle"), result

table = run(*short).stdout.splitlines()
assert len(table) == 3 + len(result["rows"]) and table[2].startswith("job"), table

for nonsense in (("--hidden", "0"), ("--seconds", "-1"), ("--hiden", "5")):
    done = run(*nonsense)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
