"""A catalogue of nonsense: each one clear exception, never a crash; threads, forks and Ctrl-C beside it."""

import itertools
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import irn

GOOD = np.random.default_rng(0).normal(size=(20, 3))


def with_value(value):
    x = GOOD.copy()
    x[7, 1] = value
    return x


class Liar:
    """An array of another device, as a tensor on a GPU behaves."""

    def __array__(self, dtype=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")


INPUTS = {
    "nan": (with_value(np.nan), "row 7, column 1"),
    "infinity": (with_value(np.inf), "row 7, column 1"),
    "too large for float32": (with_value(1e300), "row 7, column 1"),
    "no columns": (np.zeros((3, 0)), "3 x 0|empty"),
    "too many columns": (np.zeros((3, 4)), "3 x 4.*3 columns|4 columns"),
    "a vector of another length": (np.zeros(4), "1 x 4|4 columns|1 axes"),
    "three axes": (np.zeros((2, 3, 4)), "3 axes"),
    "one number": (np.float64(3), "0 axes"),
    "texts": (np.array([["a", "b", "c"]]), "text|neither|column"),
    "bytes": (np.array([[b"a", b"b", b"c"]]), "bytes|column"),
    "objects": (np.array([[object(), None, {}]]), "objects|neither"),
    "complex": (GOOD + 1j, "complex"),
    "dates": (np.zeros((2, 3), dtype="M8[s]"), "dates"),
    "records": (np.zeros(2, dtype=[("a", "f4"), ("b", "f4")]), "records"),
    "ragged lists": ([[1, 2, 3], [1, 2]], "array of numbers"),
    "a masked array": (np.ma.masked_greater(GOOD, 1), "masked"),
    "a sparse matrix": (scipy.sparse.csr_matrix(GOOD), "sparse"),
    "another device": (Liar(), "cuda"),
    "none": (None, "column|at least|nothing|0 x 0|empty|x "),
    "a file name for numbers": ("numbers.txt", "text|cannot|no such|No such|target"),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("call", ["settle", "forward", "trainer", "predict", "train"])
def test_wrong_inputs_are_one_clear_exception(name, call):
    given, words = INPUTS[name]
    network = irn.Network("3-4-2", seed=1)
    if call == "train" and name in ("too large for float32", "too many columns", "texts", "bytes"):
        pytest.skip("a table may hold that")
    if call == "predict" and name == "too large for float32":
        words = "row 7"
    calls = {
        "settle": lambda: network.settle(given),
        "forward": lambda: network.forward(given),
        "trainer": lambda: irn.Trainer(network).step(given, np.zeros((20, 2))),
        "predict": lambda: irn.Model.of_network(network).predict(given),
        "train": lambda: irn.train(given, np.arange(20.0), epochs=1),
    }
    with pytest.raises(irn.Error) as refused:
        calls[call]()
    assert isinstance(refused.value, ValueError) and "\n" not in str(refused.value), str(refused.value)
    if call == "settle":
        assert refused.match(words)


@pytest.mark.parametrize("name", ["read-only", "negative strides", "float16", "integers", "truth values", "a list", "a frame", "memory map"])
def test_unusual_inputs_that_are_numbers_are_taken(name, tmp_path):
    network = irn.Network("3-4-2", seed=1)
    read_only = GOOD.copy()
    read_only.flags.writeable = False
    np.save(tmp_path / "x.npy", GOOD)
    given = {
        "read-only": read_only,
        "negative strides": GOOD[::-1, ::-1],
        "float16": GOOD.astype(np.float16),
        "integers": GOOD.astype(int),
        "truth values": GOOD > 0,
        "a list": GOOD.tolist(),
        "a frame": pd.DataFrame(GOOD),
        "memory map": np.load(tmp_path / "x.npy", mmap_mode="r"),
    }[name]
    plain = np.array(given, dtype=np.float64)
    assert np.array_equal(network.settle(given).states, network.settle(plain).states)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda n: irn.Network("3-0-2"), "layer 1 is empty"),
        (lambda n: irn.Network("banana"), "banana"),
        (lambda n: irn.Network(""), ""),
        (lambda n: irn.Network("3-4-2", seed=-1), "seed"),
        (lambda n: irn.Network("3-4-2", seed=1.5), "seed"),
        (lambda n: irn.Network("3-4-2", precision="float16"), "precision"),
        (lambda n: irn.Network("3-4-2", start="cold"), "start"),
        (lambda n: irn.Network("3-99999999999-2"), ""),
        (lambda n: n.settle(GOOD, solver="rk3"), "rk4"),
        (lambda n: n.settle(GOOD, tolerance=-1), "tolerance"),
        (lambda n: n.settle(GOOD, tolerance=np.nan), "tolerance"),
        (lambda n: n.settle(GOOD, starts=np.zeros((3, 6))), "start"),
        (lambda n: n.settle(GOOD, starts=np.zeros((20, 5))), "start"),
        (lambda n: n.forward(GOOD, gradient="wrong"), "gradient"),
        (lambda n: n.forward(GOOD, on_fold="fall"), "on_fold"),
        (lambda n: n.forward(GOOD, heads=[9]), "9"),
        (lambda n: n.gradient(GOOD, np.zeros((19, 2))), "19"),
        (lambda n: n.gradient(GOOD, np.zeros((20, 3))), ""),
        (lambda n: n.gradient(GOOD, np.zeros((20, 2)), weights=[1, 2]), "weight"),
        (lambda n: n.gradient(GOOD, np.zeros((20, 2)), weights=-np.ones(20)), "weight"),
        (lambda n: n.parameters.__setitem__("layer1.bias", [1, 2]), "shape"),
        (lambda n: n.parameters.__setitem__("layer1.bias", np.nan), ""),
        (lambda n: setattr(n.parameters, "vector", np.zeros(3)), ""),
        (lambda n: irn.Trainer(n, loss="wrong"), "loss"),
        (lambda n: irn.Trainer(n, certify=1.5), ""),
        (lambda n: irn.Trainer(n).step(GOOD, np.zeros((20, 3))), "target"),
        (lambda n: irn.Trainer(n).step(GOOD, np.zeros((19, 2))), "19"),
        (lambda n: irn.Optimiser("adam:rate=-1", n), "rate"),
        (lambda n: irn.Optimiser("adam", n).step(n, np.zeros(3)), ""),
        (lambda n: n.settle(GOOD, solver=5), "solver: 5 is not a text"),
        (lambda n: n.settle(GOOD, tolerance="x"), "tolerance"),
        (lambda n: n.forward(GOOD, heads=["a"]), "heads"),
        (lambda n: irn.Trainer(n, clip="a"), "clip"),
        (lambda n: irn.Trainer(n, heads=[1, 2]), "heads"),
        (lambda n: irn.Optimiser(3, n), "optimiser"),
        (lambda n: irn.Model.of_network(n).predict(GOOD, unsettled=None), "unsettled"),
        (lambda n: irn.Model.of_network(n).predict(GOOD, unsettled="hide"), "unsettled"),
        (lambda n: irn.Model.of_network(n).predict("rows.csv"), "x is the name of a file, 'rows.csv'"),
        (lambda n: irn.Model.of_network(n).answers(pathlib.Path("rows.csv")), "x is the name of a file, 'rows.csv'"),
        (lambda n: irn.settle(np.cos, 1.0, solver=None), "solver"),
        (lambda n: irn.load("no-such-file"), "no-such-file"),
        (lambda n: irn.load(os.devnull), ""),
        (lambda n: n.save("/no/such/folder/x"), "/no/such/folder"),
        (lambda n: irn.train(GOOD, np.zeros(19)), "19"),
        (lambda n: irn.train(GOOD), "nothing to predict"),
        (lambda n: irn.train(GOOD, np.arange(20.0), sample_weight=[1]), "weight"),
        (lambda n: irn.train(GOOD, np.arange(20.0), sample_weight=-np.ones(20)), "weight"),
        (lambda n: irn.train(GOOD, np.arange(20.0), epochs="x"), "epochs"),
        (lambda n: irn.train(GOOD, np.arange(20.0), noise=101), "noise: 101 .* to 100"),
        (lambda n: irn.train(GOOD, np.arange(20.0), validation="x"), "validation"),
        (lambda n: irn.train(GOOD, np.full(20, np.nan)), ""),
        (lambda n: irn.train("no-such.csv", target="y"), "no-such.csv"),
        (lambda n: irn.train(pd.DataFrame(GOOD, columns=list("aab")), np.arange(20.0)), "a"),
    ],
)
def test_wrong_values_are_one_clear_exception(call, words):
    with pytest.raises(irn.Error, match=words) as refused:
        call(irn.Network("3-4-2", seed=1))
    assert "\n" not in str(refused.value) and str(refused.value)


def test_unknown_parameters_are_key_errors():
    with pytest.raises(KeyError, match="layer1.bias"):
        irn.Network("3-4-2").parameters["layer9.bias"]


def test_files_that_are_missing_are_os_errors():
    for call in (
        lambda: irn.load("no-such-file"),
        lambda: irn.train("no-such.csv", target="y"),
        lambda: irn.train([pathlib.Path("no-such.csv")], target="y"),
    ):
        with pytest.raises(irn.FileError, match="'no-such") as refused:
            call()
        assert isinstance(refused.value, OSError)


def test_what_is_wrong_in_a_file_is_about_the_data(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(irn.DataError, match="a.csv"):
        irn.train(tmp_path / "a.csv", target="b")


@pytest.mark.parametrize("kind", [irn.Error, irn.DataError, irn.FileError, irn.UnsettledWarning, irn.TrainingWarning])
def test_exceptions_can_be_pickled(kind):
    again = pickle.loads(pickle.dumps(kind("a line")))
    assert type(again) is kind and str(again) == "a line"


def test_damaged_models_are_refused(tmp_path):
    irn.Network("3-4-2", seed=1).save(tmp_path / "a.irn")
    content = bytearray((tmp_path / "a.irn").read_bytes())
    for place in range(0, len(content), 37):
        damaged = content.copy()
        damaged[place] ^= 0x41
        (tmp_path / "b.irn").write_bytes(damaged)
        with pytest.raises(irn.Error):
            irn.load(tmp_path / "b.irn")
    for length in range(0, len(content), 101):
        (tmp_path / "b.irn").write_bytes(content[:length])
        with pytest.raises(irn.Error):
            irn.load(tmp_path / "b.irn")


def test_an_array_that_is_changed_while_in_use_crashes_nothing():
    network = irn.Network("3-40-2", seed=1)
    x = np.random.default_rng(0).normal(size=(20000, 3))
    stop = threading.Event()

    def meddle():
        while not stop.is_set():
            x[:] = np.nan
            x[:] = 1.0

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for _ in range(5):
            try:
                network.settle(x)
            except irn.Error:
                pass  # a NaN that was seen in time
    finally:
        stop.set()
        thread.join()


def test_threads_share_networks_and_models():
    network = irn.Network("3-20-2", seed=1)
    model = irn.Model.of_network(network)
    wanted, answers = network.settle(GOOD).states, model.predict(GOOD)
    wrong = []

    def work(k):
        for _ in range(30):
            if not np.array_equal(network.settle(GOOD).states, wanted) or not np.array_equal(model.predict(GOOD), answers):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_while_irn_computes():
    """The interpreter's lock is released: a thread that counts gets on."""
    network = irn.Network("3-200-2", seed=1)
    x = np.random.default_rng(0).normal(size=(8000, 3))
    count, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before, begin = count[0], time.monotonic()
    network.settle(x)
    ticks, took = count[0] - before, time.monotonic() - begin
    stop.set()
    thread.join()
    assert ticks > 0.02 * took / 0.001, f"{ticks} ticks in {took:.3f} s"


def in_child(network, x, queue):
    queue.put(network.settle(x).states)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_process_works(method):
    network = irn.Network("3-60-2", seed=1)
    x = np.random.default_rng(0).normal(size=(3000, 3))
    wanted = network.settle(x).states  # the pool of threads is up
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(network, x, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(timeout=60)
    assert child.exitcode == 0 and np.array_equal(found, wanted)


def test_a_forked_child_ends_in_good_order():
    """Static objects are destroyed in it, too: os.fork and a plain return, not os._exit."""
    script = """
import os, numpy as np, irn
network = irn.Network("3-60-2", seed=1)
x = np.zeros((3000, 3))
network.settle(x)
child = os.fork()
network.settle(x)
irn.train(x[:50] + np.arange(50)[:, None], np.arange(50.0), epochs=2)
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_what_was_in_use_at_a_fork_is_refused_in_the_child():
    script = """
import os, threading, time, numpy as np, irn
network = irn.Network("3-300-2", seed=1)
x = np.random.default_rng(0).normal(size=(100000, 3))
thread = threading.Thread(target=network.settle, args=(x,))
thread.start()
time.sleep(0.3)
child = os.fork()
if child == 0:
    try:
        network.settle(x[:3])
        code = 3  # it was between two parts: nobody used it
    except irn.Error as error:
        code = 0 if "forked" in str(error) else 4
    os._exit(code)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, 3)
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_threads_that_are_left_running_do_not_crash_the_end():
    script = """
import threading, time, numpy as np, irn
network = irn.Network("3-100-2", seed=1)
x = np.random.default_rng(0).normal(size=(300000, 3))
def loop():
    while True:
        network.settle(x[:500])
def calls():
    while True:
        irn.settle(lambda z: np.cos(z), np.zeros((50, 3)))
for body in (loop, loop, calls, lambda: network.settle(x)):
    threading.Thread(target=body, daemon=True).start()
time.sleep(0.5)
"""
    for _ in range(4):
        subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


LONG = {
    "settle": "irn.Network('3-300-2', seed=1).settle(np.random.default_rng(0).normal(size=(2000000, 3)))",
    "train": "irn.train(np.random.default_rng(0).normal(size=(20000, 3)), np.arange(20000.0), epochs=1000)",
    "function": "irn.settle(lambda z: time.sleep(0.01) or z + 1, np.zeros(3), solver='fixed-point:steps=100000')",
}


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_is_heard(call):
    script = f"import time, numpy as np, irn\nprint('up', flush=True)\n{LONG[call]}"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "up\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and time.monotonic() - begin < 20, errors


def test_an_interrupted_training_goes_on():
    x = np.linspace(-1, 1, 300)[:, None]
    whole = irn.Training(x, np.sin(5 * x), epochs=20).run()
    part = irn.Training(x, np.sin(5 * x), epochs=20)

    def interrupt(record):
        if record["epoch"] == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        part.run(callback=interrupt)
    assert len(part.records) == 7 and part.model.task == "regression" and part.ended is None
    part.run()
    assert part.model.network == whole.model.network and part.ended == "all_epochs"


@pytest.fixture
def flickering():
    """Many wide rows, and the number of one that another thread makes NaN and 0 in turn."""
    x, row, ended = np.random.default_rng(7).normal(size=(20_000, 64)), 12_300, threading.Event()

    def flicker():
        for value in itertools.cycle((np.nan, 0)):
            x[row, 1] = value
            if ended.is_set():
                return

    thread = threading.Thread(target=flicker)
    thread.start()
    yield x, row
    ended.set()
    thread.join()


@pytest.mark.parametrize("call", ["settle", "predict"])
def test_a_part_that_is_refused_refuses_the_call(flickering, call):
    """Its refusal comes from all rows, so as to count them from the first. Where these are fine by then, their answers are not the part's."""
    x, row = flickering
    network = irn.Network("64-4-2", seed=1)
    model = irn.Model.of_network(network)
    answers = {"settle": lambda: network.copy().settle(x).outputs, "predict": lambda: model.predict(x)}
    expected = network.settle(np.delete(x, row, axis=0)).outputs
    for _ in range(60):
        try:
            found = answers[call]()
        except irn.Error as refusal:
            assert "row " in str(refusal)
        else:
            assert np.array_equal(np.delete(found, row, axis=0), expected)


def test_no_rows_give_no_answers():
    network = irn.Network("3-4-2", seed=1)
    answers = network.settle(np.zeros((0, 3)))
    assert answers.states.shape == (0, 6) and answers.outputs.shape == (0, 2) and len(answers.outcomes) == 0
    assert answers.states.dtype == np.float32 and answers.settled.shape == (0,)
    model = irn.Model.of_network(network)
    assert model.predict(np.zeros((0, 3))).shape == (0, 2) and len(model.answers(np.zeros((0, 3)))) == 0
    found = irn.settle(np.cos, np.zeros((0, 2)))
    assert found.z.shape == (0, 2) and len(found.outcomes) == 0
    with pytest.raises(irn.Error, match="takes 3 columns"):
        network.settle(np.zeros((0, 4)))
