"""What the certificate costs and brings: certified training beside free training, on one half of the collection and on MNIST, as Markdown.

    certificate.py HALF-FOLDER [--results FOLDER]

Both are the defaults but for `--certify 0`. Differences are certified minus free, split by split.
"""
import argparse
import statistics

import mnist
from store import read_index
from summary import collect, complete, difference, mean, not_shown, run_totals, settled_of_all, spread

CERTIFIED, FREE = "irn", "free"  # labels, as in scripts/real-data
HEAD = ("| data | score | certified | free | certified - free | settled, free | in its worst split | evaluations, certified | evaluations, free "
        "| time, certified | time, free | free / certified |\n" + "|---" * 12 + "|")


def share(settled):
    return f"{100 * settled:.2f} %"


def time_ratio(certified, free):
    return mean(free, "seconds") / mean(certified, "seconds")


def row(table, certified, free):
    d, e = difference(certified, free)
    return (f"| {table['name']} | {'accuracy' if table['task'] == 'classification' else 'R2'} | {spread(certified)} | {mean(free):.4f} "
            f"| {d:+.4f} ± {e:.4f} | {share(mean(free, 'settled'))} | {share(min(r['settled'] for r in free))} "
            f"| {mean(certified, 'evaluations'):.1f} | {mean(free, 'evaluations'):.1f} | {mean(certified, 'seconds'):.2f} s "
            f"| {mean(free, 'seconds'):.2f} s | {time_ratio(certified, free):.2f} |")


def settled_words(name, results):
    """Of all rows, of the worst table, and how many trainings ended early."""
    total, unsettled, rows = settled_of_all(results.values())
    worst, table = min((mean(splits, "settled"), n) for n, splits in results.items())
    stopped = sum(r["code"] != 0 for splits in results.values() for r in splits)
    where = f", worst table {table} with {share(worst)}" if unsettled else ""
    return f"{name} settled {total:.4%} of the held-out rows ({unsettled} of {rows} did not{where}); {stopped} trainings diverged or failed"


def evaluations(results):
    """Mean over all held-out rows."""
    splits = [r for found in results.values() for r in found]
    return sum(r["evaluations"] * r["samples"] for r in splits) / sum(r["samples"] for r in splits)


def totals(certified, free):
    ratios = [time_ratio(certified[n], free[n]) for n in certified]
    return "\n".join([
        run_totals(FREE, certified, free),
        f"- {settled_words('certified training', certified)}",
        f"- {settled_words('free training', free)}",
        f"- evaluations a held-out row: certified {evaluations(certified):.1f}, free {evaluations(free):.1f}",
        f"- free training took from {min(ratios):.2f} to {max(ratios):.2f} times the time of certified training, median "
        f"{statistics.median(ratios):.2f}"])


def half(half_folder, results):
    certified, free = (collect(half_folder, results, label) for label in (CERTIFIED, FREE))
    have, lacking = complete([certified, free])
    if not have:
        return "Nothing is complete yet.\n"
    rows = [row(t, certified[t["name"]], free[t["name"]]) for t in read_index(half_folder)["tables"] if t["name"] in have]
    return "\n".join([HEAD, *rows, "", totals({n: certified[n] for n in have}, {n: free[n] for n in have}), not_shown(lacking)])


def images(results):
    """MNIST, seed by seed; the rows themselves are in the table of mnist.py."""
    certified, free = (mnist.found(results, name) for name in ("dense", "free"))
    if not (certified and free):
        return "MNIST has not been trained both ways with all seeds yet."
    d, e = difference(certified, free)
    return (f"On MNIST with `--layers 128` and no other option: {mean(certified):.2%} certified, {mean(free):.2%} free, difference {100 * d:+.2f} ± {100 * e:.2f} points "
            f"(standard error over {mnist.SEEDS} seeds); settled {share(mean(certified, 'settled'))} and {share(mean(free, 'settled'))} of the "
            f"test images; {mean(certified, 'evaluations'):.1f} and {mean(free, 'evaluations'):.1f} evaluations an image; free training "
            f"took {time_ratio(certified, free):.2f} times the processor time.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("half", metavar="HALF-FOLDER")
    parser.add_argument("--results", default="build/collection/results")
    args = parser.parse_args()
    print(half(args.half, args.results))


if __name__ == "__main__":
    main()
