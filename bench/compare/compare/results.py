"""What a run found: completed with ratios and shares of the limit, and written as JSON, CSV and Markdown."""
import csv
import json
import math
import os
import subprocess
import sys

from compare.contender import is_irn
from compare.jobs import DEVICE_KINDS, KINDS

SETTLED = 0.999  # a peer that settles less than this share of irn's does not do the same job


def complete(record):
    """Ratios to irn, and irn's share of the limit."""
    for job in record["jobs"]:
        timed = [r for r in job["results"] if "rate" in r]
        first = next((r for r in timed if r["contender"] == "irn"), None)
        if first is None:
            continue
        for r in timed:
            r["same_job"] = r.get("settled", 1) >= SETTLED * first.get("settled", 1)
        irn = max((r for r in timed if is_irn(r["contender"]) and r["same_job"]), key=lambda r: r["rate"])
        for r in timed:
            r["irn_is_faster"] = irn["rate"] / r["rate"]
        job["irn"] = irn["contender"]
        rivals = [r for r in timed if not is_irn(r["contender"]) and r["same_job"]]
        job["fastest_peer"] = max(rivals, key=lambda r: r["rate"])["contender"] if rivals else None
        job["ahead"] = min(r["irn_is_faster"] for r in rivals) if rivals else None
        if "operations" not in irn:  # a process: there is nothing to count
            continue
        limit = record["limits_one"] if job["spec"]["job"] == "latency" else record["limits"]
        arithmetic, memory = irn["operations"] / limit["multiply_adds"], irn["bytes"] / limit["bytes"]
        job["limit"] = {"operations": irn["operations"], "bytes": irn["bytes"], "arithmetic": arithmetic, "memory": memory,
                        "bound": "arithmetic" if arithmetic >= memory else "memory",
                        "share": max(arithmetic, memory) * irn["rate"]}


def write(record, folder):
    with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as out:
        json.dump(finite(record), out, indent=1)
    write_csv(record, os.path.join(folder, "results.csv"))
    with open(os.path.join(folder, "results.md"), "w", encoding="utf-8") as out:
        out.write(markdown(record))


def finite(value):
    """JSON has no number for what is not finite."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def hardware(record):
    return record["threads"], *(record["machine"].get(what) for what in ("processor", "cores", "device"))


def merged(paths):
    """Runs on one kind of machine as one: different jobs, or the same with other peers. Each job keeps the limits it was judged by, and
    each ratio is to irn in the run it was measured in."""
    records = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            records.append(json.load(file))
    whole = records[0]
    for other in records[1:]:
        if hardware(other) != hardware(whole):
            sys.exit("bench/compare: results of different machines or threads do not belong in one table")
        whole["command"] += "\n" + other["command"]
        for job in other["jobs"]:
            same = next((j for j in whole["jobs"] if (j["number"], j["title"]) == (job["number"], job["title"])), None)
            whole["jobs"].append(job) if same is None else add_contenders(same, job)
        whole["versions"].update(other["versions"])
        whole["missing"].update(other["missing"])
        whole["left_out"] = sorted({*whole.get("left_out", []), *other.get("left_out", [])})
        whole.setdefault("growth", []).extend(other.get("growth", []))
    done = tuple(f"job {j['number']}, {j['title']}:" for j in whole["jobs"])
    whole["left_out"] = [text for text in whole.get("left_out", []) if not text.startswith(done)]
    whole["missing"] = {k: v for k, v in whole["missing"].items() if k not in whole["versions"]}
    whole["jobs"].sort(key=lambda j: j["number"])
    if not whole["growth"]:
        del whole["growth"]
    return whole


def add_contenders(job, other):
    """The contenders of the same job in another run that this one lacks."""
    known = {r["contender"] for r in job["results"]}
    new = [r for r in other["results"] if r["contender"] not in known]
    job["results"] += new
    for r in new:
        if r.get("same_job") and not is_irn(r["contender"]) and r["irn_is_faster"] < (job["ahead"] or float("inf")):
            job["ahead"], job["fastest_peer"] = r["irn_is_faster"], r["contender"]


def insert(fragment, document, part):
    """Replaces what stands between the marks of the part in the document by the fragment."""
    with open(document, encoding="utf-8") as file:
        text = file.read()
    begin, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"bench/compare: {document} needs one '{begin}' and one '{end}'")
    with open(fragment, encoding="utf-8") as file:
        inside = file.read()
    text = text[:text.index(begin)] + f"{begin}\n{inside}" + text[text.index(end):]
    with open(document, "w", encoding="utf-8") as file:
        file.write(text)


COLUMNS = ("contender", "method", "items", "median", "least", "rate", "irn_is_faster", "settled", "residual",
           "largest_residual", "distance", "apart", "gradient_off", "error", "reason")


def write_csv(record, path):
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(("job", "title", "unit", *COLUMNS[:4], "quartile_1", "quartile_3", *COLUMNS[4:]))
        for job in record["jobs"]:
            for r in job["results"]:
                low, high = r.get("quartiles", ("", ""))
                row = [r.get(c, "") for c in COLUMNS]
                table.writerow((job["number"], job["title"], job["unit"], *row[:4], low, high, *row[4:]))


def number(value, digits=3):
    """Three digits, thousands apart: 2,340,000; 4.37; 0.00012."""
    if value == "":
        return ""
    if value is None or not math.isfinite(value):
        return "not finite"
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text and 1e3 <= abs(value) < 1e15:
        text = f"{float(text):,.0f}"
    elif abs(value) >= 1000:
        text = f"{float(text):,.0f}"
    return text


def share(value):
    if value is None:
        return ""
    return "100 %" if value == 1 else f"{100 * value:.2f} %" if value > 0.01 else f"{100 * value:.3g} %"


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def head(record):
    m, limits = record["machine"], record["limits"]
    versions = ", ".join(f"{k} {v}" for k, v in record["versions"].items())
    commands = [f"    {line}" for line in record["command"].splitlines()]
    device = f"{m['device']}; " if "device" in m else ""
    whose = "by the device" if device else f"on {record['threads']} cores"
    lines = [f"{device}{m['processor']}, {m['cores']} cores, of which every contender has {record['threads']}; {versions}; "
             f"Python {m['python']}; {record['date']}.", "", *commands, "",
             f"Measured in the same run: {number(limits['multiply_adds'] / 1e9)} G multiply-adds/s (single precision) and "
             f"{number(limits['bytes'] / 1e9)} GB/s read from memory {whose}. Load of the machine "
             f"when the run began: {record['load']:.1f}."]
    for name, reason in record.get("missing", {}).items():
        lines.append(f"Without {name}: {reason}.")
    return lines + [f"Left out: {text}." for text in record.get("left_out", [])]


def check_of(job, r):
    """What is worth a look besides the residual: the gradient, the error, the time of one prediction."""
    if job["number"] == 5:
        return seconds(1 / r["rate"])
    return number(r["gradient_off"], 2) if "gradient_off" in r else number(r.get("error", ""), 4)


# The paper's learning curves: two implicit networks, 12 repeats, 100 tests of 800,000 samples; the training
# steps between the tests cost a hundredth of that.
CURVES = 2 * 12 * 100 * 800_000


def papers_way(record):
    """How long the paper's own tools would take for its own figure, from job 1."""
    for job in record["jobs"]:
        for r in job["results"]:
            if job["number"] == 1 and job["spec"]["hidden"] == 5 and r["contender"] == "scipy rk45-30" and "rate" in r:
                yield ""
                yield (f"At {number(r['rate'])} samples/s the paper's own way, SciPy's integration over 30 time units a sample at "
                       f"a time, would take {CURVES / r['rate'] / 86400:.0f} days of one core for the tests of its learning "
                       f"curves alone (two implicit networks, 12 repeats, 100 tests of 800,000 samples), and "
                       f"{share(r['settled'])} of the answers would have settled.")


def row(job, r):
    if "rate" not in r:
        return [job["title"], r["title"], r.get("method", ""), r.get("reason", "")[:90], "", "", "", "", ""]
    low, high = (r["items"] / q for q in reversed(r["quartiles"]))
    compared = "irn_is_faster" in r and r["contender"] != job.get("irn", "irn")  # not if irn itself failed
    ratio = number(r["irn_is_faster"]) + ("" if r["same_job"] else " (not settled)") if compared else ""
    return [job["title"], r["title"], r["method"], number(r["rate"]), f"{number(low)} to {number(high)}", ratio,
            share(r.get("settled")), number(r.get("residual", ""), 2), check_of(job, r)]


def table(titles, rows):
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "---|" * len(titles)
    for r in rows:
        yield "| " + " | ".join(str(c) for c in r) + " |"


def markdown(record):
    lines = head(record)
    for kind, (title, unit) in (DEVICE_KINDS if "device" in record["machine"] else KINDS).items():
        chosen = [j for j in record["jobs"] if j["number"] == kind]
        if not chosen:
            continue
        check = {1: "mean squared error", 4: "test error", 5: "one takes"}.get(kind, "gradient off by")
        titles = ["job", "contender", "method", f"{unit}/s", "quartiles", "irn is faster", "settled", "residual (99.9 %)",
                  check]
        lines += ["", f"### {kind}. {title}", "", *table(titles, [row(j, r) for j in chosen for r in j["results"]])]
        if kind == 1:
            lines += papers_way(record)
    if record["jobs"]:
        lines += ["", "### The limit", "", *limit_table(record)]
    if "growth" in record:
        lines += ["", "### Growth", "", *table(
            ["what", "range", "exponent", "should be", "why"],
            [[f["what"], f["range"], f"{f['exponent']:.2f}", f["expected"], f["why"]]
             for g in record["growth"] for f in g["fits"]])]
    return "\n".join(lines) + "\n"


def limit_table(record):
    return table(
        ["job", "operations", "bytes", "bound by", "fastest irn", "share of the limit", "ahead of the fastest peer"],
        [[f"{j['number']}, {j['title']}", number(j["limit"]["operations"]), number(j["limit"]["bytes"]),
          j["limit"]["bound"], j["irn"], number(j["limit"]["share"], 2),
          f"{number(j['ahead'])} ({j['fastest_peer']})" if j.get("ahead") else ""]
         for j in record["jobs"] if "limit" in j])


def page(irn, folder):
    subprocess.run([*irn, "page", os.path.join(folder, "results.json"), os.path.join(folder, "page.html")], check=True)


def disagreements(record):
    """The number of contenders whose answers are not the answers, each with a line on standard error."""
    bad = 0
    for job in record["jobs"]:
        for r in job["results"]:
            fine = "rate" in r and r["settled"] >= SETTLED and r.get("apart", 0) == 0 and r.get("gradient_off", 0) < 1e-3
            if not fine:
                print(f"job {job['number']}, {job['title']}, {r['contender']}: {json.dumps(r)}", file=sys.stderr)
            bad += not fine
        bad += len(job["results"]) < 2
    return 1 if bad or not record["jobs"] else 0
