"""`device=` everywhere: the same answers to tolerance as on the processor, and one line where there is no such device.

ctest gives these tests this host in place of a CUDA device where it was built (tests/cuda); without it, or a device, most are passed over.
"""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import irn
from irn.sklearn import ImplicitClassifier, ImplicitRegressor

X = np.random.default_rng(3).normal(size=(60, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
KIND = np.where(X[:, 0] > 0, "left", "right")
REFUSED = "cuda:97"  # there is no ninety-eighth device, or none at all


@pytest.fixture(scope="module")
def device():
    cuda = next(one for one in irn.devices() if one.name == "cuda")
    if not cuda.usable:
        pytest.skip(cuda.text)
    return cuda.name


def test_devices_are_listed_with_what_they_are_or_why_not():
    processor, *others = irn.devices()
    assert processor.name == "cpu" and processor.usable
    assert others and all(one.name.startswith("cuda") and one.text for one in others)


def test_networks_settle_and_learn_there(device):
    network = irn.Network("3-12tanh-1identity", seed=1)
    here, there = network.settle(X), network.settle(X, device=device)
    assert (here.outcomes == there.outcomes).all() and np.allclose(here.states, there.states, atol=1e-3)
    slopes = np.ones((60, 1))
    assert np.allclose(network.gradient(X, slopes).vector, network.gradient(X, slopes, device=device).vector, atol=1e-3)
    other = network.copy()
    one, two = irn.Trainer(network), irn.Trainer(other, device=device)
    for _ in range(3):
        assert abs(one.step(X, Y).loss - two.step(X, Y).loss) < 1e-3
    assert np.allclose(network.parameters.vector, other.parameters.vector, atol=1e-3)


@pytest.mark.parametrize("layers", [8, 96])  # gradients on the processor, and there
def test_a_training_gives_a_model_that_runs_on_any(device, layers):
    here, there = (irn.train(X, Y, layers=layers, epochs=2, device=name) for name in ("cpu", device))
    assert np.allclose(here.curve("loss"), there.curve("loss"), atol=1e-3)
    model = pickle.loads(pickle.dumps(there.model))
    for name in ("cpu", device):
        assert np.allclose(model.predict(X, device=name), here.model.predict(X), atol=1e-2)
    assert f'device = "{device}"' in model.configuration  # what was asked for


def test_models_predict_there_what_they_predict_here(device):
    frame = pd.DataFrame({"a": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")})
    for rows, model in ((X, irn.train(X, KIND, epochs=2).model), (frame, irn.train(frame, KIND, epochs=2).model)):
        here, there = model.answers(rows), model.answers(rows, device=device)
        assert there.settled.all() and (here.labels == there.labels).all()
        assert np.allclose(model.predict_proba(rows, device=device), here.probabilities, atol=1e-3)
        assert (model.predict(rows, device=device) == here.labels).all()


def test_checks_settle_there(device):
    switch = irn.Network("1-1tanh", precision="float64")  # z = tanh(2 z + x)
    switch.parameters.vector = [1, 2, 0]
    report = irn.check(switch, [[3.0], [0.1]], closer=1, device=device)
    assert report.settled.all() and len(report.closer[0].equilibria) == 3
    assert switch.check([[3.0]], device=device).settled.all()


def test_estimators_compute_there(device):
    here, there = (ImplicitRegressor(layers=8, epochs=3, device=name).fit(X, Y) for name in ("cpu", device))
    assert np.allclose(here.predict(X), there.predict(X), atol=1e-2)
    assert clone(there).device == device and there.get_params()["device"] == device
    assert np.array_equal(pickle.loads(pickle.dumps(there)).predict(X), there.predict(X))
    assert np.allclose(there.set_params(device="cpu").predict(X), here.predict(X), atol=1e-2)
    scores = [cross_val_score(ImplicitClassifier(layers=8, epochs=3, device=name), X, KIND, cv=3) for name in ("cpu", device)]
    assert np.allclose(*scores, atol=0.1)
    halves = ImplicitClassifier(layers=8, device=device)
    assert halves.partial_fit(X[:30], KIND[:30], classes=["left", "right"]).partial_fit(X[30:], KIND[30:]).predict(X).shape == (60,)


def test_partial_fit_stays_where_it_began(device):
    parts = ImplicitRegressor(layers=8, device=f"{device}:0").partial_fit(X, Y).set_params(device=device).partial_fit(X, Y)  # one device, two names
    with pytest.raises(irn.Error, match=f"began on {device} and does not move to cpu") as refused:
        parts.set_params(device="cpu").partial_fit(X, Y)
    assert "\n" not in str(refused.value) and f"set_params(device='{device}')" in str(refused.value)
    assert parts.n_iter_ == 2 and parts.set_params(device=device).partial_fit(X, Y).n_iter_ == 3
    moved = pickle.loads(pickle.dumps(parts)).set_params(device="cpu")  # whose optimiser begins anew anyway
    assert moved.partial_fit(X, Y).n_iter_ == 4


def test_no_other_device_takes_over(device):
    """What only the processor has is refused: it is not computed there instead."""
    model = irn.train(X, Y, epochs=1, layers=8, solver="newton").model
    frame = pd.DataFrame(X, columns=[column.name for column in model.inputs])
    for call in (
        lambda: irn.train(X, Y, epochs=1, layers=8, solver="newton", device=device),
        lambda: ImplicitRegressor(layers=8, solver="newton", device=device).fit(X, Y),
        lambda: model.predict(X, device=device),
        lambda: model.answers(frame, device=device),
        lambda: irn.check(model, X, device=device),
        lambda: model.network.forward(X, solver="newton", device=device),
        lambda: irn.Trainer(model.network, solver="newton", device=device),
    ):
        with pytest.raises(irn.Error, match="does not have solver newton"):
            call()


NETWORK = irn.Network("3-4-1", seed=1)
BEGUN = ImplicitRegressor(layers=8).partial_fit(X, Y)
CALLS = {
    "settle": lambda name: NETWORK.settle(X, device=name),
    "settle no rows": lambda name: NETWORK.settle(X[:0], device=name),
    "check no rows": lambda name: irn.check(NETWORK, X[:0], device=name),
    "predict no rows": lambda name: irn.Model.of_network(NETWORK).predict(X[:0], device=name),
    "predict a frame without rows": lambda name: irn.Model.of_network(NETWORK).predict(pd.DataFrame(X[:0], columns=["x0", "x1", "x2"]), device=name),
    "forward": lambda name: NETWORK.forward(X, device=name),
    "trainer": lambda name: irn.Trainer(NETWORK, device=name),
    "check": lambda name: irn.check(NETWORK, X, device=name),
    "predict": lambda name: irn.Model.of_network(NETWORK).predict(X, device=name),
    "train": lambda name: irn.train(X, Y, epochs=1, device=name),
    "train on a file": lambda name: irn.train("no-such.csv", target="y", device=name),
    "regressor": lambda name: ImplicitRegressor(device=name).fit(X, Y),
    "classifier": lambda name: ImplicitClassifier(device=name).fit(X, KIND),
    "first part": lambda name: ImplicitRegressor(device=name).partial_fit(X, Y),
    "later part": lambda name: BEGUN.set_params(device=name).partial_fit(X, Y),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name, words", [(REFUSED, f"device {REFUSED}"), ("gpu", "'gpu' is no device"), (0, "device: 0 is not a text")])
def test_what_cannot_be_used_is_one_clear_exception(call, name, words):
    with pytest.raises(irn.Error, match=words) as refused:
        CALLS[call](name)
    assert "\n" not in str(refused.value)


def test_an_estimator_from_another_machine_says_what_to_do(tmp_path):
    fitted = ImplicitRegressor(layers=8, epochs=2).fit(X, Y)
    (tmp_path / "estimator.pickle").write_bytes(pickle.dumps(fitted.set_params(device="cuda")))
    np.save(tmp_path / "x.npy", X)
    script = """
import pickle, numpy, irn
assert [one.usable for one in irn.devices()] == [True, False]
estimator, x = pickle.load(open("estimator.pickle", "rb")), numpy.load("x.npy")
try:
    estimator.predict(x)
except irn.Error as error:
    print(error)
numpy.save("answers.npy", estimator.set_params(device="cpu").predict(x))
"""
    without = {**os.environ, "IRN_CUDA_MODULE": "nowhere.so"}
    said = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=without, check=True, capture_output=True, text=True).stdout
    assert "device cuda cannot be used" in said and "set_params(device='cpu')" in said and said.count("\n") == 1
    assert np.array_equal(np.load(tmp_path / "answers.npy"), fitted.set_params(device="cpu").predict(X))
