"""irn.torch: a network as a layer, and fixed points of any function of tensors."""

import copy
import io
import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.autograd import gradcheck  # noqa: E402
from torch.nn.utils.stateless import functional_call  # noqa: E402

import irn  # noqa: E402
import irn.torch  # noqa: E402

DTYPES = [torch.float32, torch.float64]
ENGINES = ["irn", "torch"]
double = {"dtype": torch.float64}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


# The layer


def stirred(*arguments, **options):
    """A layer whose recurrent weights are not zero, as they are where training begins."""
    layer = irn.torch.Implicit(*arguments, **options)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.4 / parameter.shape[-1] ** 0.5)
    return layer


def functional(layer):
    names = [name for name, _ in layer.named_parameters()]
    parameters = [p.detach().clone().requires_grad_() for p in layer.parameters()]
    return (lambda x, *values: functional_call(layer, dict(zip(names, values)), (x,))), parameters


@pytest.mark.parametrize(
    "architecture", ["3-4-2", "2-5tanh-3identity/lateral", "3-4tanh/full", "2-6relu-2softplus/none", "3-60tanh-2/lateral=lowrank2"]
)
def test_gradcheck_by_inputs_and_parameters(architecture):
    layer = stirred(architecture, seed=2, tolerance=1e-13, **double)
    f, parameters = functional(layer)
    x = torch.randn(3, layer.in_features, requires_grad=True, **double)
    if sum(p.numel() for p in parameters) > 200:
        parameters = [p.requires_grad_(p.numel() <= 64) for p in parameters]
    assert gradcheck(f, (x, *parameters))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("gradient", ["exact", "semi", "truncated:terms=3", "unrolled:steps=20", "reversible:steps=20"])
def test_answers_and_gradients_are_those_of_the_network(dtype, gradient):
    layer = stirred("4-10tanh-3identity", seed=3, gradient=gradient, dtype=dtype)
    network = layer.network()
    x = torch.randn(50, 4, dtype=dtype, requires_grad=True)
    slopes = torch.randn(50, 3, dtype=dtype)
    found = network.forward(x.detach().numpy(), gradient=gradient, inputs=True)
    outputs = layer(x)
    outputs.backward(slopes)
    wanted = network.backward(found, slopes.numpy())
    assert np.array_equal(outputs.detach().numpy(), found.outputs)
    assert np.array_equal(layer.outcomes, found.outcomes)
    assert wanted.used == 50 and (layer.gradient_outcomes == irn.GradientOutcome.used).all()
    rounding = 4 * torch.finfo(dtype).eps
    for name, parameter in layer.named_parameters():
        np.testing.assert_allclose(parameter.grad.numpy(), 50 * wanted[name], rtol=rounding)
    np.testing.assert_array_equal(x.grad.numpy(), wanted.inputs)
    with torch.no_grad():
        assert torch.allclose(layer(x), outputs, atol=1e-4 if dtype == torch.float32 else 1e-7), "the same without a gradient"


def test_names_are_those_of_model_files(tmp_path):
    layer = irn.torch.Implicit("3-4-2", seed=1)
    network = irn.Network("3-4-2", seed=1)
    assert set(layer.state_dict()) == set(network.parameters)
    assert layer.network() == network, "the same seed is the same network"
    with torch.no_grad():
        layer.layer1.bias.add_(0.5)
    layer.save(tmp_path / "layer.irn")
    again = irn.torch.Implicit.load(tmp_path / "layer.irn")
    assert again.network() == layer.network() == irn.Network.load(tmp_path / "layer.irn")
    other = irn.torch.Implicit("3-4-2", seed=9)
    other.load_state_dict(layer.state_dict())
    x = torch.randn(5, 3)
    assert torch.equal(other(x), layer(x)) and torch.equal(again(x), layer(x))


def test_a_trained_model_becomes_a_layer_with_its_solver(tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 2))
    model = irn.train(x, x[:, 0], epochs=2, solver="anderson:memory=3", tolerance=1e-4).model
    model.save(tmp_path / "model.irn")
    layer = irn.torch.Implicit.load(tmp_path / "model.irn")
    assert layer.solver.startswith("anderson:memory=3") and layer.tolerance == 1e-4
    inputs = random.normal(size=(8, 2)).astype(np.float32)
    np.testing.assert_array_equal(layer(torch.from_numpy(inputs)).detach().numpy(), model.network.settle(inputs).outputs)


def test_torchs_seed_is_the_layers():
    torch.manual_seed(5)
    first = irn.torch.Implicit("3-4-2").network()
    second = irn.torch.Implicit("3-4-2").network()
    torch.manual_seed(5)
    assert irn.torch.Implicit("3-4-2").network() == first != second


def test_layers_are_copied_pickled_and_saved():
    layer = irn.torch.Implicit("3-4-2", seed=1, unsettled="zeros")
    x = torch.randn(6, 3)
    wanted = layer(x)  # with a graph that is alive
    buffer = io.BytesIO()
    torch.save(layer, buffer)
    buffer.seek(0)
    for again in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)), torch.load(buffer)):
        assert torch.equal(again(x), wanted) and again.unsettled == "zeros"
        with torch.no_grad():
            again.layer1.bias.add_(1)
        assert not torch.equal(again(x), wanted) and torch.equal(layer(x), wanted)
    assert "3-4-2" in repr(layer)


def test_any_leading_axes_strides_and_empty_batches():
    layer = stirred("3-4-2", seed=1, **double)
    x = torch.randn(3, 5, 7, **double).transpose(1, 2)[..., ::2]
    assert x.shape == (3, 7, 3)
    together = layer(x)
    assert together.shape == (3, 7, 2) and len(layer.outcomes) == 21
    assert torch.equal(together.reshape(21, 2), layer(x.reshape(21, 3)))
    assert torch.equal(layer(x[0, 0]), together[0, 0])
    assert layer(x[:0]).shape == (0, 7, 2) and len(layer.outcomes) == 0


def test_heads_are_the_output():
    layer = stirred("3-4tanh-2identity", seed=1, heads=[1, 2], tolerance=1e-13, **double)
    x = torch.randn(3, 3, requires_grad=True, **double)
    assert layer.out_features == 6 and layer(x).shape == (3, 6)
    np.testing.assert_array_equal(layer(x).detach().numpy(), layer.network().settle(x.detach().numpy(), tolerance=1e-13).states)
    assert gradcheck(layer, (x,))


def test_states_to_begin_at():
    """A neuron that excites itself rests low or high, as it begins."""
    layer = irn.torch.Implicit("1-1/lateral", **double)
    with torch.no_grad():
        layer.layer1.layer1.fill_(8), layer.layer1.bias.fill_(-4), layer.layer1.input.zero_()
    x, starts = torch.zeros(2, 1, **double), torch.tensor([[0.1], [0.9]], **double)
    low, high = layer(x, starts)[:, 0].tolist()
    assert low < 0.1 and high > 0.9
    assert torch.equal(layer(x, starts[1]), layer(x, starts)[[1, 1]])


def test_memory_is_shared_where_it_can_be():
    layer = stirred("3-40-2", seed=1)
    x = torch.randn(10, 3)
    with torch.no_grad():
        assert layer(x).stride() == (42, 1), "a view of irn's states"
    outputs = layer(x)
    outputs.relu_()  # does no harm to what the way back needs
    outputs.sum().backward()
    by_inplace = layer.layer1.bias.grad.clone()
    layer.zero_grad()
    torch.relu(layer(x)).sum().backward()
    assert torch.equal(layer.layer1.bias.grad, by_inplace)


def test_precision_follows_the_module():
    layer = irn.torch.Implicit("3-4-2", seed=1)
    x = torch.randn(5, 3)
    single = layer(x)
    again = layer.double()(x.double())
    assert again.dtype == torch.float64 and torch.allclose(single.double(), again, atol=1e-5)
    assert layer.network().precision == "float64"
    assert torch.allclose(layer.float()(x), single, atol=1e-6)


def test_passes_with_several_parameters_wait_for_their_way_back():
    layer = stirred("3-4tanh-2identity", seed=1, **double)
    f, first = functional(layer)
    second = [(p * 1.5).detach().requires_grad_() for p in first]
    x = torch.randn(4, 3, **double)

    def alone(parameters):
        return torch.autograd.grad(f(x, *parameters).square().sum(), parameters)

    wanted = [*alone(first), *alone(second)]
    a, _, b = f(x, *first), f(x, *first), f(x, *second)
    found = torch.autograd.grad(a.square().sum() + b.square().sum(), [*first, *second])
    assert all(torch.equal(g, w) for g, w in zip(found, wanted))


def test_parameters_changed_before_the_way_back_are_refused():
    layer = irn.torch.Implicit("3-4-2", seed=1)
    loss = layer(torch.randn(4, 3)).sum()
    with torch.no_grad():
        layer.layer1.bias.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_frozen_parameters_and_gradients_by_inputs_alone():
    layer = irn.torch.Implicit("3-4-2", seed=1).requires_grad_(False)
    x = torch.randn(4, 3, requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.abs().sum() > 0 and all(p.grad is None for p in layer.parameters())
    assert not layer(x.detach()).requires_grad


def cycling(**options):
    """Two neurons that chase each other once an input wakes them; with none they rest."""
    layer = irn.torch.Implicit("1-2tanh/lateral", seed=0, **{**double, **options})
    with torch.no_grad():
        layer.layer1.layer1.copy_(torch.tensor([[2.0, -5.0], [5.0, 2.0]]))
        layer.layer1.input.fill_(1)
        layer.layer1.bias.zero_()
    return layer


def test_samples_that_do_not_settle_are_refused_or_marked():
    x = torch.tensor([[0.1], [50.0], [0.3]], requires_grad=True, **double)  # a strong input holds them still
    with pytest.raises(irn.torch.UnsettledError, match="2 of 3 samples did not settle") as caught:
        cycling()(x)
    assert isinstance(caught.value, ValueError) and not irn.Outcome(caught.value.verdicts.outcomes[0]).has_answer
    wanted = torch.autograd.grad(cycling()(x[1:2]).sum(), x)[0]
    for unsettled, expected in {"zeros": 0.0, "empty": float("nan"), "last": None}.items():
        layer = cycling(unsettled=unsettled)
        with pytest.warns(irn.UnsettledWarning, match="2 of 3 samples"):
            outputs = layer(x)
        assert layer.settled.tolist() == [False, True, False]
        if expected is not None:
            np.testing.assert_array_equal(outputs.detach().numpy()[[0, 2]], np.full((2, 2), expected))
        found = torch.autograd.grad(outputs[layer.settled].sum() if unsettled == "empty" else outputs.sum(), [x, layer.layer1.bias])
        assert torch.equal(found[0], wanted) and torch.isfinite(found[1]).all()
        assert layer.gradient_outcomes.tolist() == [irn.GradientOutcome.not_settled, 0, irn.GradientOutcome.not_settled]


def test_certified_layers_stay_within_their_certificate():
    layer = irn.torch.Implicit("3-8tanh-2identity", seed=1)
    with torch.no_grad():
        layer.layer1.layer1.normal_(0, 3)
    before = {name: tensor.clone() for name, tensor in layer.state_dict().items()}
    layer.certify(0.9)
    bound, proven = layer.network().certificate
    assert proven and bound <= 0.9001
    assert torch.equal(layer.layer1.input, before["layer1.input"]) and not torch.equal(layer.layer1.layer1, before["layer1.layer1"])
    after = layer.layer1.layer1.clone()
    layer.certify(0.9)
    assert torch.allclose(layer.layer1.layer1, after, rtol=1e-5), "what is within the bound stays"


def test_a_gradient_of_a_gradient_is_refused():
    layer = stirred("3-4-2", seed=1, **double)
    x = torch.randn(4, 3, requires_grad=True, **double)
    (by_x,) = torch.autograd.grad(layer(x).sum(), x, create_graph=True)
    with pytest.raises(irn.Error, match="first derivatives only"):
        by_x.sum().backward()
    z, _ = irn.torch.fixed_point(lambda z, x: torch.tanh(z / 2 + x), torch.zeros_like(x), x)
    (by_x,) = torch.autograd.grad(z.sum(), x, create_graph=True)
    with pytest.raises(irn.Error, match="first derivatives only"):
        by_x.sum().backward()


@pytest.mark.parametrize(
    "make, match",
    [
        (lambda: irn.torch.Implicit("no network"), "no network"),
        (lambda: irn.torch.Implicit("3-4-2", solver="guess"), "guess"),
        (lambda: irn.torch.Implicit("3-4-2", gradient="guess"), "guess"),
        (lambda: irn.torch.Implicit("3-4-2", unsettled="ignore"), "unsettled: 'ignore' is none of refuse, zeros, empty, last"),
        (lambda: irn.torch.Implicit("3-4-2", on_fold="jump"), "on_fold"),
        (lambda: irn.torch.Implicit("3-4-2", tolerance=1e-12), "tolerance"),
        (lambda: irn.torch.Implicit("3-4-2", heads=[3]), "3"),
        (lambda: irn.torch.Implicit("3-4-2", dtype=torch.float16), "float16"),
        (lambda: irn.torch.Implicit("3-4-2", seed=-1), "seed"),
        (lambda: irn.torch.Implicit.of_network("3-4-2"), "takes an irn.Network, not a str"),
        (lambda: irn.torch.Implicit("3-4-2").outcomes, "before the first forward pass"),
        (lambda: irn.torch.Implicit("3-4-2").set_parameters(irn.Network("3-5-2")), "has no parameters for"),
        (lambda: irn.torch.Implicit("3-4-2")(np.zeros((2, 3))), "x is a ndarray, not a tensor"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.zeros(2, 4)), r"takes \[...\]\[3\]"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.zeros(2, 3, **double)), "torch.float64, the layer of torch.float32"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.full((2, 3), float("nan"))), "is nan"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.zeros(2, 3), torch.zeros(2, 5)), "start"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.zeros(2, 3), "rest"), "starts is a str, not a tensor"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.eye(3).to_sparse()), "x is a sparse tensor"),
        (lambda: irn.torch.Implicit("3-4-2")(torch.zeros(2, 3, device="meta")), "x is on meta"),
        (lambda: irn.torch.Implicit("3-4-2").half()(torch.zeros(2, 3).half()), "float16"),
    ],
)
def test_what_a_layer_refuses(make, match):
    with pytest.raises(irn.Error, match=match) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_parameters_that_are_not_finite_are_refused():
    layer = irn.torch.Implicit("3-4-2", seed=1)
    with torch.no_grad():
        layer.layer1.bias[0] = float("nan")
    with pytest.raises(irn.Error, match="finite"):
        layer(torch.zeros(2, 3))


# Fixed points of any function


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


def test_iterates_have_no_exact_gradient():
    w, x = weights(3), torch.randn(4, 3, **double)
    z, found = irn.torch.fixed_point(lambda z, x: affine(z, w, 0, x), torch.zeros_like(x), x, solver="iterate:steps=3")
    assert (found.outcomes == irn.Outcome.iterated).all()
    z.sum().backward()
    assert w.grad.abs().sum() == 0 and (found.gradient_outcomes == irn.GradientOutcome.not_settled).all()


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
        (lambda: irn.torch.fixed_point(torch.cos, torch.zeros(0, 2)), r"z0 has the shape \(0, 2\)"),
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


# What people do with such layers


def train(model, x, y, steps, rate=0.01):
    """Losses, step by step. Samples that are lost on the way warn; all other warnings are errors."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", irn.UnsettledWarning)
        for _ in range(steps):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return losses


def bars(count):
    """Images of 12 x 12 with a bar, upright, lying or slanted, somewhere, and noise."""
    random = np.random.default_rng(1)
    images, kinds = random.normal(0, 0.3, (count, 1, 12, 12)), random.integers(0, 3, count)
    for image, kind in zip(images, kinds):
        row, column = random.integers(0, 6, 2)
        along = np.arange(6)
        image[0, row + along * (kind != 1), column + along * (kind != 0)] += 2
    return torch.tensor(images, dtype=torch.float32), torch.tensor(kinds)


def test_an_implicit_layer_after_a_convolutional_front_end():
    x, y = bars(300)
    front = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten())
    layer = irn.torch.Implicit("24-16tanh-3identity", seed=1)
    model = nn.Sequential(front, layer)
    losses = train(model, x[:200], y[:200], steps=60, rate=0.02)
    assert losses[-1] < 0.3 * losses[0]
    accuracy = (model(x[200:]).argmax(1) == y[200:]).float().mean()
    assert accuracy > 0.9 and layer.settled.all()


class Equilibrium(nn.Module):
    """A block that is its own input: z = tanh(norm(W2 relu(W1 z) / 5 + U x))."""

    def __init__(self, width, hidden, engine):
        super().__init__()
        self.rise, self.fall, self.drive = nn.Linear(width, hidden), nn.Linear(hidden, width), nn.Linear(width, width)
        self.norm, self.engine, self.found = nn.LayerNorm(width), engine, None

    def step(self, z, x):
        return torch.tanh(self.norm(0.2 * self.fall(torch.relu(self.rise(z))) + self.drive(x)))

    def forward(self, x):
        z, self.found = irn.torch.fixed_point(self.step, torch.zeros_like(x), x, solver="anderson", engine=self.engine, unsettled="zeros")
        return z


@pytest.mark.parametrize("engine", ENGINES)
def test_a_deep_equilibrium_block(engine):
    x = torch.randn(120, 16)
    y = (x[:, 0] * x[:, 1] > 0).long()
    block = Equilibrium(16, 32, engine)
    model = nn.Sequential(nn.Linear(16, 16), block, nn.Linear(16, 2))
    losses = train(model, x, y, steps=40)
    assert losses[-1] < 0.8 * losses[0] and block.found.settled.mean() > 0.8
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in block.parameters())


class Attention(nn.Module):
    """Tokens that look at each other until nothing changes: z = norm(x + attention(z))."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(width, heads, batch_first=True), nn.LayerNorm(width)

    def step(self, z, x):
        return self.norm(x + 0.5 * self.attention(z, z, z, need_weights=False)[0])

    def forward(self, x):
        z, self.found = irn.torch.fixed_point(self.step, torch.zeros_like(x), x, solver="anderson", unsettled="zeros")
        return z


def test_a_fixed_point_layer_with_attention():
    exact = Attention(4, 2).double()
    x = torch.randn(2, 3, 4, requires_grad=True, **double)
    solve = lambda x: irn.torch.fixed_point(exact.step, torch.zeros_like(x), x, tolerance=1e-12)[0]
    assert gradcheck(solve, (x,))
    tokens = torch.randn(100, 5, 8)
    y = (tokens[:, :, 0].max(1).values > 1).long()
    model = nn.Sequential(Attention(8, 2), nn.Flatten(), nn.Linear(40, 2))
    losses = train(model, tokens, y, steps=25, rate=0.02)
    assert losses[-1] < 0.6 * losses[0] and model[0].found.settled.mean() > 0.8
