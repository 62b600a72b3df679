"""What people do with implicit layers: behind convolutions, in a deep-equilibrium block, with attention."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.autograd import gradcheck  # noqa: E402

import irn  # noqa: E402
import irn.torch  # noqa: E402

ENGINES = ["irn", "torch"]
double = {"dtype": torch.float64}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


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
