"""irn.torch.fixed_point: fixed points of any function of tensors."""

import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.autograd import gradcheck  # noqa: E402

import irn  # noqa: E402
import irn.torch  # noqa: E402
from stirred_layer import stirred  # noqa: E402

DTYPES = [torch.float32, torch.float64]
ENGINES = ["irn", "torch"]
double = {"dtype": torch.float64}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def affine(z, w, b, x):
    return torch.tanh(z @ w.T + b + x)


def weights(n, dtype=torch.float64, size=0.8):
    return (size * nn.init.orthogonal_(torch.empty(n, n, **double))).to(dtype).requires_grad_()


@pytest.mark.parametrize("engine", ENGINES)
def test_gradcheck_of_fixed_points(engine):
    w, b = weights(4), torch.randn(4, requires_grad=True, **double)
    x = torch.randn(5, 4, requires_grad=True, **double)

    def solve(w, b, x):
        return irn.torch.fixed_point(lambda z, x: affine(z, w, b, x), torch.zeros_like(x), x, tolerance=1e-13, engine=engine)[0]

    assert gradcheck(solve, (w, b, x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [6, 70])
def test_the_engines_agree_and_so_does_the_network(dtype, n):
    """A network's layer, its function given to irn's solvers, and to torch's own operations: three ways to the same numbers."""
    layer = stirred(f"3-{n}tanh/lateral", seed=4, dtype=dtype)
    x = torch.randn(40, 3, dtype=dtype, requires_grad=True)
    slopes = torch.randn(40, n, dtype=dtype)
    part = layer.layer1
    found = {"layer": layer(x)}
    for engine in ENGINES:
        z, verdicts = irn.torch.fixed_point(
            lambda z, x: torch.tanh(z @ part.layer1.T + x @ part.input.T + part.bias), torch.zeros(40, n, dtype=dtype), x, engine=engine
        )
        assert verdicts.settled.all() and (verdicts.residuals < 1e-4).all()
        found[engine] = z
    within = 2e-4 if dtype == torch.float32 else 1e-6
    gradients = {k: torch.autograd.grad((v * slopes).sum(), [x, part.layer1, part.input, part.bias]) for k, v in found.items()}
    for engine in ENGINES:
        assert torch.allclose(found[engine], found["layer"], atol=within)
        for ours, theirs in zip(gradients[engine], gradients["layer"]):
            assert (ours - theirs).abs().max() < within * max(1, theirs.abs().max())


@pytest.mark.parametrize("solver", [name for name in irn.solvers if name not in ("iterate", "reversible")])
def test_every_solver_takes_tensors(solver):
    w, x = weights(5, size=0.5).detach(), torch.randn(7, 5, **double)
    options = ":steps=5000" if solver == "rk4" else ""
    z, found = irn.torch.fixed_point(lambda z, x: affine(z, w, 0, x), torch.zeros_like(x), x, solver=solver + options)
    assert found.settled.all() and not z.requires_grad
    assert torch.allclose(z, affine(z, w, 0, x), atol=1e-7)


@pytest.mark.parametrize("solver", ["iterate:steps=3", "reversible:steps=3"])
def test_iterates_have_no_exact_gradient(solver):
    w, x = weights(3), torch.randn(4, 3, **double)

    def solve(**options):
        return irn.torch.fixed_point(lambda z, x: affine(z, w, 0, x), torch.zeros_like(x), x, solver=solver, **options)

    with pytest.raises(irn.Error, match=f"gradient='exact' is that of equilibria, and solver='{solver}' .* take gradient='truncated' or 'one-step'"):
        solve()
    with torch.no_grad():
        assert (solve()[1].outcomes == irn.Outcome.iterated).all()
    for gradient in ("truncated:terms=3", "one-step"):
        solve(gradient=gradient)[0].sum().backward()
        assert w.grad.abs().sum() > 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("gradient", ["exact", "truncated", "one-step"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_batch_of_none_has_empty_answers_and_gradients_of_zero(engine, gradient, dtype):
    w, x = weights(3, dtype), torch.zeros(0, 2, 3, dtype=dtype, requires_grad=True)
    z, found = irn.torch.fixed_point(lambda z, x: affine(z, w, 0, x), torch.zeros(0, 2, 3, dtype=dtype), x, engine=engine, gradient=gradient)
    assert z.shape == (0, 2, 3) and z.dtype == dtype and len(found) == 0 and found.settled.shape == (0,)
    z.sum().backward()
    assert w.grad.shape == (3, 3) and w.grad.abs().sum() == 0 and x.grad.shape == x.shape and len(found.gradient_outcomes) == 0
    with torch.no_grad():
        assert irn.torch.fixed_point(torch.cos, torch.zeros(0, 2, dtype=dtype), engine=engine)[0].shape == (0, 2)


def unsettled(z0):
    irn.torch.fixed_point(lambda z: z + 1, z0)


def test_what_did_not_settle_comes_back_from_another_process():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(irn.torch.UnsettledError, match="2 of 2 samples did not settle") as refused:
            pool.submit(unsettled, torch.zeros(2, 1)).result(timeout=120)
    assert len(refused.value.verdicts.outcomes) == 2 and not refused.value.verdicts.settled.any()
    again = pickle.loads(pickle.dumps(irn.torch.GradientWarning("a line")))
    assert type(again) is irn.torch.GradientWarning and str(again) == "a line"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("damping", [1.0, 0.5])
def test_truncated_gradients_are_those_of_steps_from_the_equilibrium(engine, damping):
    w, x = weights(4), torch.randn(3, 4, **double)
    f = lambda z: affine(z, w, 0, x)

    def solve(gradient):
        return irn.torch.fixed_point(
            lambda z, x: affine(z, w, 0, x), torch.zeros_like(x), x, tolerance=1e-13, engine=engine, gradient=gradient
        )[0]

    z = solve(f"truncated:terms=3,damping={damping}")
    unrolled = z.detach()
    for _ in range(3):
        unrolled = (1 - damping) * unrolled + damping * f(unrolled)
    ours, theirs = (torch.autograd.grad(states.square().sum(), w)[0] for states in (z, unrolled))
    assert torch.allclose(ours, theirs, atol=1e-10)
    z = solve("one-step")
    ours, theirs = (torch.autograd.grad(states.square().sum(), w)[0] for states in (z, f(z.detach())))
    assert torch.allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_settled_samples_leave_the_batch(engine):
    asked = []

    def f(z, rate, target):
        assert z.shape[1:] == (2, 3) and len(z) == len(rate) == len(target)
        asked.append(len(z))
        return target + rate[:, None, None] * torch.sin(z)

    rate = torch.linspace(0, 0.97, 50, **double)
    target = torch.randn(50, 2, 3, **double)
    z, found = irn.torch.fixed_point(f, torch.zeros(50, 2, 3, **double), rate, target, solver="anderson:steps=2000", engine=engine, confirm=False)
    assert found.settled.all() and z.shape == (50, 2, 3)
    assert torch.allclose(z, f(z, rate, target), atol=1e-7)
    assert min(asked[:-1]) < 25 <= max(asked) and found.evaluations.min() < found.evaluations.max()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("unsettled", ["zeros", "empty", "last"])
def test_lost_samples_do_not_touch_the_others(engine, unsettled):
    """Rows that settle, that run away, and that leave the range of numbers."""
    kind = torch.tensor([0, 1, 0, 2, 0])
    a = torch.tensor(0.5, requires_grad=True, **double)

    def f(z, kind):
        kind = kind[:, None]
        return torch.where(kind == 0, torch.cos(a * z), torch.where(kind == 1, z + 1, torch.exp(z * z + 1) * a))

    z0 = torch.zeros(5, 1, **double)
    with pytest.raises(irn.torch.UnsettledError, match="2 of 5 samples did not settle"):
        irn.torch.fixed_point(f, z0, kind, engine=engine)
    with pytest.warns(irn.UnsettledWarning, match="2 of 5"):
        z, found = irn.torch.fixed_point(f, z0, kind, engine=engine, unsettled=unsettled)
    assert found.settled.tolist() == [True, False, True, False, True]
    assert irn.Outcome(found.outcomes[1]).name in ("runs_away", "ran_out", "cycles")
    expected = {"zeros": 0.0, "empty": float("nan")}
    if unsettled in expected:
        np.testing.assert_array_equal(z.detach().numpy()[[1, 3], 0], expected[unsettled])
    z[torch.from_numpy(found.settled)].sum().backward()
    b, t = 0.5, float(z[0])
    slope = -t * np.sin(b * t) / (1 + b * np.sin(b * t))  # dz/da of z = cos(a z)
    assert float(a.grad) == pytest.approx(3 * slope, abs=1e-7)
    assert found.gradient_outcomes.tolist() == [0, irn.GradientOutcome.not_settled, 0, irn.GradientOutcome.not_settled, 0]


def test_what_repels_is_no_answer():
    with pytest.raises(irn.torch.UnsettledError, match="repels"):
        irn.torch.fixed_point(lambda z: 3 * z - z**3, torch.full((1, 1), 0.1, **double), solver="newton")


@pytest.mark.parametrize("engine", ENGINES)
def test_samples_at_a_fold_are_left_out_and_named(engine):
    """z = x + z^2 folds at x = 1/4, where dz/dx = 1 / (1 - 2 z) has no bound."""
    x = torch.tensor([[0.1], [0.25 - 1e-7]], requires_grad=True, **double)
    options = {"solver": "anderson:steps=3000", "tolerance": 1e-10, "amplification_limit": 100}
    z, found = irn.torch.fixed_point(lambda z, x: x + z * z, torch.zeros_like(x), x, engine=engine, **options)
    assert found.settled.all()
    with pytest.warns(irn.torch.GradientWarning, match="1 of 2 samples are left out of the gradient: 1 fold"):
        z.sum().backward()
    assert x.grad[0, 0].item() == pytest.approx(1 / (1 - 2 * z[0, 0].item())) and x.grad[1, 0] == 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["auto", "anderson"])
@pytest.mark.parametrize("strength", [0.3, 0.9])
def test_a_function_that_is_not_the_same_twice_is_refused(engine, solver, strength):
    x = torch.randn(64, 8, requires_grad=True)
    norm = nn.BatchNorm1d(8)
    for f in (lambda z, x: torch.tanh(strength * nn.functional.dropout(z, 0.5) + x), lambda z, x: torch.tanh(strength * norm(z) + x)):
        with pytest.raises(ValueError, match="no dropout, and no batch normalisation|more than 1 value per channel when training"):
            irn.torch.fixed_point(f, torch.zeros(64, 8), x, engine=engine, solver=solver)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_that_hides_z_from_autograd(engine):
    x = torch.randn(4, 3, requires_grad=True, **double)
    f = lambda z, x: torch.tanh(0.5 * z.detach() + x)
    z, found = irn.torch.fixed_point(f, torch.zeros_like(x), x, engine=engine)
    assert found.settled.all()
    with pytest.raises(irn.Error, match="autograd does not see z in f"):
        z.sum().backward()
    z, _ = irn.torch.fixed_point(f, torch.zeros_like(x), x, engine=engine, gradient="one-step")
    z.sum().backward()
    assert torch.allclose(x.grad, 1 - z.detach() ** 2, atol=1e-7)


def test_functions_that_cannot_be_differentiated_twice():
    """A layer of irn within f: products with its Jacobian are taken by differences."""
    inner = stirred("60-60tanh/lateral", seed=1, **double)
    x = torch.randn(4, 60, requires_grad=True, **double)
    z, found = irn.torch.fixed_point(lambda z, x: 0.3 * inner(z) + x, torch.zeros_like(x), x, solver="newton-krylov")
    assert found.settled.all()
    z.square().sum().backward()
    plain, _ = irn.torch.fixed_point(lambda z, x: 0.3 * inner(z) + x, torch.zeros_like(x), x, engine="torch")
    assert torch.allclose(torch.autograd.grad(plain.square().sum(), x)[0], x.grad, atol=1e-6)


@pytest.mark.parametrize(
    "call, match",
    [
        (lambda: irn.torch.fixed_point(3, torch.zeros(2, 2)), "f is a int, not a function"),
        (lambda: irn.torch.fixed_point(torch.cos, np.zeros((2, 2))), "z0 is a ndarray"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.eye(2).to_sparse()), "z0 is a sparse tensor"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2, device="meta")), "z0 is on the device meta"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2)), r"z0 has the shape \(2,\)"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 0)), r"z0 has the shape \(2, 0\)"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2).half()), "float16"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2).long()), "int64"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.full((2, 2), float("inf"))), "not finite"),
        (lambda: irn.torch.fixed_point(lambda z, x: z, torch.zeros(2, 2), torch.zeros(3, 2)), r"inputs\[0\] has 3 rows for the 2 samples"),
        (lambda: irn.torch.fixed_point(lambda z, x: z, torch.zeros(2, 2), np.zeros((2, 2))), r"inputs\[0\] is a NumPy array"),
        (lambda: irn.torch.fixed_point(lambda z, x: z, torch.zeros(2, 2), torch.zeros(2, 2, device="meta")), "on meta, z0 on cpu"),
        (lambda: irn.torch.fixed_point(lambda z: z[:, :1], torch.zeros(2, 2)), "f returned a tensor of shape"),
        (lambda: irn.torch.fixed_point(lambda z: None, torch.zeros(2, 2)), "f returned a NoneType"),
        (lambda: irn.torch.fixed_point(lambda z: z.double(), torch.zeros(2, 2)), "f returned torch.float64"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), solver="guess"), "guess"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), solver="newton", engine="torch"), "none of anderson, fixed-point"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), solver="anderson:memry=3", engine="torch"), "'memry=3'"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), solver="anderson:memory=1.5", engine="torch"), "'memory=1.5'"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), gradient="semi"), "none of exact, truncated, one-step"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), gradient="truncated:terms=0"), "terms"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), unsettled="ignore"), "unsettled"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), engine="gpu"), "none of auto, irn, torch"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), tolerance=1e-9), "tolerance 1e-09 is no bound for torch.float32"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), tolerance="small"), "tolerance"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), floor=0), "floor"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), floor=0, engine="torch"), "floor"),
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(2, 2), amplification_limit=0), "amplification"),
    ],
)
def test_what_fixed_point_refuses(call, match):
    with pytest.raises(irn.Error, match=match) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_f_raises_comes_through(engine):
    def f(z):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        irn.torch.fixed_point(f, torch.zeros(2, 2), engine=engine)


def test_nothing_is_differentiated_without_need():
    cell = nn.Linear(3, 3)
    with torch.no_grad():
        z, _ = irn.torch.fixed_point(lambda z: torch.tanh(0.3 * cell(z)), torch.zeros(2, 3))
    assert not z.requires_grad
    z, _ = irn.torch.fixed_point(lambda z: torch.tanh(0.3 * cell(z)), torch.zeros(2, 3))
    assert z.requires_grad
    assert not irn.torch.fixed_point(torch.cos, torch.zeros(2, 3))[0].requires_grad


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"))])
def test_the_torch_engine_stays_on_its_device_and_needs_no_extension(device):
    """The checks for machines with a GPU, in a process that does not find irn._core."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    script = pathlib.Path(__file__).with_name("cuda_check.py")
    done = subprocess.run([sys.executable, script, "--device", device], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "irn._core: no" in done.stdout and "checks passed" in done.stdout, done.stdout + done.stderr
