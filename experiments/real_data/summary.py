"""Results of one half of the collection as Markdown: irn beside the models of scikit-learn, table by table and in all.

    summary.py HALF-FOLDER [--results FOLDER] [--label LABEL] [--beside LABEL,LABEL]

Differences are taken split by split. "Within its error": the mean difference is not more than one standard error below zero.
Times are of the processor. --beside compares the label with other runs of irn instead of the models of scikit-learn.
"""
import argparse
import math
import statistics

from store import read_index, read_result

PEERS = ("mlp", "boosting", "linear")


def collect(half_folder, results, label):
    """For every table the results of its splits, or None where one of them is missing."""
    found = {}
    for table in read_index(half_folder)["tables"]:
        splits = [read_result(results, label, table, split) for split in range(len(table["digests"]))]
        found[table["name"]] = None if None in splits else splits
    return found


def mean(results, what="score"):
    return statistics.fmean(r[what] for r in results)


def error(values):
    return statistics.stdev(values) / math.sqrt(len(values))


def spread(results):
    values = [r["score"] for r in results]
    return f"{statistics.fmean(values):.4f} ± {error(values):.4f}"


def differences(ours, theirs):
    return [a["score"] - b["score"] for a, b in zip(ours, theirs)]


def difference(ours, theirs):
    """Mean and standard error over the splits."""
    values = differences(ours, theirs)
    return statistics.fmean(values), error(values)


def duration(results):
    return f"{mean(results, 'seconds'):.2f} s"


def not_shown(rows):
    return f"\nWithout a result yet: {', '.join(rows)}.\n" if rows else ""


def peer_row(table, ours, peers):
    metric = "accuracy" if table["task"] == "classification" else "R2"
    d, e = difference(ours, peers["mlp"])
    return (f"| {table['name']} | {table['kind']} | {table['rows']} x {table['columns']} | {metric} | {spread(ours)} "
            f"| {' | '.join(f'{mean(peers[p]):.4f}' for p in PEERS)} | {d:+.4f} ± {e:.4f} "
            f"| {difference(ours, peers['boosting'])[0]:+.4f} | {100 * mean(ours, 'settled'):.2f} % | {duration(ours)} "
            f"| {duration(peers['mlp'])} | {duration(peers['boosting'])} |")


PEER_HEAD = ("| data | kind | size | score | irn | MLP | boosting | linear | irn - MLP | irn - boosting | settled | irn | MLP | boosting |\n"
             + "|---" * 14 + "|")


def settled_of_all(results):
    """Rows that settled over all splits and tables, and how many rows there were."""
    rows = [r.get("samples", 0) for splits in results for r in splits]
    unsettled = sum(round(r.get("samples", 0) * (1 - r["settled"])) for splits in results for r in splits)
    return 1 - unsettled / max(sum(rows), 1), unsettled, sum(rows)


def peer_totals(ours, peers):
    pairs = [difference(ours[name], peers["mlp"][name]) for name in ours]
    boosting = [difference(ours[name], peers["boosting"][name])[0] for name in ours]
    worst, name = min((d, name) for (d, _), name in zip(pairs, ours))
    share, unsettled, rows = settled_of_all(ours.values())
    diverged = sum(r["code"] != 0 for splits in ours.values() for r in splits)
    times = {p: sum(r["seconds"] for n in ours for r in peers[p][n]) for p in PEERS}
    own = sum(r["seconds"] for splits in ours.values() for r in splits)
    ratios = sorted(mean(ours[n], "seconds") / mean(peers["mlp"][n], "seconds") for n in ours)
    return "\n".join([
        f"- at least as good as the MLP on {sum(d >= 0 for d, _ in pairs)} of {len(pairs)} tables "
        f"({sum(d >= 0 for d, _ in pairs) / len(pairs):.0%}), within one standard error of the difference on "
        f"{sum(d >= -e for d, e in pairs)} ({sum(d >= -e for d, e in pairs) / len(pairs):.0%}), not more than two points "
        f"below on {sum(d >= -0.02 for d, _ in pairs)}",
        f"- worst difference to the MLP {worst:+.4f} ({name}), mean {statistics.fmean(d for d, _ in pairs):+.4f}, "
        f"median {statistics.median(d for d, _ in pairs):+.4f}",
        f"- mean difference to boosting {statistics.fmean(boosting):+.4f}, median {statistics.median(boosting):+.4f}, worst "
        f"{min(boosting):+.4f}",
        f"- settled: {share:.4%} of the held-out rows ({unsettled} of {rows} did not); trainings that diverged or failed: "
        f"{diverged}",
        f"- time: {own:.0f} s against {times['mlp']:.0f} s of the MLP, {own / times['mlp']:.2f} times (tables from "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f}, median {statistics.median(ratios):.2f}), and {times['boosting']:.0f} s of boosting"])


def complete(found):
    """Names of the tables with results under every label, and of those that lack one."""
    names = list(found[0])
    have = [n for n in names if all(f[n] is not None for f in found)]
    return have, [n for n in names if n not in have]


def beside_peers(half_folder, results, label):
    ours, *theirs = [collect(half_folder, results, name) for name in (label, *PEERS)]
    have, lacking = complete([ours, *theirs])
    peers = {p: {n: t[n] for n in have} for p, t in zip(PEERS, theirs)}
    if not have:
        return "Nothing is complete yet.\n"
    rows = [peer_row(t, ours[t["name"]], {p: peers[p][t["name"]] for p in PEERS})
            for t in read_index(half_folder)["tables"] if t["name"] in have]
    totals = peer_totals({n: ours[n] for n in have}, peers)
    return "\n".join([PEER_HEAD, *rows, "", totals, not_shown(lacking)])


def run_cells(ours, other):
    d, e = difference(ours, other)
    return f"{mean(other):.4f} | {d:+.4f} ± {e:.4f} | {100 * mean(other, 'settled'):.2f} % | {mean(other, 'parameters'):.0f}"


def run_totals(label, ours, other):
    pairs = [difference(ours[n], other[n]) for n in ours]
    values = [d for d, _ in pairs]
    own, their = (sum(r["seconds"] for splits in f.values() for r in splits) for f in (ours, other))
    return (f"- against `{label}`: better by more than its standard error on {sum(d > e for d, e in pairs)} of {len(pairs)}, "
            f"worse on {sum(d < -e for d, e in pairs)}; mean difference {statistics.fmean(values):+.4f} ± {error(values):.4f} "
            f"(over the tables), median {statistics.median(values):+.4f}, worst {min(values):+.4f}, best {max(values):+.4f}; "
            f"{own / their:.2f} times its time")


def beside_runs(half_folder, results, label, others):
    """A run of irn beside others: their scores, this run's lead over them, their share settled and parameters."""
    ours, *theirs = [collect(half_folder, results, name) for name in (label, *others)]
    have, lacking = complete([ours, *theirs])
    if not have:
        return "Nothing is complete yet.\n"
    head = "| data | score | irn | settled | parameters |" + "".join(f" {o} | irn - {o} | settled | parameters |" for o in others)
    rows = [head, "|---" * (5 + 4 * len(others)) + "|"]
    for table in (t for t in read_index(half_folder)["tables"] if t["name"] in have):
        n, metric = table["name"], "accuracy" if table["task"] == "classification" else "R2"
        rows.append(f"| {n} | {metric} | {spread(ours[n])} | {100 * mean(ours[n], 'settled'):.2f} % "
                    f"| {mean(ours[n], 'parameters'):.0f} | " + " | ".join(run_cells(ours[n], t[n]) for t in theirs) + " |")
    totals = [run_totals(o, {n: ours[n] for n in have}, {n: t[n] for n in have}) for o, t in zip(others, theirs)]
    return "\n".join([*rows, "", *totals, not_shown(lacking)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("half", metavar="HALF-FOLDER")
    parser.add_argument("--results", default="build/collection/results")
    parser.add_argument("--label", default="irn")
    parser.add_argument("--beside", help="other labels of irn, separated by commas")
    args = parser.parse_args()
    if args.beside:
        print(beside_runs(args.half, args.results, args.label, args.beside.split(",")))
    else:
        print(beside_peers(args.half, args.results, args.label))


if __name__ == "__main__":
    main()
