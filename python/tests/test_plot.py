"""Pictures show what is there."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

import irn  # noqa: E402
import irn.plot  # noqa: E402
from irn.sklearn import ImplicitRegressor  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def switch(weight=8.0):
    """One sigmoid neuron that excites itself: two stable states for drives in the middle."""
    network = irn.Network("1-1/lateral", precision="float64")
    network.parameters["layer1.layer1"] = weight
    network.parameters["layer1.input"] = 1
    network.parameters["layer1.bias"] = -weight / 2
    return network


def test_the_flow_is_that_of_the_equation():
    network = switch()
    times, states = irn.plot.flow(network, [0.4], start=[0.3], time=2, step=0.01)
    slope = np.gradient(states[:, 0], times)
    right_side = 1 / (1 + np.exp(-(8 * states[:, 0] + 0.4 - 4))) - states[:, 0]
    assert np.allclose(slope[5:-5], right_side[5:-5], atol=1e-4)


def test_settling_shows_every_neuron_and_the_outcome():
    network = irn.Network("2-3-1", seed=1)
    ax = irn.plot.settling(network, [1.0, 0.5], time=5)
    assert "settled" in ax.get_title() and len(ax.get_legend().get_texts()) == 4
    assert len(irn.plot.settling(network, [1.0, 0.5], neurons=[3], time=5).lines) == 2
    with pytest.raises(irn.Error, match="neuron 7"):
        irn.plot.settling(network, [1.0, 0.5], neurons=7)


def test_learning_curves_of_trainings_and_estimators(tmp_path):
    x = np.linspace(-2, 2, 150)[:, None]
    training = irn.train(x, np.sin(x), epochs=8)
    ax = irn.plot.learning(training)
    assert [len(line.get_xdata()) for line in ax.lines[:2]] == [8, 8]
    assert f"best: epoch {training.best_epoch}" in [t.get_text() for t in ax.get_legend().get_texts()]
    irn.plot.learning(ImplicitRegressor(epochs=4).fit(x, np.sin(x[:, 0])), ax=plt.figure().gca()).figure.savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    with pytest.raises(irn.Error, match="fitted"):
        irn.plot.learning(ImplicitRegressor())


def test_eigenvalues_lie_left_of_zero_where_it_settled():
    network = irn.Network("2-6tanh-1identity", precision="float64", seed=3)
    ax = irn.plot.eigenvalues(network, np.random.default_rng(0).normal(size=(5, 2)))
    drawn = np.concatenate([line.get_xdata() for line in ax.lines if line.get_marker() == "."])
    assert len(drawn) == 5 * 7 and (drawn < 0).all()


def test_a_bifurcation_shows_hysteresis():
    network = switch()
    values = np.linspace(-2, 2, 41)
    ax = irn.plot.bifurcation(network, [0.0], 0, values)
    assert {t.get_text() for t in ax.get_legend().get_texts()} == {"from rest", "attracts", "repels", "fold"}
    folds = sorted(line.get_xdata()[0] for line in ax.lines if line.get_label() == "fold")
    x = lambda z: np.log(z / (1 - z)) - 8 * z + 4  # z = sigmoid(8 z + x - 4)
    z = np.array([1 + np.sqrt(0.5), 1 - np.sqrt(0.5)]) / 2  # 8 z (1 - z) = 1
    np.testing.assert_allclose(folds, sorted(x(z)), atol=1e-5)
    flat = irn.plot.bifurcation(switch(2.0), [0.0], 0, values)
    assert {t.get_text() for t in flat.get_legend().get_texts()} == {"from rest", "attracts"}
    with pytest.raises(irn.Error, match="column 3"):
        irn.plot.bifurcation(network, [0.0], 3, values)


def test_what_does_not_settle_is_drawn_as_that():
    network = irn.Network("1-2/lateral", precision="float64")
    network.parameters["layer1.layer1"] = [[20, 40], [-40, 20]]
    network.parameters["layer1.bias"] = [-30, 10]
    ax = irn.plot.bifurcation(network, [0.0], 0, [-0.1, 0.0, 0.1])
    assert "did not settle" in [t.get_text() for t in ax.get_legend().get_texts()]
    assert "3 of 3 rows did not settle" in irn.plot.eigenvalues(network, [[-0.1], [0.0], [0.1]]).get_title()
