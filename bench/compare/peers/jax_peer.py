"""JAX: everything compiled, whole solves in while_loop, samples in chunks by map, steps of training in scan.

States are [R, n, S]: replica, neuron, sample. Gradients are exact, by the adjoint equation; nothing is differentiated
through the solve.
"""
import functools

import numpy as np

from peer import ON_DEVICE, Peer, serve

MEMORY, DAMPING, RESTART = 5, 0.5, 30  # as in torch_peer.py
STEPS = {"picard": 400, "anderson": 300, "newton": 150}


def make():
    import jax
    import jax.numpy as jnp
    from jax import lax

    def fields(u, sigmoids):
        f = jax.nn.sigmoid(u[:, :sigmoids])
        return f if sigmoids == u.shape[1] else jnp.concatenate((f, u[:, sigmoids:]), 1)

    def size_of(r, z):
        """The largest; outputs beyond one count by their size, as they do for irn."""
        return (jnp.abs(r).max(1) / jnp.maximum(jnp.abs(z).max(1), 1)).max()

    def slope_of(f, sigmoids):
        d = f * (1 - f)
        return d if sigmoids == f.shape[1] else jnp.concatenate((d[:, :sigmoids], jnp.ones_like(d[:, sigmoids:])), 1)

    # m x = r for every sample at once: m [n, n, S], r [n, S]. No pivoting: the systems are benign.
    def unrolled(m, r):
        n, rows, rights = r.shape[0], [], []
        for _ in range(n):
            inverse = 1 / m[0, 0]
            row, right = m[0, 1:] * inverse, r[0] * inverse
            rows.append(row), rights.append(right)
            m, r = m[1:, 1:] - m[1:, :1] * row, r[1:] - m[1:, 0] * right
        x = rights[-1][None]
        for k in range(n - 2, -1, -1):
            x = jnp.concatenate(((rights[k] - (rows[k] * x).sum(0))[None], x))
        return x

    def rolled(m, r):
        """Gauss and Jordan's, a loop that XLA keeps in place."""
        m = jnp.concatenate((m, r[:, None]), 1)
        others = jnp.arange(m.shape[0])

        def clear(k, m):
            row = m[k] / m[k, k]
            factor = jnp.where((others == k)[:, None], m[:, k] - 1, m[:, k])
            return m - factor[:, None] * row

        return lax.fori_loop(0, m.shape[0], clear, m)[:, -1]

    def newton_step(solver, a, d, r, dt):
        """((1 + 1/dt) I - D A) dz = r."""
        n, shift = r.shape[1], 1 + 1 / dt
        if solver == "lapack":
            m = shift[..., None, None] * jnp.eye(n, dtype=r.dtype) - d.transpose(0, 2, 1)[..., None] * a[:, None]
            return jnp.linalg.solve(m, r.transpose(0, 2, 1)[..., None])[..., 0].transpose(0, 2, 1)
        eye = jnp.eye(n, dtype=r.dtype)[:, :, None, None]
        m = eye * shift - (a[..., None] * d[:, :, None]).transpose(1, 2, 0, 3)
        flat = (unrolled if solver == "unrolled" else rolled)(m.reshape(n, n, -1), r.transpose(1, 0, 2).reshape(n, -1))
        return flat.reshape(n, r.shape[0], -1).transpose(1, 0, 2)

    def newton(a, drive, sigmoids, tolerance, solver):
        rate = lambda z: fields(a @ z + drive, sigmoids) - z
        size = lambda r: jnp.abs(r).max(1)
        first = rate(jnp.zeros_like(drive))

        def body(s):
            k, z, r, norm, old, dt = s
            again = (norm > tolerance) & (k == RESTART)
            z, r = jnp.where(again[:, None], 0, z), jnp.where(again[:, None], first, r)
            norm, dt = jnp.where(again, size(first), norm), jnp.where(again, 0.5, dt)
            old = jnp.where(again, norm, old)
            dt = jnp.clip(dt * jnp.clip(old / jnp.maximum(norm, 1e-12), 0.2, jnp.where(k < RESTART, 5.0, 1.5)), 0.2, 1e6)
            new = z + newton_step(solver, a, slope_of(z + r, sigmoids), r, dt)
            new = jnp.clip(new, 0, 1) if sigmoids == z.shape[1] else new
            z = jnp.where((norm > tolerance)[:, None], new, z)
            r = rate(z)
            return k + 1, z, r, size(r), norm, dt

        start = (0, jnp.zeros_like(drive), first, size(first), size(first), jnp.full_like(size(first), 0.5))
        return lax.while_loop(lambda s: (s[0] < STEPS["newton"]) & (s[3] > tolerance).any(), body, start)[1]

    def picard(a, drive, sigmoids, tolerance):
        def body(s):
            k, z, _ = s
            new = fields(a @ z + drive, sigmoids)
            return k + 1, new, size_of(new - z, new)

        start = (0, jnp.zeros_like(drive), jnp.asarray(jnp.inf, drive.dtype))
        return lax.while_loop(lambda s: (s[0] < STEPS["picard"]) & (s[2] > tolerance), body, start)[1]

    def anderson(a, drive, sigmoids, tolerance):
        rate = lambda z: fields(a @ z + drive, sigmoids) - z

        def body(s):
            k, z, r, zs, rs = s
            dr = rs.transpose(1, 3, 0, 2)  # [R, S, m, n]
            gram = dr @ dr.transpose(0, 1, 3, 2)
            scale = jnp.einsum("rsii->rsi", gram).max(2)[..., None, None]
            gram = gram + (1e-6 * scale + 1e-30) * jnp.eye(MEMORY, dtype=z.dtype)
            gamma = jnp.linalg.solve(gram, dr @ r.transpose(0, 2, 1)[..., None])[..., 0]
            new = z + DAMPING * r - jnp.einsum("rsm,mrns->rns", gamma, zs + DAMPING * rs)
            after = rate(new)
            return (k + 1, new, after, jnp.concatenate((zs[1:], (new - z)[None])),
                    jnp.concatenate((rs[1:], (after - r)[None])))

        zero = jnp.zeros((MEMORY,) + drive.shape, drive.dtype)
        start = (0, jnp.zeros_like(drive), rate(jnp.zeros_like(drive)), zero, zero)
        return lax.while_loop(lambda s: (s[0] < STEPS["anderson"]) & (size_of(s[2], s[1]) > tolerance), body, start)[1]

    def rk4(a, drive, sigmoids):
        rate = lambda z: fields(a @ z + drive, sigmoids) - z

        def body(_, z):
            k1 = rate(z)
            k2 = rate(z + 0.5 * k1)
            k3 = rate(z + 0.5 * k2)
            return z + (k1 + 2 * (k2 + k3) + rate(z + k3)) / 6

        return lax.fori_loop(0, 30, body, jnp.zeros_like(drive))

    def drive_of(weights, x):
        a, b, bias = weights
        d = b @ x.transpose(0, 2, 1)
        rest = jnp.zeros((d.shape[0], a.shape[1] - d.shape[1], d.shape[2]), d.dtype)
        return jnp.concatenate((d, rest), 1) + bias[:, :, None]

    def states(method, weights, x, sigmoids, tolerance):
        drive, a = drive_of(weights, x), weights[0]
        name, _, solver = method.partition("-")
        if name == "rk4":
            return rk4(a, drive, sigmoids)
        if name == "newton":
            return newton(a, drive, sigmoids, tolerance, solver or "rolled")
        return {"picard": picard, "anderson": anderson}[name](a, drive, sigmoids, tolerance)

    def adjoint(a, d, g):
        """u = g + A^T D u: factored where that is cheap, else iterated."""
        n, at = g.shape[1], a.transpose(0, 2, 1)
        if n <= 80:
            m = jnp.eye(n, dtype=g.dtype) - at[:, None] * d.transpose(0, 2, 1)[:, :, None]
            return jnp.linalg.solve(m, g.transpose(0, 2, 1)[..., None])[..., 0].transpose(0, 2, 1)
        bound = 1e-5 * jnp.abs(g).max()

        def body(s):
            new = at @ (d * s[1]) + g
            return s[0] + 1, new, jnp.abs(new - s[1]).max()

        return lax.while_loop(lambda s: (s[0] < 200) & (s[2] > bound), body, (0, g, jnp.asarray(jnp.inf, g.dtype)))[1]

    def train(state, method, x, slopes, rate, sigmoids, tolerance):
        weights, first, second, steps = state
        z = states(method, weights, x, sigmoids, tolerance)
        hidden = weights[1].shape[1]
        g = jnp.concatenate((jnp.zeros_like(z[:, :hidden]), slopes(z[:, hidden:])), 1)
        d = slope_of(z, sigmoids)
        delta = d * adjoint(weights[0], d, g) / x.shape[1]
        gradients = (delta @ z.transpose(0, 2, 1), delta[:, :hidden] @ x, delta.sum(2))
        steps = steps + 1
        first = tuple(0.9 * m + 0.1 * g for m, g in zip(first, gradients))
        second = tuple(0.999 * v + 0.001 * g * g for v, g in zip(second, gradients))
        c1, c2 = 1 - 0.9**steps, 1 - 0.999**steps
        weights = tuple(p - rate / c1 * m / (jnp.sqrt(v / c2) + 1e-8) for p, m, v in zip(weights, first, second))
        return (weights, first, second, steps), z, gradients

    class JaxPeer(Peer):
        name, version = "jax", jax.__version__

        def __init__(self):
            jnp.zeros(1)  # fails now if there is no device
            if ON_DEVICE:
                self.trial_samples = 2**30  # all: JAX would compile anew for another number of samples

        def load(self, spec, data):
            self.first = tuple(jnp.asarray(data[k]) for k in ("a", "b", "bias"))
            self.n, self.hidden = data["a"].shape[1], data["b"].shape[1]
            self.sigmoids, self.made = self.hidden if spec["job"] == "epoch" else self.n, {}
            self.begin()
            if spec["job"] == "epoch":
                self.x, self.test_x = (jnp.asarray(np.float32(data[k]) / np.float32(255)) for k in ("pixels", "test_pixels"))
                self.labels = jnp.asarray(data["labels"].astype(np.int32))
            else:
                self.x, self.t = jnp.asarray(data["x"]), jnp.asarray(data["t"])

        def begin(self):
            zeros = tuple(jnp.zeros_like(w) for w in self.first)
            self.state = (self.first, zeros, zeros, jnp.asarray(0.0, jnp.float32))

        def methods(self, spec):
            # The host asks whether the loop has ended: use few large chunks.
            if ON_DEVICE and spec["job"] == "settle" and self.n <= 48:
                names = ("newton-unrolled", "newton-lapack") if self.n <= 12 else ("newton-lapack", "newton-rolled")
                return [f"{name}/{chunk}" for chunk in (2**16, 2**19, 2**13) for name in names] + ["anderson/65536"]
            if self.n > 48:
                return ["picard", "anderson"] + (["newton-lapack"] if self.n < 80 else [])
            names = ["newton-rolled", "newton-lapack", "anderson"] + (["newton-unrolled"] if self.n <= 12 else [])
            if spec["job"] != "settle":
                return names + ["picard"]
            return [f"{name}/{chunk}" for name in names for chunk in ((512, 4096, 16384) if self.n < 12 else (256, 2048, 16384))]

        def compiled(self, key, function):
            if key not in self.made:
                self.made[key] = jax.jit(function)
            return self.made[key]

        def solve(self, method, weights, x):
            return states(method, weights, x, self.sigmoids, self.spec["tolerance"])

        def settle(self, method, count):
            name, _, chunk = method.partition("/")
            chunk = min(int(chunk or (2**19 if ON_DEVICE else 4096)), count)

            def all_of(weights, x, t):
                parts = x.reshape(-1, chunk, x.shape[1])
                z = lax.map(lambda part: self.solve(name, weights, part[None])[0].T, parts).reshape(-1, self.n)
                return jnp.square(z[:, self.hidden:] - t).mean(), z

            error, z = self.compiled(("settle", method, count), all_of)(self.first, self.x[:count], self.t[:count])
            return float(error), z

        def one(self, method, i):
            function = self.compiled(("one", method), lambda w, x: self.solve(method, w, x[None, None])[0, :, 0])
            return np.asarray(function(self.first, self.x[i]))

        def one_step(self, method, state, x, t):
            target = t.transpose(0, 2, 1)
            return train(state, method, x, lambda y: y - target, 1e-9, self.sigmoids, self.spec["tolerance"])

        def step(self, method, k):
            function = self.compiled(("step", method), functools.partial(self.one_step, method))
            self.state, z, gradients = function(self.state, self.x[k], self.t[k])
            return z.transpose(0, 2, 1), gradients

        def steps(self, method):
            def one(state, batch):
                state, z, _ = self.one_step(method, state, *batch)
                return state, z[:, self.hidden:]

            function = self.compiled(("steps", method), lambda state, x, t: lax.scan(one, state, (x, t)))
            self.state, outputs = function(self.state, self.x, self.t)
            return outputs

        def image_step(self, method, state, index, images, labels):
            def slopes(y):
                return jax.nn.softmax(y, 1) - jax.nn.one_hot(labels[index], y.shape[1], axis=0)[None]

            state, z, _ = train(state, method, images[index][None], slopes, 1e-3, self.sigmoids, self.spec["tolerance"])
            return state, jnp.isfinite(z).all(1).sum()

        def epoch_step(self, method, index):
            function = self.compiled(("image", method), functools.partial(self.image_step, method))
            self.state, used = function(self.state, jnp.asarray(index.astype(np.int32)), self.x, self.labels)
            return int(used)

        def epoch(self):
            batch, order = self.spec["batch"], self.data["order"].astype(np.int32)
            order = jnp.asarray(order[:len(order) // batch * batch].reshape(-1, batch))

            def whole(state, order, images, labels):
                return lax.scan(lambda s, index: self.image_step(self.method, s, index, images, labels), state, order)

            self.state, used = self.compiled(("epoch", self.method), whole)(self.state, order, self.x, self.labels)
            return int(used.sum())

        def test_states(self, method):
            function = self.compiled(("test", method), lambda w, x: self.solve(method, w, x[None])[0].T)
            parts = [self.test_x[i:i + 1000] for i in range(0, len(self.test_x), 1000)]
            return np.concatenate([np.asarray(function(self.state[0], x)) for x in parts])

        def weights(self):
            return self.state[0]

        def wait(self, native):
            if native is not None:
                jax.block_until_ready(native)

    return JaxPeer()


if __name__ == "__main__":
    serve(make)
