#!/usr/bin/env python3
"""The paper's own way, timed: SciPy's solve_ivp, a sample at a time, and what the learning curves would take with it.

    scipy_way.py [SAMPLES]      (Debian: python3-scipy; run with /usr/bin/python3)

A random 100-5-2 network stands for a trained one: an integration over 30 time units costs the same or more once trained.
"""
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 300
random = np.random.default_rng(1)
n, inputs = 7, 100
a, b, bias = random.uniform(-2, 2, (n, n)), random.uniform(-0.5, 0.5, (n, inputs)), random.uniform(-0.5, 0.5, n)


def settle(x):
    drive = b @ x + bias
    return solve_ivp(lambda t, z: 1 / (1 + np.exp(-(a @ z + drive))) - z, (0, 30), np.zeros(n), method="RK45").y[:, -1]


def gradient_step(x):
    z = settle(x)
    slope = z * (1 - z)
    u = np.linalg.solve((np.eye(n) - slope[:, None] * a).T, z)
    return np.outer(slope * u, z), np.outer(slope * u, x)


def seconds_a_sample(work):
    batch = random.normal(size=(samples, inputs))
    start = time.perf_counter()
    for x in batch:
        work(x)
    return (time.perf_counter() - start) / samples


test, step = seconds_a_sample(settle), seconds_a_sample(gradient_step)
# Two implicit networks, 12 repeats, 400 epochs: a test on 800,000 samples every 4, 200 steps of 6 samples each.
runs, tests, steps = 24, 100 * 800_000, 400 * 200 * 6
days = runs * (tests * test + steps * step) / 86_400
print(f"{1 / test:.0f} samples/s settled, {1 / (6 * step):.0f} training steps/s on one core")
print(f"the learning curves of the two implicit networks: {days:.0f} days on one core")
