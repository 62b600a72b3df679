"""irn.check: what the equilibria of a network are worth, beside formulas, NumPy and the program."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import irn


def switch():
    """z = tanh(2 z + x): three equilibria where |x| < 0.533, else one."""
    network = irn.Network("1-1tanh", precision="float64")
    network.parameters.vector = [1, 2, 0]
    return network


FOLD = abs(np.arctanh(np.sqrt(0.5)) - 2 * np.sqrt(0.5))  # dx/dz = 0 of x = atanh(z) - 2 z


def test_a_neuron_is_what_its_formula_says():
    x = np.array([[3.0], [0.1], [-2.0]])
    report = switch().check(x, closer=1)
    z = switch().settle(x).states[:, 0]
    rate = 1 - 2 * (1 - z**2)  # - (D A - I)
    assert report.settled.all() and (report.attraction == irn.Stability.attracts).all()
    np.testing.assert_allclose(report.eigenvalues[:, 0], -rate, rtol=1e-9)
    np.testing.assert_allclose(report.time_constants, 1 / rate, rtol=1e-9)
    np.testing.assert_allclose(report.singular, rate, rtol=1e-9)
    np.testing.assert_allclose(report.sensitivities, (1 - z**2) / rate, rtol=1e-6)
    assert (report.frequencies == 0).all() and (report.unstable == 0).all() and (report.inputs == 0).all()
    assert report.certificate is None and [c.name for c in report.certificates] == list(irn._core.certificate_names)

    (look,) = report.closer
    assert look.sample == 1 and len(look.equilibria) == 3 and not look.misses_some
    assert look.equilibria[0].from_rest and look.equilibria[0].state == pytest.approx(z[1:2])
    assert sorted(e.stability.name for e in look.equilibria) == ["attracts", "attracts", "repels"]
    assert sum(e.sign for e in look.equilibria) == 1
    assert look.fold.distance == pytest.approx(FOLD + 0.1, abs=1e-4)  # the upper branch ends at x = -FOLD
    assert look.edge.from_start > 0


def test_eigenvalues_are_those_of_the_jacobian():
    network = irn.Network("3-7tanh-2identity", precision="float64", seed=1)
    network.parameters.vector = np.random.default_rng(0).normal(0, 0.4, len(network.parameters.vector))
    x = np.random.default_rng(1).normal(size=(4, 3))
    states = network.settle(x).states
    report = irn.check(network, x, eigenvalues=9)
    for row, state, found in zip(x, states, report.eigenvalues):
        step = 1e-6
        f = lambda z: network.settle([row], solver="iterate:steps=1", starts=z[None]).states[0]
        differences = np.array([(f(state + step * e) - f(state - step * e)) / (2 * step) for e in np.eye(9)]).T - np.eye(9)
        np.testing.assert_allclose(network.jacobian(row, state), differences, atol=1e-6)
        expected = np.linalg.eigvals(network.jacobian(row, state))
        np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), atol=1e-9)
        np.testing.assert_allclose(np.sort_complex(network.eigenvalues(row, state)), np.sort_complex(expected), atol=1e-9)


def test_what_cycles_has_no_equilibrium_to_look_at():
    network = irn.Network("1-2/lateral", precision="float64")
    network.parameters["layer1.layer1"] = [[20, 40], [-40, 20]]
    network.parameters["layer1.bias"] = [-30, 10]
    report = network.check([[0.0]], closer=1)
    assert not report.settled.any() and np.isnan(report.time_constants).all() and report.inputs[0] == -1
    assert report.closer[0].fold is None and report.closer[0].fold_range is None
    assert all(e.stability == irn.Stability.repels for e in report.closer[0].equilibria) and report.closer[0].equilibria


def test_branches_have_the_folds_of_the_formula():
    (branch,) = switch().branches([0.0], 0, -1, 1)
    assert [t.kind for t in branch.turnings] == ["fold", "fold"]
    np.testing.assert_allclose(np.abs([t.p for t in branch.turnings]), FOLD, atol=1e-6)
    np.testing.assert_allclose(branch.p, np.arctanh(branch.states[:, 0]) - 2 * branch.states[:, 0], atol=1e-7)
    np.testing.assert_array_equal(branch.stable, branch.states[:, 0] ** 2 > 0.5)
    assert "crossing at 0.5" in repr(switch().branches([0.0], None, 0, 1))


def test_reports_tell_something_and_can_be_kept():
    report = switch().check([[0.1]], closer=1)
    assert "1 settled" in repr(report) and "3 equilibria, 2 attract" in repr(report) and "fold at 0.63" in repr(report.closer[0])
    assert "<table>" in report._repr_html_() and "does not hold" in repr(report.certificates[0])
    assert pickle.loads(pickle.dumps(report.certificates))[0].bound == 2


def test_certified_networks_say_so_and_settle_by_it():
    x = np.random.default_rng(0).normal(size=(200, 3))
    network = irn.train(x, x[:, 0] * x[:, 1], epochs=5, layers=30).model.network
    report = network.check(x)
    assert report.certificate.name == "diagonal stability" and report.certificate.bound < 1
    assert (network.settle(x).stabilities == irn.Stability.unasked).all()  # nothing need be asked
    network.parameters["layer1.layer1"] = 5  # beyond its certificate
    assert irn.check(network, x).certificate is None
    assert (network.settle(x).stabilities != irn.Stability.unasked).any()


@pytest.mark.skipif("TESTED_PROGRAM" not in os.environ, reason="the program is not built")
def test_a_model_is_checked_as_the_program_does(tmp_path):
    pytest.importorskip("pandas")
    import pandas

    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": random.normal(size=60), "kind": random.choice(["u", "v"], 60)})
    frame["y"] = np.sin(3 * frame.a) + (frame.kind == "u")
    frame.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    model = irn.train(frame, target="y", epochs=20, certify=0).model
    model.save(tmp_path / "m.irn")
    report = irn.check(model, frame)
    command = [os.environ["TESTED_PROGRAM"], "check", "m.irn", "t.csv", "-o", "rows.jsonl", "--closer", "0"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == len(report) == 60
    for name, ours in (("time_constant", report.time_constants), ("sensitivity", report.sensitivities), ("residual", report.residuals)):
        np.testing.assert_allclose(ours, [row[name] for row in rows], rtol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    "call, match",
    [
        (lambda n: irn.check("a", [[0.0]]), "takes an irn.Network or an irn.Model"),
        (lambda n: n.check([[0.0, 1.0]]), "takes 1 columns"),
        (lambda n: n.check([[0.0]], closer=-1), "closer: -1"),
        (lambda n: n.branches([0.0], 3, 0, 1), "column 3"),
        (lambda n: n.branches([0.0], 0, 1, 0), "lower end first"),
        (lambda n: n.jacobian([0.0], [0.0, 1.0]), "the state is 1 x 2"),
    ],
)
def test_what_is_refused(call, match):
    with pytest.raises(irn.Error, match=match):
        call(switch())
