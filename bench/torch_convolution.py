#!/usr/bin/env python3
"""Training steps of a convolutional implicit network, irn beside PyTorch:  torch_convolution.py [--channels N N] [--batch N] [--tolerance X] [--coupling X] [--turns N]

Two layers of filters, of which the last is connected with its neighbouring places, and a dense read-out, with the same weights on both sides:

    h = relu(C1 x + b1),   z = relu(L z + C2 h + b2),   y = W z + b3

PyTorch finds z by Anderson acceleration or by plain iteration, and the exact gradient by the same method on the adjoint equation, both to irn's tolerance; the faster
of the two that gets there is what counts. Outputs are compared before anything is timed. Steps (cross-entropy, Adam) go in turns, on as many threads as IRN_THREADS says
(default 2). Reported is the best of the turns, and the ratio of the medians.
"""

import argparse
import os
import statistics
import time

THREADS = int(os.environ.setdefault("IRN_THREADS", "2"))

import numpy as np
import torch
import torch.nn.functional as F

import irn

MEMORY = 6


def anderson(f, z, tolerance, most=100):
    """The fixed point of f for every sample of a batch, and whether it was found; the usual form, batched."""
    batch, size = z.shape[0], z[0].numel()
    past, values = z.new_zeros(batch, MEMORY, size), z.new_zeros(batch, MEMORY, size)
    for k in range(most):
        value = f(z)
        past[:, k % MEMORY], values[:, k % MEMORY] = z.reshape(batch, -1), value.reshape(batch, -1)
        if (value - z).abs().max() <= tolerance:
            return value, True
        n = min(k + 1, MEMORY)
        g = values[:, :n] - past[:, :n]
        matrix = torch.zeros(batch, n + 1, n + 1)
        matrix[:, 0, 1:] = matrix[:, 1:, 0] = 1
        matrix[:, 1:, 1:] = torch.bmm(g, g.transpose(1, 2)) + 1e-6 * torch.eye(n)
        right = torch.zeros(batch, n + 1, 1)
        right[:, 0] = 1
        weights = torch.linalg.solve(matrix, right)[:, 1:, 0]
        z = torch.bmm(weights.unsqueeze(1), values[:, :n]).view_as(z)
    return z, False


def iteration(f, z, tolerance, most=400):
    for _ in range(most):
        value = f(z)
        if (value - z).abs().max() <= tolerance:
            return value, True
        z = value
    return z, False


class Peer(torch.nn.Module):
    def __init__(self, network, strides, solve, tolerance):
        super().__init__()
        self.strides = strides
        names = ["layer1.input", "layer1.bias", "layer2.layer1", "layer2.bias", "layer2.layer2", "layer3.layer2", "layer3.bias"]
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.tensor(np.array(network.parameters[n]), dtype=torch.float32)) for n in names])
        self.solve, self.tolerance, self.settled = solve, tolerance, True

    def forward(self, x):
        c1, b1, c2, b2, lateral, w, b3 = self.weights
        pad = [c.shape[2] // 2 for c in (c1, c2, lateral)]
        h = F.relu(F.conv2d(x, c1, b1, self.strides[0], pad[0]))
        drive = F.conv2d(h, c2, b2, self.strides[1], pad[1])

        def step(z):
            return F.relu(F.conv2d(z, lateral, padding=pad[2]) + drive)

        with torch.no_grad():
            z, self.settled = self.solve(step, torch.zeros_like(drive), self.tolerance)
        z = step(z)
        if z.requires_grad:
            at = z.detach().requires_grad_()
            again = step(at)

            def adjoint(g):
                size = g.abs().max()
                u, found = self.solve(lambda v: torch.autograd.grad(again, at, v, retain_graph=True)[0] + g, g, self.tolerance * size)
                self.settled = self.settled and found
                return u

            z.register_hook(adjoint)
        self.state = z
        return F.linear(z.flatten(1), w, b3)


def peer_step(peer, optimiser, x, y):
    optimiser.zero_grad()
    F.cross_entropy(peer(x), y).backward()
    optimiser.step()


def check(network, peer, x, y, tolerance):
    """How far outputs are apart, on the same weights, and whether all samples settled, adjoints included."""
    found = network.settle(x.numpy().reshape(len(x), -1), tolerance=tolerance)
    peer.zero_grad()
    F.cross_entropy(peer(x), y).backward()
    ours = np.asarray(found.outputs)
    theirs = peer(x).detach().numpy()
    return float(np.abs(ours - theirs).max() / (1 + np.abs(theirs).max())), peer.settled and bool(np.all(found.settled))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--channels", type=int, nargs=2, default=(32, 64))
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--coupling", type=float, default=0.5, help="how strong the lateral connections are; from 1 on plain iteration may not settle")
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(THREADS)
    a, b = args.channels
    text = f"1x28x28-{a}k5s2relu-{b}k5s2relu-10identity/none+2:2=conv3"
    network = irn.Network(text, seed=1)
    random = np.random.default_rng(1)
    network.parameters["layer2.layer2"] = (args.coupling / np.sqrt(9 * b)) * random.standard_normal((b, b, 3, 3))
    trainer = irn.Trainer(network, optimiser="adam:rate=0.0001", loss="cross-entropy", tolerance=args.tolerance, certify=0.95)
    trainer.certify()
    x = torch.tensor(random.standard_normal((args.batch, 1, 28, 28)), dtype=torch.float32)
    labels = torch.tensor(random.integers(0, 10, args.batch))
    rows, targets = x.numpy().reshape(args.batch, -1), np.eye(10)[labels.numpy()]
    contenders = {}
    for name, solve in (("anderson", anderson), ("iteration", iteration)):
        peer = Peer(network, (2, 2), solve, args.tolerance)
        apart, settled = check(network, peer, x, labels, args.tolerance)
        print(f"PyTorch, {name}: outputs {apart:.1e} apart, {'all settled' if settled else 'not all settled: not timed'}")
        if settled and apart < 1e-2:
            contenders[name] = (peer, torch.optim.Adam(peer.parameters(), 1e-4))
    times = {"irn": [], **{name: [] for name in contenders}}
    for _ in range(args.turns):
        start = time.perf_counter()
        trainer.step(rows, targets)
        times["irn"].append(time.perf_counter() - start)
        for name, (peer, optimiser) in contenders.items():
            start = time.perf_counter()
            peer_step(peer, optimiser, x, labels)
            times[name].append(time.perf_counter() - start)
    for name, seconds in times.items():
        print(f"{name:10} {min(seconds) * 1e3:8.0f} ms a step at best, {statistics.median(seconds) * 1e3:8.0f} ms in the median")
    if not contenders:
        print(f"{text}: PyTorch settles by neither")
        return
    best = min(statistics.median(times[name]) for name in contenders)
    print(f"{text}, batches of {args.batch}, {THREADS} threads: irn takes {best / statistics.median(times['irn']):.1f} times as many steps")


if __name__ == "__main__":
    main()
