"""irn.torch.Implicit: a network as a layer."""

import copy
import io
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck  # noqa: E402
from torch.nn.utils.stateless import functional_call  # noqa: E402

import irn  # noqa: E402
import irn.torch  # noqa: E402
from stirred_layer import stirred  # noqa: E402

DTYPES = [torch.float32, torch.float64]
double = {"dtype": torch.float64}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


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


@pytest.mark.parametrize("solver", ["iterate", "iterate:steps=3", "reversible:steps=3,damping=0.4"])
@pytest.mark.parametrize("gradient", ["exact", "semi", "truncated:terms=3"])
def test_gradients_of_equilibria_need_a_solver_that_finds_them(solver, gradient):
    with pytest.raises(irn.Error, match=f"gradient='{gradient}' is that of equilibria, and solver='{solver}' .* take gradient='unrolled:steps=...'"):
        irn.torch.Implicit("3-4-2", seed=1, solver=solver, gradient=gradient)


@pytest.mark.parametrize("gradient", ["unrolled:steps=7", "unrolled:steps=30", "reversible:steps=7,damping=0.4"])
def test_a_model_trained_by_its_iteration_becomes_a_layer_with_that_gradient(gradient):
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 2))
    model = irn.train(x, x[:, 0], epochs=1, gradient=gradient).model
    layer = irn.torch.Implicit.of_network(model.network)
    inputs = torch.tensor(random.normal(size=(8, 2)), dtype=torch.float32)
    layer(inputs).sum().backward()
    wanted = irn.torch.Implicit.of_network(model.network, gradient=gradient, solver="auto")
    wanted(inputs).sum().backward()
    assert layer.layer1.bias.grad.abs().sum() > 0 and torch.equal(layer.layer1.bias.grad, wanted.layer1.bias.grad)


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


def test_no_samples_have_a_gradient_of_zero():
    layer = irn.torch.Implicit("3-4-2", seed=1)
    x = torch.zeros(0, 3, requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.shape == (0, 3) and all(torch.equal(p.grad, torch.zeros_like(p)) for p in layer.parameters())
    with torch.no_grad():
        assert not layer(x).requires_grad


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
