#!/usr/bin/env python3
"""One exact training step of an implicit network in PyTorch, as a strong user of it would write it, timed.

    torch_step.py WEIGHTS HIDDEN BATCH THREADS

WEIGHTS is the raw float32 parameter vector of a 100-HIDDEN-2 network, as bench/trained.cpp keeps it. Batched, no
autograd graph through the solve. The forward solve is Anderson's (memory 5), stopped at a residual of 1e-5; the adjoint
is solved by the same iteration and, as an alternative, by a batched dense factorisation; the faster of the two counts.
Prints the share settled, the residual, and the median time of a step of both.
"""
import statistics
import sys
import time

import torch


def load(path, hidden):
    flat = torch.from_file(path, size=_count(hidden), dtype=torch.float32).clone()
    n = hidden + 2
    a, b = torch.zeros(n, n), torch.zeros(n, 100)
    at = 0

    def take(rows, cols):
        nonlocal at
        block = flat[at:at + rows * cols].reshape(rows, cols)
        at += rows * cols
        return block

    b[:hidden] = take(hidden, 100)
    a[:hidden, :hidden] = take(hidden, hidden)
    a[:hidden, hidden:] = take(hidden, 2)
    a[hidden:, :hidden] = take(2, hidden)
    a[hidden:, hidden:] = take(2, 2)
    return a, b, flat[at:at + n].clone()


def _count(hidden):
    n = hidden + 2
    return 100 * hidden + n * n + n


def trajectories(count, seed):
    g = torch.Generator().manual_seed(seed)
    x0, v0 = 2 * torch.randn(count, generator=g), 2 * torch.randn(count, generator=g)
    w0, d = 1 + torch.rand(count, generator=g), 2 * torch.rand(count, generator=g)
    t = 0.1 * torch.arange(100)
    w2 = (w0**2 - d**2).to(torch.complex64)
    w = torch.sqrt(w2 + 1e-12)
    wt = w[:, None] * t
    s = torch.sin(wt) / w[:, None]
    x = torch.exp(-d[:, None] * t) * (x0[:, None] * (torch.cos(wt) + d[:, None] * s) + v0[:, None] * s)
    return x.real.float().contiguous(), torch.stack([w0 - 1, d / 2], 1)


def anderson(step, z, tolerance, limit=200, m=5, damping=0.5):
    """Batched Anderson acceleration of z = step(z); the columns of a sample's history are kept in one tensor."""
    batch, n = z.shape
    zs, gs = torch.zeros(batch, m, n), torch.zeros(batch, m, n)
    old_z = old_g = None
    for k in range(limit):
        g = step(z) - z
        if g.abs().amax() <= tolerance:
            break
        if old_z is not None:
            zs[:, (k - 1) % m], gs[:, (k - 1) % m] = z - old_z, g - old_g
        old_z, old_g = z, g
        used = min(k, m)
        new = z + damping * g
        if used:
            dg = gs[:, :used]
            gram = dg @ dg.transpose(1, 2)
            gram.diagonal(dim1=1, dim2=2).add_(1e-6 * gram.diagonal(dim1=1, dim2=2).amax(1, keepdim=True) + 1e-30)
            gamma = torch.linalg.solve(gram, (dg @ g[:, :, None]))
            new = new - ((zs[:, :used] + damping * dg) * gamma).sum(1)
        z = new
    return z, g


def main():
    path, hidden, batch, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    a, b, bias = load(path, hidden)
    parameters = [a, b, bias]
    optimiser = torch.optim.Adam([torch.nn.Parameter(p) for p in parameters], lr=1e-9, foreach=True)
    a, b, bias = (p.data for p in optimiser.param_groups[0]["params"])
    x, target = trajectories(batch, 1)
    n = hidden + 2
    eye = torch.eye(n)

    def step(dense):
        drive = torch.addmm(bias, x, b.T)
        z, g = anderson(lambda v: torch.sigmoid(torch.addmm(drive, v, a.T)), torch.zeros(batch, n), 1e-5)
        slope = z * (1 - z)
        loss_slope = torch.zeros(batch, n)
        loss_slope[:, -2:] = z[:, -2:] - target
        if dense:
            u = torch.linalg.solve(eye - slope[:, None, :] * a.T, loss_slope)
        else:
            u, _ = anderson(lambda v: torch.addmm(loss_slope, slope * v, a), loss_slope, 1e-6)
        delta = slope * u
        for p, grad in zip(optimiser.param_groups[0]["params"], (delta.T @ z, delta.T @ x, delta.sum(0))):
            p.grad = grad / batch
        optimiser.step()
        return g

    with torch.no_grad():
        best = None
        for dense in (False, True):
            g = step(dense)
            times = []
            for _ in range(9):
                start = time.perf_counter()
                step(dense)
                times.append(time.perf_counter() - start)
            settled = (g.abs().amax(1) <= 1e-5).float().mean().item()
            print(f"torch {torch.__version__}, {threads} threads, hidden {hidden}, batch {batch}, adjoint "
                  f"{'dense' if dense else 'anderson'}: {1e3 * statistics.median(times):.2f} ms a step, "
                  f"settled {settled:.4f}, residual {g.abs().amax().item():.1e}")
            best = min(best or 1e9, statistics.median(times))
        print(f"best {1e3 * best:.2f} ms")


if __name__ == "__main__":
    main()
