"""The tables on which the defaults of irn are chosen. Each generator takes a seed and returns inputs and targets."""
import numpy as np
from sklearn import datasets


def bundled(load):
    def generator(_):
        data = load()
        return data.data, data.target_names[data.target] if hasattr(data, "target_names") else data.target
    return generator


def spirals(seed):
    """Two arms of one and a half turns."""
    random = np.random.default_rng(seed)
    y = np.arange(1000) % 2
    angle = 3 * np.pi * np.sqrt(random.uniform(0.02, 1, 1000))
    radius = angle / (3 * np.pi)
    x = np.stack([radius * np.cos(angle + np.pi * y), radius * np.sin(angle + np.pi * y)], axis=1)
    return x + random.normal(0, 0.03, x.shape), y


def moons(seed):
    return datasets.make_moons(800, noise=0.2, random_state=seed)


def checkerboard(seed):
    x = np.random.default_rng(seed).uniform(0, 4, (2000, 2))
    return x, np.floor(x).sum(axis=1).astype(int) % 2


def sphere(seed):
    """Inside or outside of the sphere that halves a ten-dimensional normal distribution."""
    x = np.random.default_rng(seed).normal(size=(2000, 10))
    return x, ((x ** 2).sum(axis=1) > 9.342).astype(int)


def friedman1(seed):
    return datasets.make_friedman1(1000, noise=1.0, random_state=seed)


def waves(seed):
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (2000, 2))
    return x, np.sin(6 * x[:, 0]) * np.cos(5 * x[:, 1]) + 0.5 * np.sin(9 * x[:, 1]) + random.normal(0, 0.1, 2000)


def words(seed):
    """Counts of 500 words, nearly all of them zero; each of four subjects has its own frequencies."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 4, 1200)
    common = random.dirichlet(np.full(500, 0.1))
    frequencies = 0.7 * common + 0.3 * random.dirichlet(np.full(500, 0.1), 4)
    return random.poisson(30 * frequencies[y]), y


def low_rank(seed):
    """A hundred columns of which some eight are independent; a line and a square of them."""
    random = np.random.default_rng(seed)
    x = 30 * datasets.make_low_rank_matrix(1000, 100, effective_rank=8, tail_strength=0.1, random_state=seed)
    hidden = x @ random.normal(size=(100, 2)) / 10
    hidden /= hidden.std(axis=0)
    return x, hidden[:, 0] + 0.5 * hidden[:, 1] ** 2 + random.normal(0, 0.2, 1000)


def rare(seed):
    return datasets.make_classification(4000, 10, n_informative=6, n_redundant=2, weights=[0.99], class_sep=1.2, flip_y=0,
                                        random_state=seed)


def blobs(seed):
    return datasets.make_blobs(3000, 6, centers=30, cluster_std=3.0, random_state=seed)


def arm(seed):
    """Where the hand of an arm with four joints is, and how high its elbow."""
    random = np.random.default_rng(seed)
    x = random.uniform([-np.pi, -1, -1.5, -1.5], [np.pi, 1, 1.5, 1.5], (2000, 4))
    lift = np.cumsum(x[:, 1:], axis=1)
    reach, height = np.cos(lift) @ [1, 0.8, 0.5], np.sin(lift) @ [1, 0.8, 0.5]
    y = {"east": reach * np.cos(x[:, 0]), "north": reach * np.sin(x[:, 0]), "height": height, "elbow": np.sin(lift[:, 0])}
    return x, {name: values + random.normal(0, 0.05, 2000) for name, values in y.items()}


def wages(seed):
    """Numbers beside texts: what a year of school is worth depends on the trade."""
    random = np.random.default_rng(seed)
    n = 1500
    city, trade, contract = random.integers(0, 9, n), random.integers(0, 15, n), random.integers(0, 3, n)
    age, school, hours = random.uniform(18, 65, n), random.integers(8, 20, n), random.normal(36, 6, n)
    level, slope = random.normal(0, 4, 9), random.normal(1, 0.6, 15)
    wage = level[city] + slope[trade] * (school - 8) + 8 * np.exp(-((age - 48) / 15) ** 2)
    wage += np.array([0, 2, -3])[contract] * hours / 36 + random.normal(0, 2, n)
    texts = {"city": "town", "trade": "trade", "contract": "form"}
    columns = {name: np.array([f"{texts[name]} {v}" for v in values])
               for name, values in (("city", city), ("trade", trade), ("contract", contract))}
    return {"age": age, "school": school, "hours": hours, **columns}, {"wage": wage}


def gaps(seed):
    """A value in seven is missing, anywhere."""
    x, y = datasets.make_classification(1500, 12, n_informative=7, n_redundant=3, n_classes=3, flip_y=0.02, class_sep=1.5,
                                        random_state=seed)
    x[np.random.default_rng(seed).uniform(size=x.shape) < 1 / 7] = np.nan
    return x, y


def tails(seed):
    """Inputs without a variance, some over many orders of magnitude."""
    random = np.random.default_rng(seed)
    x = np.concatenate([random.standard_t(2, (1500, 4)), np.exp(random.normal(0, 2, (1500, 4)))], axis=1)
    y = np.arctan(x[:, 0]) + np.tanh(x[:, 1] - x[:, 2]) + 0.5 * np.log(x[:, 4]) - 0.5 * np.log(x[:, 5] + x[:, 6])
    return x, y + 0.3 * random.standard_t(3, 1500)


def tree(seed):
    """A random tree of 32 leaves: constant in boxes."""
    random = np.random.default_rng(seed)
    x = random.uniform(0, 1, (2000, 6))
    leaf = np.zeros(2000, dtype=int)
    for depth in range(5):
        column, threshold = random.integers(0, 6, 2 ** depth), random.uniform(0.3, 0.7, 2 ** depth)
        leaf = 2 * leaf + (x[np.arange(2000), column[leaf]] > threshold[leaf])
    return x, random.normal(0, 1, 32)[leaf] + random.normal(0, 0.1, 2000)


def franke(seed):
    """Franke's function, two hills and a hollow, from a hundred points or so."""
    random = np.random.default_rng(seed)
    x = random.uniform(0, 1, (125, 2))
    a, b = 9 * x[:, 0], 9 * x[:, 1]
    y = (0.75 * np.exp(-((a - 2) ** 2 + (b - 2) ** 2) / 4) + 0.75 * np.exp(-((a + 1) ** 2) / 49 - (b + 1) / 10)
         + 0.5 * np.exp(-((a - 7) ** 2 + (b - 3) ** 2) / 4) - 0.2 * np.exp(-((a - 4) ** 2) - (b - 7) ** 2))
    return x, y + random.normal(0, 0.03, 125)


def crowd(seed):
    """Fifty thousand rows, a tenth of the classes wrong."""
    return datasets.make_classification(50000, 8, n_informative=6, n_clusters_per_class=3, flip_y=0.2, class_sep=1.0,
                                        random_state=seed)


TABLES = [
    ("iris", "measured, small", bundled(datasets.load_iris), 0),
    ("breast cancer", "measured", bundled(datasets.load_breast_cancer), 0),
    ("diabetes", "measured, noisy", bundled(datasets.load_diabetes), 0),
    ("spirals", "spiral", spirals, 11),
    ("moons", "curved", moons, 12),
    ("checkerboard", "checkerboard", checkerboard, 13),
    ("sphere", "sphere in ten dimensions", sphere, 14),
    ("friedman1", "some columns idle", friedman1, 15),
    ("waves", "periodic", waves, 16),
    ("words", "sparse", words, 17),
    ("low rank", "correlated", low_rank, 18),
    ("rare", "imbalanced 99:1", rare, 19),
    ("blobs", "many classes", blobs, 20),
    ("arm", "several targets", arm, 21),
    ("wages", "texts", wages, 22),
    ("gaps", "missing values", gaps, 23),
    ("tails", "heavy tails", tails, 24),
    ("tree", "piecewise constant", tree, 25),
    ("franke", "smooth, small", franke, 26),
    ("crowd", "large, noisy", crowd, 27),
]
