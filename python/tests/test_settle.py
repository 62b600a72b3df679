"""irn.settle: functions of the user's, one problem or many at once."""

import numpy as np
import pytest

import irn

SOLVERS = [s for s in irn.solvers if s not in ("iterate", "reversible")]


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_finds_cos_z(solver):
    found = irn.settle(np.cos, 0.5, solver=solver)
    if found.settled:
        assert found.z == pytest.approx(0.7390851332151607, abs=1e-7) and found.z.shape == ()
    assert found.settled or solver == "rk4"  # which takes thirty steps and no more


def test_solvers_that_iterate_claim_no_equilibrium():
    found = irn.settle(np.cos, 0.5, solver="iterate:steps=3")
    assert found.outcomes == irn.Outcome.iterated and found.answered and not found.settled
    assert found.z == pytest.approx(np.cos(np.cos(np.cos(0.5))))


def problem(seed, m, n):
    random = np.random.default_rng(seed)
    w = random.normal(size=(n, n)) * 0.8 / np.sqrt(n)
    return lambda z, x: np.tanh(z @ w.T + x), random.normal(size=(m, n)), w


@pytest.mark.parametrize("n", [1, 3, 20, 70])
def test_a_batch_is_its_problems_one_by_one(n):
    f, x, w = problem(n, 40, n)
    batch = irn.settle(f, np.zeros((40, n)), (x,))
    assert batch.settled.all() and batch.residuals.max() < 1e-7
    for i in (0, 7, 39):
        alone = irn.settle(f, np.zeros(n), (x[i],))
        assert np.allclose(alone.z, batch.z[i], atol=1e-12) and alone.settled


def test_settled_problems_leave_the_batch():
    sizes = []

    def f(z, speed):
        sizes.append(len(z))
        return z + speed * (1 - z)

    speed = np.geomspace(0.01, 1, 64)[:, None]
    found = irn.settle(f, np.zeros((64, 1)), (speed,), solver="fixed-point:steps=5000")
    assert found.settled.all() and min(sizes) < 64


def test_a_jacobian_saves_evaluations_and_changes_no_answer():
    f, x, w = problem(3, 16, 12)

    def jac(z, x):
        return (1 - f(z, x) ** 2)[:, :, None] * w

    def jvp(z, v, x):
        return (1 - f(z, x) ** 2) * (v @ w.T)

    plain = irn.settle(f, np.zeros((16, 12)), (x,), solver="newton")
    for more in ({"jac": jac}, {"jvp": jvp}):
        found = irn.settle(f, np.zeros((16, 12)), (x,), solver="newton", **more)
        assert np.allclose(found.z, plain.z, atol=1e-7) and found.settled.all()


def test_it_follows_the_flow_where_newton_takes_any_equilibrium():
    """z = 3 tanh z has three; from 0.1 the flow goes up."""
    f = lambda z: 3 * np.tanh(z)  # noqa: E731
    assert irn.settle(f, 0.1).z == pytest.approx(2.9847, abs=1e-3)
    assert irn.settle(f, -0.1).z == pytest.approx(-2.9847, abs=1e-3)


def test_what_has_no_equilibrium_is_named():
    assert not irn.settle(lambda z: z + 1, 0.0).outcomes.has_answer
    assert not irn.settle(lambda z: z * np.inf, 1.0).outcomes.has_answer
    turn = np.array([[0.0, -3.0], [3.0, 0.0]])
    assert not irn.settle(lambda z: np.tanh(2 * z + turn @ z), np.array([0.3, 0.1])).outcomes.has_answer


def test_an_exception_of_the_function_comes_through():
    def f(z):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        irn.settle(f, np.zeros(3))


def test_arrays_that_a_function_keeps_stay_its_own():
    kept = []

    def f(z):
        kept.append(z)
        return np.cos(z)

    irn.settle(f, np.zeros((5, 2)))
    first = [k.copy() for k in kept]
    irn.settle(np.cos, np.ones((50, 20)))
    assert all(np.array_equal(a, b) for a, b in zip(first, kept))


@pytest.mark.parametrize(
    "f, z0, args, words",
    [
        (None, 1.0, (), "no function"),
        (np.cos, [], (), "empty"),
        (np.cos, np.nan, (), "finite"),
        (np.cos, np.zeros((2, 2, 2)), (), "axes"),
        (np.cos, "text", (), "text"),
        (lambda z: None, 1.0, (), "returned nothing"),
        (lambda z: "text", 1.0, (), "f returned"),
        (lambda z: np.zeros(4), np.zeros(3), (), r"\(4,\)"),
        (lambda z, x: z, np.zeros((3, 2)), (np.zeros((4, 2)),), "4 rows for 3 problems"),
    ],
)
def test_refusals_are_one_clear_line(f, z0, args, words):
    with pytest.raises(irn.Error, match=words) as refused:
        irn.settle(f, z0, args)
    assert "\n" not in str(refused.value)


def test_unknown_solvers_are_answered_with_a_suggestion():
    with pytest.raises(irn.Error, match="anderson"):
        irn.settle(np.cos, 1.0, solver="andersen")
