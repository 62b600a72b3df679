"""Networks: values in and out in any layout, parameters by name, gradients, files, pickles."""

import copy
import pickle

import joblib
import numpy as np
import pytest

import irn
from irn import _core

NETWORKS = ["3-4-2", "3-5tanh-2identity", "3-60relu-2identity/lateral", "3-6softplus-4-2/none"]
PRECISIONS = {"float32": np.float32, "float64": np.float64}


def rows(n, k, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k)).astype(dtype)


def test_names_of_outcomes_are_those_of_the_core():
    assert tuple(o.name for o in irn.Outcome) == _core.outcome_names
    assert tuple(s.name for s in irn.Stability) == _core.stability_names
    assert tuple(o.name for o in irn.GradientOutcome) == _core.gradient_outcome_names


@pytest.mark.parametrize("architecture", NETWORKS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_settled_state_is_an_equilibrium(architecture, precision):
    network = irn.Network(architecture, precision=precision, seed=3)
    x = rows(50, 3)
    answers = network.settle(x)
    assert answers.settled.all() and answers.states.dtype == PRECISIONS[precision]
    assert (answers.evaluations > 0).all() and answers.residuals.max() < 1e-4
    assert np.array_equal(answers.outputs, answers.states[:, -2:])


def test_the_parameters_by_name_are_those_of_the_equation():
    """z = f(A z + B x + b), written out in NumPy."""
    network = irn.Network("3-4tanh-2identity", precision="float64", start="paper", seed=7)
    p = network.parameters
    for name in p:
        p[name] = 0.3 * rows(*np.atleast_2d(p[name]).shape, seed=len(name)).reshape(p[name].shape)
    x = rows(6, 3)
    z = network.settle(x, tolerance=1e-12).states
    hidden, out = z[:, :4], z[:, 4:]
    drive = hidden @ p["layer1.layer1"].T + out @ p["layer1.layer2"].T + x @ p["layer1.input"].T + p["layer1.bias"]
    assert np.allclose(hidden, np.tanh(drive), atol=1e-10)
    drive = hidden @ p["layer2.layer1"].T + out @ p["layer2.layer2"].T + p["layer2.bias"]
    assert np.allclose(out, drive, atol=1e-10)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_layout_gives_the_same_bits(precision):
    dtype = PRECISIONS[precision]
    network = irn.Network("3-8-2", precision=precision, seed=1)
    x = rows(40, 3, dtype)
    wanted = network.settle(x).states
    wide = np.zeros((80, 6), dtype)
    wide[::2, ::2] = x
    swapped = x.astype(x.dtype.newbyteorder())
    packed = np.zeros(40, dtype=np.dtype([("skip", "u1"), ("x", dtype, 3)]))
    packed["x"] = x
    read_only = x.copy()
    read_only.flags.writeable = False
    for given in (np.asfortranarray(x), wide[::2, ::2], x[::-1][::-1], swapped, packed["x"], read_only, x.tolist()):
        assert np.array_equal(network.settle(given).states, wanted)
    assert np.array_equal(network.settle(x[::-1]).states[::-1], wanted)


def test_one_row_is_a_vector_and_many_rows_are_parts_of_the_same_bits():
    network = irn.Network("3-8-2", seed=1)
    x = rows(30000, 3, np.float32)
    many = network.settle(x)
    assert np.array_equal(many.states[29999], network.settle(x[29999]).states[0])
    assert np.array_equal(many.states[:100], network.settle(x[:100]).states)
    starts = rows(30000, 10, np.float32)
    assert np.array_equal(network.settle(x, starts=starts).states[20000], network.settle(x[20000], starts=starts[20000]).states[0])


def test_nothing_is_copied_where_the_layout_allows():
    network = irn.Network("3-8-2", seed=1)
    answers = network.settle(rows(10, 3))
    assert answers.outputs.base is not None and not answers.outcomes.flags.owndata
    assert np.shares_memory(answers.outputs, answers.states)
    assert np.shares_memory(network.parameters.vector, network.parameters["layer1.bias"])


def test_parameters_are_views_that_assignment_changes():
    network = irn.Network("3-4-2", seed=1)
    bias = network.parameters["layer2.bias"]
    assert not bias.flags.writeable
    network.parameters["layer2.bias"] = [1, 2]
    assert list(bias) == [1, 2]
    network.parameters["layer2.bias"] = 0.5
    assert list(bias) == [0.5, 0.5]
    vector = network.parameters.vector.copy()
    network.parameters.vector = vector * 2
    assert np.array_equal(network.parameters.vector, vector * 2)
    with pytest.raises(ValueError):
        bias[0] = 3


@pytest.mark.parametrize("gradient", ["exact", "semi", "truncated:terms=3", "unrolled:steps=20", "reversible:steps=20"])
def test_the_gradient_is_the_slope_of_the_loss(gradient):
    """Central differences; of those that do not differentiate the whole answer only that they are used."""
    network = irn.Network("2-5tanh-2identity", precision="float64", seed=2)
    x, target = rows(7, 2), rows(7, 2, seed=1)

    solver = {"u": "iterate:steps=20", "r": "reversible:steps=20"}.get(gradient[0], "auto")

    def loss():
        outputs = network.settle(x, solver=solver, tolerance=1e-12).outputs
        return ((outputs - target) ** 2).sum(axis=1).mean()

    found = network.gradient(x, lambda outputs: 2 * (outputs - target), gradient=gradient, tolerance=1e-12, inputs=True)
    assert found.used == 7 and found.inputs.shape == x.shape and np.isfinite(found.vector).all()
    if gradient.startswith(("semi", "truncated")):
        return
    before, step = network.parameters.vector.copy(), 1e-6
    for k in range(0, len(before), 5):
        change = np.zeros_like(before)
        change[k] = step
        network.parameters.vector = before + change
        up = loss()
        network.parameters.vector = before - change
        assert found.vector[k] == pytest.approx((up - loss()) / (2 * step), rel=1e-5, abs=1e-8)
    network.parameters.vector = before


def test_a_pass_is_a_value():
    network = irn.Network("3-4-2", seed=1)
    x = rows(5, 3)
    found = network.forward(x)
    first = network.backward(found, np.ones((5, 2)))
    assert np.array_equal(first.vector, network.backward(found, np.ones((5, 2))).vector)
    twice = network.backward(found, np.ones((5, 2)), weights=[2, 2, 2, 2, 2])
    assert np.array_equal(first.vector, twice.vector)
    assert set(first) == set(network.parameters) and first["layer1.input"].shape == (4, 3)
    with pytest.raises(irn.Error, match="forward"):
        irn.Network("3-4-2", seed=1).backward(found, np.ones((5, 2)))
    network.parameters["layer1.bias"] = 1
    with pytest.raises(irn.Error, match="call forward"):
        network.backward(found, np.ones((5, 2)))


def test_a_jacobian_says_whether_a_state_attracts():
    network = irn.Network("1-1/lateral", precision="float64")
    network.parameters["layer1.layer1"] = 8
    network.parameters["layer1.bias"] = -4
    repelling = network.jacobian([0.0], [0.5])  # the middle one of three equilibria
    assert repelling == pytest.approx(np.array([[1.0]]))
    assert network.jacobian([0.0], network.settle([[0.0]]).states)[0, 0] < 0


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))])
def test_copies_are_independent_and_equal(again, tmp_path):
    network = irn.Network("3-4-2", precision="float64", seed=9)
    other = again(network)
    assert other == network and repr(other) == repr(network)
    other.parameters["layer1.bias"] = 5
    assert other != network and network.parameters["layer1.bias"].max() < 5


def test_joblib_and_files(tmp_path):
    network = irn.Network("3-4-2", seed=9)
    joblib.dump(network, tmp_path / "network.joblib")
    assert joblib.load(tmp_path / "network.joblib") == network
    network.save(tmp_path / "network.irn")
    assert irn.Network.load(tmp_path / "network.irn") == network
    assert irn.load(tmp_path / "network.irn").network == network
    results = joblib.Parallel(n_jobs=2)(joblib.delayed(network.settle)(rows(4, 3, seed=s)) for s in range(4))
    assert np.array_equal(results[2].states, network.settle(rows(4, 3, seed=2)).states)


def test_a_trainer_learns_xor():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    y = np.array([0, 1, 1, 0], float)
    network = irn.Network("2-2", start="paper", seed=1)
    trainer = irn.Trainer(network, optimiser="adam:rate=0.05", clip=1)
    for _ in range(600):
        step = trainer.step(x, y)  # of two outputs the first has a target
    assert step.samples == 4 and step.applied
    assert np.array_equal(network.settle(x).outputs[:, 0] > 0.5, y > 0.5)
    assert trainer.evaluate(x, y).loss < 0.1


def test_an_optimiser_takes_any_gradient():
    network = irn.Network("2-3-1identity", seed=1)
    optimiser = irn.Optimiser("sgd:rate=0.1", network)
    before = network.parameters.vector.copy()
    gradient = np.ones(len(before))
    assert optimiser.step(network, gradient)
    assert np.allclose(network.parameters.vector, before - 0.1)
    assert not optimiser.step(network, gradient * np.nan)
    assert np.isfinite(network.parameters.vector).all()


def test_a_certificate_is_proven():
    network = irn.Network("3-4-2", seed=1)
    bound, proven = network.certificate
    assert proven and bound < 1
    network.parameters["layer1.layer1"] = 100 * np.eye(4)
    assert network.certificate[0] > 1 and not network.certificate[1]


def test_reprs_tell_something():
    network = irn.Network("3-4-2", seed=1)
    assert "3-4-2" in repr(network) and "layer1.bias" in repr(network.parameters)
    assert "5 settled" in repr(network.settle(rows(5, 3)))
    assert "layer1.input" in network._repr_html_() and "<table" in network._repr_html_()


def test_whether_an_equilibrium_attracts_is_asked():
    """A switch in the middle of its two stable states: newton stays there, and it repels."""
    network = irn.Network("1-1/lateral", precision="float64")
    network.parameters["layer1.layer1"] = 8
    network.parameters["layer1.bias"] = -4
    asked = network.settle([[0.0]], solver="newton", starts=[[0.5]])
    assert asked.outcomes[0] == irn.Outcome.repels and asked.stabilities[0] == irn.Stability.repels and not asked.answered[0]
    unasked = network.settle([[0.0]], solver="newton", starts=[[0.5]], confirm=False)
    assert unasked.settled[0] and unasked.stabilities[0] == irn.Stability.unasked
    assert network.settle([[0.0]]).stabilities[0] == irn.Stability.attracts


def test_networks_that_oscillate_say_so():
    network = irn.Network("1-2/lateral", precision="float64")
    network.parameters["layer1.layer1"] = [[0, 60.0], [-60.0, 0]]
    network.parameters["layer1.bias"] = [-30.0, 30.0]
    answers = network.settle([[0.0]], solver="fixed-point")
    assert not answers.answered.any() and not irn.Outcome(answers.outcomes[0]).has_answer
    found = network.gradient([[0.0]], [[1.0, 1.0]], solver="fixed-point")
    assert found.used == 0 and found.outcomes[0] == irn.GradientOutcome.not_settled and not found.vector.any()


def test_a_device_is_the_one_asked_for_or_none():
    network = irn.Network("3-4-2", seed=1)
    x = np.linspace(-1, 1, 15).reshape(5, 3)
    assert (network.settle(x, device="cpu").states == network.settle(x).states).all()
    with pytest.raises(irn.Error, match="is no device; take cpu, cuda"):
        network.settle(x, device="abacus")
    with pytest.raises(irn.Error, match="cuda:98"):
        network.settle(x, device="cuda:98")


def test_what_settled_and_was_not_shown_to_attract_is_counted():
    n, rng = 60, np.random.default_rng(60)
    network = irn.Network("2-60tanh/lateral", precision="float64")
    network.parameters["layer1.layer1"] = 3 * rng.normal(size=(n, n)) / np.sqrt(n)
    network.parameters["layer1.input"] = rng.normal(size=(n, 2))
    network.parameters["layer1.bias"] = 0.1 * rng.normal(size=n)
    answers = network.settle(rng.normal(size=(60, 2)))
    undecided = int(np.sum(answers.settled & (answers.stabilities == irn.Stability.undecided)))
    assert undecided > 0 and f"{answers.settled.sum()} settled ({undecided} undecided)" in repr(answers)
