"""The plain NumPy version: batched, vectorised over samples, in place, settled samples leave.

States are [R, n, S]: replica, neuron, sample, so that A z is one matrix product and all else runs along samples.
"""
import numpy as np

from peer import Peer, serve

MEMORY, DAMPING = 5, 0.5  # Anderson's, as in irn
STEPS = {"picard": 400, "anderson": 300, "newton": 150, "newton-lapack": 150}
# Steps after which newton restarts, more carefully, the one sample in a thousand that has not settled.
RESTART = 30


def eliminate(m, r):
    """Solves m x = r for every sample at once by Gaussian elimination without pivots (the systems are benign): m [n, n, S],
    r [n, S], both are overwritten."""
    n = len(r)
    for k in range(n - 1):
        factor = m[k + 1:, k] / m[k, k]
        m[k + 1:, k + 1:] -= factor[:, None] * m[k, k + 1:]
        r[k + 1:] -= factor * r[k]
    for k in range(n - 1, -1, -1):
        r[k] /= m[k, k]
        r[:k] -= m[:k, k] * r[k]
    return r


class NumpyPeer(Peer):
    name, version = "numpy", np.__version__

    def load(self, spec, data):
        self.a, self.b, self.bias = (data[k].copy() for k in ("a", "b", "bias"))
        self.hidden, self.n = self.b.shape[1], self.a.shape[1]
        self.identity = spec["job"] == "epoch"
        if spec["job"] == "epoch":
            self.x, self.test_x = (np.float32(data[k]) / np.float32(255) for k in ("pixels", "test_pixels"))
            self.labels = data["labels"].astype(np.int64)
        else:
            self.x, self.t = data["x"], data["t"]
        self.begin()

    def begin(self):
        d = self.data
        self.a[...], self.b[...], self.bias[...] = d["a"], d["b"], d["bias"]
        self.moments = [(np.zeros_like(p), np.zeros_like(p)) for p in (self.a, self.b, self.bias)]
        self.taken = 0  # steps of Adam

    def methods(self, spec):
        wide = self.n > 48
        if spec["job"] in ("step", "epoch"):
            return ["picard", "anderson"] + ([] if wide else ["newton"])
        return ["newton", "newton-lapack", "anderson"] if not wide else ["picard", "anderson"]

    # The map.
    def drive(self, x):  # x [R, S, k]
        d = np.empty((len(self.a), self.n, x.shape[1]), np.float32)
        d[:, :self.hidden] = self.b @ x.transpose(0, 2, 1)
        d[:, self.hidden:] = 0
        d += self.bias[:, :, None]
        return d

    def f(self, u):
        s = u[:, :self.hidden] if self.identity else u
        np.negative(s, out=s), np.exp(s, out=s)
        s += 1
        np.reciprocal(s, out=s)
        return u

    def slope(self, z):
        d = z * (1 - z)
        if self.identity:
            d[:, self.hidden:] = 1
        return d

    # Solvers: drive [R, n, S] to states [R, n, S].
    def rk4(self, drive):
        z = np.zeros_like(drive)
        rate = lambda y: self.f(self.a @ y + drive) - y
        for _ in range(30):
            k1 = rate(z)
            k2 = rate(z + np.float32(0.5) * k1)
            k3 = rate(z + np.float32(0.5) * k2)
            k4 = rate(z + k3)
            z += (k1 + 2 * (k2 + k3) + k4) / np.float32(6)
        return z

    def iterate(self, drive, method):
        """z <- move(z, F(z) - z) until every sample has settled; settled ones leave where there is one network."""
        move, newton = getattr(self, method.partition("-")[0]), method.startswith("newton")
        tolerance, out, ids = self.spec["tolerance"], np.empty_like(drive), None
        z, state = np.zeros_like(drive), {"lapack": method == "newton-lapack", "most": 5.0} if newton else {}
        for k in range(STEPS[method]):
            r = self.f(self.a @ z + drive) - z
            norm = np.abs(r).max(axis=1)
            if self.identity:  # outputs above one are measured against their size, as in irn
                norm /= np.maximum(np.abs(z).max(axis=1), 1)
            if newton and k == RESTART:
                again = norm > tolerance
                z = np.where(again[:, None], 0, z)
                r = self.f(self.a @ z + drive) - z
                norm = np.abs(r).max(axis=1)
                state["dt"], state["norm"], state["most"] = np.where(again, 0.5, state["dt"]), norm, 1.5
            open_ = norm > tolerance
            if not open_.any():
                break
            if len(self.a) == 1 and open_.mean() < 0.6:
                keep = open_[0]
                ids = np.arange(z.shape[2]) if ids is None else ids
                out[:, :, ids[~keep]] = z[:, :, ~keep]
                ids, z, r, drive, norm = ids[keep], z[:, :, keep], r[:, :, keep], drive[:, :, keep], norm[:, keep]
                for key, value in state.items():
                    if isinstance(value, list):
                        state[key] = [v[..., keep] for v in value]
                    elif isinstance(value, np.ndarray):
                        state[key] = value[..., keep]
            z = move(z, r, norm, state)
        if ids is None:
            return z
        out[:, :, ids] = z
        return out

    def picard(self, z, r, norm, state):
        return z + r

    def anderson(self, z, r, norm, state):
        zs, rs = state.setdefault("zs", []), state.setdefault("rs", [])
        if "z" in state:
            zs.append(z - state["z"]), rs.append(r - state["r"])
            del zs[:-MEMORY], rs[:-MEMORY]
        state["z"], state["r"] = z, r
        new = z + np.float32(DAMPING) * r
        if rs:
            dr, dz = np.stack(rs, 1), np.stack(zs, 1)  # [R, m, n, S]
            gram = np.einsum("rins,rjns->rsij", dr, dr)
            diagonal = np.einsum("rsii->rsi", gram)
            diagonal += 1e-6 * diagonal.max(axis=2, keepdims=True) + 1e-30
            gamma = np.linalg.solve(gram, np.einsum("rins,rns->rsi", dr, r)[..., None])[..., 0]
            new -= np.einsum("rsi,rins->rns", gamma, dz + np.float32(DAMPING) * dr)
        return new

    def newton(self, z, r, norm, state):
        """Pseudo-transient: ((1 + 1/dt) I - D A) dz = r, and dt grows as the residual falls."""
        if "dt" in state:  # without the bounds one sample in a thousand runs away
            growth = np.clip(state["norm"] / np.maximum(norm, 1e-12), 0.2, state["most"])
            state["dt"] = np.clip(state["dt"] * growth, 0.2, 1e6)
        else:
            state["dt"] = np.full_like(norm, 0.5)
        state["norm"] = norm
        d = self.slope(z + r)
        if state["lapack"]:
            m = -d.transpose(0, 2, 1)[..., None] * self.a[:, None]
            np.einsum("rsii->rsi", m)[...] += (1 + 1 / state["dt"])[..., None]
            return self.bounded(z + np.linalg.solve(m, r.transpose(0, 2, 1)[..., None])[..., 0].transpose(0, 2, 1))
        n = self.n
        m = -d[:, :, None, :] * self.a[..., None]  # [R, n, n, S]
        m[:, np.arange(n), np.arange(n)] += (1 + 1 / state["dt"])[:, None]
        m = m.transpose(1, 2, 0, 3).reshape(n, n, -1)
        dz = eliminate(m, r.transpose(1, 0, 2).reshape(n, -1).copy())
        return self.bounded(z + dz.reshape(n, len(z), -1).transpose(1, 0, 2))

    def bounded(self, z):  # the values of a sigmoid are between 0 and 1
        return z if self.identity else np.clip(z, 0, 1, out=z)

    def states(self, method, drive):
        if method == "rk4":
            return self.rk4(drive)
        return self.iterate(drive, method)

    # Jobs.
    def settle(self, method, count):
        z = np.empty((count, self.n), np.float32)
        chunk = 2048 if self.n < 12 else 512
        for i in range(0, count, chunk):
            z[i:i + chunk] = self.states(method, self.drive(self.x[None, i:min(i + chunk, count)]))[0].T
        return float(np.square(z[:, self.hidden:] - self.t[:count]).mean()), z

    def one(self, method, i):
        return self.states(method, self.drive(self.x[None, i:i + 1]))[0, :, 0]

    def adjoint(self, method, z, g):
        """u = g + A^T D u."""
        d = self.slope(z)
        if self.n <= 48:
            m = np.eye(self.n, dtype=np.float32) - self.a.transpose(0, 2, 1)[:, None] * d.transpose(0, 2, 1)[:, :, None]
            return np.linalg.solve(m, g.transpose(0, 2, 1)[..., None])[..., 0].transpose(0, 2, 1)
        at, u = self.a.transpose(0, 2, 1), g.copy()
        for _ in range(200):
            new = at @ (d * u) + g
            change = np.abs(new - u).max()
            u = new
            if change <= 1e-5 * np.abs(g).max():
                break
        return u

    def train(self, method, x, slopes, rate):
        z = self.states(method, self.drive(x))
        g = np.zeros_like(z)
        g[:, self.hidden:] = slopes(z[:, self.hidden:])
        delta = self.slope(z) * self.adjoint(method, z, g) / np.float32(x.shape[1])
        gradients = (delta @ z.transpose(0, 2, 1), delta[:, :self.hidden] @ x, delta.sum(axis=2))
        self.adam(gradients, rate)
        return z, gradients

    def adam(self, gradients, rate):
        self.taken += 1
        c1, c2 = 1 - 0.9**self.taken, 1 - 0.999**self.taken
        for p, g, (m, v) in zip((self.a, self.b, self.bias), gradients, self.moments):
            m *= np.float32(0.9)
            m += np.float32(0.1) * g
            v *= np.float32(0.999)
            v += np.float32(0.001) * g * g
            p -= np.float32(rate / c1) * m / (np.sqrt(v / np.float32(c2)) + np.float32(1e-8))

    def step(self, method, k):
        t = self.t[k].transpose(0, 2, 1)
        z, gradients = self.train(method, self.x[k], lambda y: y - t, 1e-9)  # d/dy of the mean over two outputs
        return z.transpose(0, 2, 1), gradients

    def epoch_step(self, method, index):
        labels = self.labels[index]

        def slopes(y):  # softmax minus one-hot
            p = np.exp(y - y.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            p[0, labels, np.arange(len(labels))] -= 1
            return p

        z, _ = self.train(method, self.x[None, index], slopes, 1e-3)
        return len(index) if np.isfinite(z).all() else 0

    def test_states(self, method):
        parts = [self.test_x[None, i:i + 1000] for i in range(0, len(self.test_x), 1000)]
        return np.concatenate([self.states(method, self.drive(x))[0].T for x in parts])

    def weights(self):
        return self.a, self.b, self.bias


if __name__ == "__main__":
    serve(NumpyPeer)
