"""The tables on which nothing is chosen: the same difficulties by other generators, other parameters and other seeds."""
import numpy as np
from sklearn import datasets

from chosen import bundled


def arms(seed):
    """Three logarithmic arms of one turn and a quarter."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, 1500)
    turn = random.uniform(0, 1, 1500)
    angle, radius = 2.5 * np.pi * turn + 2 * np.pi * y / 3, np.exp(1.8 * (turn - 1))
    x = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return x * (1 + random.normal(0, 0.08, x.shape)), y


def circles(seed):
    return datasets.make_circles(700, noise=0.12, factor=0.55, random_state=seed)


def cells(seed):
    """A turned checkerboard in three dimensions."""
    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    x = random.uniform(-1, 1, (3000, 3))
    return x, np.floor(1.4 * x @ turn + 0.3).sum(axis=1).astype(int) % 2


def shells(seed):
    return datasets.make_gaussian_quantiles(n_samples=2500, n_features=12, n_classes=3, random_state=seed)


def friedman2(seed):
    return datasets.make_friedman2(600, noise=60.0, random_state=seed)


def friedman3(seed):
    return datasets.make_friedman3(300, noise=0.1, random_state=seed)


def seasons(seed):
    """A saw of one column and a sine of another, whose height a third one moves."""
    random = np.random.default_rng(seed)
    x = random.uniform(0, 1, (2500, 4))
    y = 2 * np.mod(3 * x[:, 0], 1) + (0.5 + x[:, 2]) * np.sin(4 * np.pi * x[:, 1]) + random.normal(0, 0.15, 2500)
    return x, y


def sparse_signals(seed):
    """400 columns with something in one of thirty cells, and a bent sum of forty of them."""
    random = np.random.default_rng(seed)
    x = random.exponential(1, (1000, 400)) * (random.uniform(size=(1000, 400)) < 1 / 30)
    weights = np.where(np.arange(400) < 40, random.normal(0, 1, 400), 0)
    return x, 3 * np.tanh(x @ weights / 2) + random.normal(0, 0.2, 1000)


def spectra(seed):
    """120 neighbouring points of curves with five peaks; which of two peaks is higher, over a slope of the ground."""
    random = np.random.default_rng(seed)
    place, width = np.array([0.15, 0.3, 0.45, 0.65, 0.8]), np.array([0.05, 0.08, 0.06, 0.1, 0.07])
    grid = np.linspace(0, 1, 120)
    heights = random.gamma(4, 0.25, (900, 5))
    x = heights @ np.exp(-((grid - place[:, None]) / width[:, None]) ** 2)
    x += random.normal(0, 1, (900, 1)) * grid + random.normal(0, 0.1, x.shape)
    return x, (heights[:, 1] > heights[:, 3]).astype(int) + 2 * (heights[:, 2] > 1)


def faults(seed):
    """One row in a hundred lies away from an ellipsoid on which the others lie, in any direction."""
    random = np.random.default_rng(seed)
    y = (np.arange(5000) % 100 == 0).astype(int)
    mix = random.normal(size=(6, 6))
    x = random.normal(size=(5000, 6)) * np.where(y, 2.5, 1)[:, None]
    return x @ mix, y


def voronoi(seed):
    """Fifty cells, each of the points nearest to its centre."""
    random = np.random.default_rng(seed)
    centres = random.uniform(0, 1, (50, 4))
    x = random.uniform(0, 1, (4000, 4))
    return x, ((x[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)


def spring(seed):
    """Place and speed of a damped spring after a while."""
    random = np.random.default_rng(seed)
    start, push = random.normal(0, 1, 1800), random.normal(0, 1, 1800)
    rate, damping, time = random.uniform(1, 3, 1800), random.uniform(0, 0.8, 1800), random.uniform(0, 3, 1800)
    fade, c, s = np.exp(-damping * time), np.cos(rate * time), np.sin(rate * time)
    b = (push + damping * start) / rate
    place = fade * (start * c + b * s)
    speed = fade * (rate * (b * c - start * s)) - damping * place
    y = {"place": place, "speed": speed}
    columns = {"start": start, "push": push, "rate": rate, "damping": damping, "time": time}
    return columns, {name: v + random.normal(0, 0.05, 1800) for name, v in y.items()}


def mushrooms(seed):
    """Texts only, and rules about pairs of them; one column has fifty values, some of them hardly ever seen."""
    random = np.random.default_rng(seed)
    sizes = {"cap": 6, "gill": 4, "odour": 9, "place": 50, "ring": 3, "colour": 12}
    codes = {name: random.integers(0, size, 1600) for name, size in sizes.items()}
    codes["place"] = np.minimum(random.geometric(0.07, 1600) - 1, 49)
    pair = random.normal(0, 1.5, (6, 9))[codes["cap"], codes["odour"]]
    pair += random.normal(0, 1.5, (4, 3))[codes["gill"], codes["ring"]] + random.normal(0, 0.7, 50)[codes["place"]]
    return {name: np.array([f"{name}{v}" for v in values]) for name, values in codes.items()}, np.digitize(pair, [-1.2, 1.2])


def holes(seed):
    """The larger a value, the likelier it is missing; a class column of texts has holes, too."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(1200, 8))
    group = random.integers(0, 4, 1200)
    y = 2 * np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + x[:, 3] + np.array([0.0, 1, -1, 2])[group] + random.normal(0, 0.3, 1200)
    x[random.uniform(size=x.shape) < 0.2 / (1 + np.exp(-2 * x))] = np.nan
    names = np.where(random.uniform(size=1200) < 0.05, "", np.array(["north", "east", "south", "west"])[group])
    return {**{f"x{i}": x[:, i] for i in range(8)}, "group": names}, {"y": y}


def claims(seed):
    """Sums with a heavy tail (Pareto), products of them, and noise that has outliers itself."""
    random = np.random.default_rng(seed)
    x = random.pareto(1.5, (2000, 6)) + 1
    y = np.log(x[:, 0] * x[:, 1]) + np.sqrt(x[:, 2] / (x[:, 3] + x[:, 2])) * 3 + np.cos(np.log(x[:, 4]) * 2)
    return x, y + 0.25 * random.standard_t(3, 2000)


def steps(seed):
    """Stairs along three columns, of which one only counts where another one is high."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(1800, 5))
    y = np.floor(1.5 * x[:, 0]) + 2.0 * (x[:, 1] > 0.3) * np.sign(x[:, 2]) + 0.5 * np.floor(x[:, 3])
    return x, y + random.normal(0, 0.15, 1800)


def ripples(seed):
    """A smooth random function of three columns (a Gaussian process by its Fourier features), from 200 points."""
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (200, 3))
    phases = x @ random.normal(0, 1.3, (3, 300)) + random.uniform(0, 2 * np.pi, 300)
    return x, np.cos(phases) @ random.normal(0, np.sqrt(2 / 300), 300) + random.normal(0, 0.05, 200)


def flood(seed):
    """Twenty thousand rows of numbers, a third of whose variance is noise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(20000, 12))
    y = np.tanh(x[:, 0] + x[:, 1] * x[:, 2]) + np.abs(x[:, 3]) * np.sign(x[:, 4]) + 0.5 * x[:, 5]
    return x, y + random.normal(0, 0.9, 20000)


TABLES = [
    ("wine", "measured, small", bundled(datasets.load_wine), 0),
    ("digits", "measured", bundled(datasets.load_digits), 0),
    ("friedman3", "noisy, small", friedman3, 100),
    ("arms", "spiral", arms, 101),
    ("circles", "curved", circles, 102),
    ("cells", "checkerboard", cells, 103),
    ("shells", "spheres in twelve dimensions", shells, 104),
    ("friedman2", "unlike scales", friedman2, 105),
    ("seasons", "periodic", seasons, 106),
    ("signals", "sparse, idle columns", sparse_signals, 107),
    ("spectra", "correlated", spectra, 108),
    ("faults", "imbalanced 99:1", faults, 109),
    ("voronoi", "many classes", voronoi, 110),
    ("spring", "several targets", spring, 111),
    ("mushrooms", "texts", mushrooms, 112),
    ("holes", "missing values", holes, 113),
    ("claims", "heavy tails", claims, 114),
    ("steps", "piecewise constant", steps, 115),
    ("ripples", "smooth, small", ripples, 116),
    ("flood", "large, noisy", flood, 117),
]
