"""PyTorch, eager: batched, no autograd graph through the solve, in place where it can be, settled samples leave.

States are [R, n, S]: replica, neuron, sample, so that A z is one (batched) matrix product and all else runs along
samples. Gradients are exact, by the adjoint equation; Adam is PyTorch's own, fused or foreach.
"""
from peer import DEVICE, ON_DEVICE, Peer, serve

MEMORY, DAMPING = 5, 0.5  # Anderson's, as in irn
STEPS = {"picard": 400, "anderson": 300, "newton": 150, "newton-lapack": 150}
# Steps after which newton restarts, more carefully, the one sample in a thousand that has not settled.
RESTART = 30


def make(name="torch", compiled=False):
    import torch

    torch.set_grad_enabled(False)
    if ON_DEVICE:  # PyTorch multiplies in full single precision by default
        torch.set_default_device(DEVICE)
        torch.zeros(1)  # fails now if there is no device

    def placed(array):
        return torch.from_numpy(array).to(DEVICE)

    sigmoid = torch.sigmoid

    def eliminate(m, r):
        """m x = r for every sample at once by Gaussian elimination without pivots (the systems are benign): m [n, n, S],
        r [n, S]. In PyTorch 1.13 and for seven neurons eight times as fast as torch.linalg.solve."""
        n, rows, rights = len(r), [], []
        for k in range(n):
            inverse = m[0, 0].reciprocal()
            row, right = m[0, 1:] * inverse, r[0] * inverse
            rows.append(row), rights.append(right)
            m, r = m[1:, 1:] - m[1:, :1] * row, r[1:] - m[1:, 0] * right
        x = rights[-1][None]
        for k in range(n - 2, -1, -1):
            x = torch.cat(((rights[k] - (rows[k] * x).sum(0))[None], x))
        return x

    def rate_of(a, drive, z, hidden):
        """F(z) - z; hidden < n: the neurons from there on are linear."""
        u = torch.baddbmm(drive, a, z)
        f = sigmoid(u) if hidden == u.shape[1] else torch.cat((sigmoid(u[:, :hidden]), u[:, hidden:]), 1)
        return f - z

    def size_of(r, z, hidden):
        """Outputs beyond one count by their size, as they do for irn."""
        size = r.abs().amax(1)
        return size if hidden == z.shape[1] else size / z.abs().amax(1).clamp_min(1)

    def slope_of(f, hidden):
        d = f * (1 - f)
        return d if hidden == f.shape[1] else torch.cat((d[:, :hidden], torch.ones_like(d[:, hidden:])), 1)

    def newton(a, drive, z, r, norm, old, dt, hidden, lapack, most):
        """Pseudo-transient: ((1 + 1/dt) I - D A) dz = r, and dt grows as the residual falls."""
        dt = (dt * (old / norm.clamp_min(1e-12)).clamp(0.2, most)).clamp(0.2, 1e6)
        d, n, replicas, samples = slope_of(z + r, hidden), z.shape[1], z.shape[0], z.shape[2]
        shift = 1 + 1 / dt
        if lapack:
            m = torch.diag_embed(shift[..., None].expand(-1, -1, n)) - d.transpose(1, 2)[..., None] * a[:, None]
            dz = torch.linalg.solve(m, r.transpose(1, 2)).transpose(1, 2)
        else:
            eye = torch.eye(n)[:, :, None, None]
            m = eye * shift - (a[..., None] * d[:, :, None]).permute(1, 2, 0, 3)  # [n, n, R, S]
            dz = eliminate(m.reshape(n, n, -1), r.permute(1, 0, 2).reshape(n, -1))
            dz = dz.reshape(n, replicas, samples).permute(1, 0, 2)
        z = (z + dz).clamp(0, 1) if hidden == n else z + dz  # the values of a sigmoid are between 0 and 1
        r = rate_of(a, drive, z, hidden)
        return z, r, size_of(r, z, hidden), norm, dt

    def picard(a, drive, z, r, hidden):
        for _ in range(4):  # on small networks checking the residual costs a quarter of a step
            z = z + r
            r = rate_of(a, drive, z, hidden)
        return z, r, size_of(r, z, hidden)

    def mix(z, r, zs, rs):
        """Anderson's combination; zs, rs [R, m, n, S] are differences of states and of residuals."""
        dr = rs.permute(0, 3, 1, 2)
        gram = dr @ dr.transpose(2, 3)
        scale = gram.diagonal(dim1=2, dim2=3).amax(2)[..., None, None]
        gram = gram + (1e-6 * scale + 1e-30) * torch.eye(gram.shape[2])
        gamma = torch.linalg.solve(gram, dr @ r.transpose(1, 2)[..., None])[..., 0]  # [R, S, m]
        return z + DAMPING * r - ((zs + DAMPING * rs) * gamma.permute(0, 2, 1)[:, :, None]).sum(1)

    if compiled:
        newton, picard, mix = (torch.compile(f, dynamic=False) for f in (newton, picard, mix))
        rate_once = torch.compile(rate_of, dynamic=False)
    else:
        rate_once = rate_of

    class TorchPeer(Peer):
        version = torch.__version__

        def __init__(self):
            import os
            self.name, self.threads = name, int(os.environ.get("OMP_NUM_THREADS", "1"))
            torch.set_num_threads(self.threads)

        def load(self, spec, data):
            self.wanted = [placed(data[k]) for k in ("a", "b", "bias")]
            self.rate = 1e-3 if spec["job"] == "epoch" else 1e-9
            self.begin()
            self.n, self.hidden = self.a.shape[1], self.b.shape[1]
            self.sigmoids = self.hidden if spec["job"] == "epoch" else self.n
            if spec["job"] == "epoch":
                self.x, self.test_x = (placed(data[k]).float() / 255 for k in ("pixels", "test_pixels"))
                self.labels = placed(data["labels"]).long()
            else:
                self.x, self.t = placed(data["x"]), placed(data["t"])

        def begin(self):
            parameters = [torch.nn.Parameter(w.clone(), requires_grad=True) for w in self.wanted]
            try:
                self.optimiser = torch.optim.Adam(parameters, lr=self.rate, fused=True)
            except (RuntimeError, TypeError):  # on the CPU, fused exists since 2.4
                self.optimiser = torch.optim.Adam(parameters, lr=self.rate, foreach=True)
            self.parameters = parameters
            self.a, self.b, self.bias = (p.data for p in parameters)

        def methods(self, spec):
            """On one thread, too: small batches are not worth two, and on a busy machine threads wait for each other."""
            names = self.methods_of(spec)
            if ON_DEVICE:
                return names
            return [m + "@1" for m in names if self.threads > 1 and not compiled and "anderson" not in m] + names

        def methods_of(self, spec):
            if ON_DEVICE and spec["job"] == "settle" and self.n <= 48:
                return [f"{m}/{chunk}" for m in ("newton-lapack", "newton") for chunk in (2**19, 2**16)]
            if self.n > 48:
                return ["picard", "anderson"] + (["newton-lapack"] if self.n < 80 else [])
            if compiled:  # compiling takes long: only the method that wins without it is tried with it
                return ["newton/4096", "newton-lapack/4096"] if spec["job"] == "settle" else ["newton-lapack", "newton"]
            if spec["job"] == "settle":
                return [f"{m}/{chunk}" for chunk in ((2048, 16384) if self.n < 12 else (1024, 4096))
                        for m in ("newton", "newton-lapack", "anderson")]
            return ["newton", "newton-lapack", "anderson", "picard"]

        def drive(self, x):  # [R, S, k] to [R, n, S]
            d = torch.zeros(len(self.a), self.n, x.shape[1])
            d[:, :self.hidden] = self.b @ x.transpose(1, 2)
            return d.add_(self.bias[:, :, None])

        def states(self, method, drive):
            method, _, threads = method.partition("@")
            threads = int(threads or self.threads)
            if threads != torch.get_num_threads():
                torch.set_num_threads(threads)
            if method == "rk4":
                return self.rk4(drive)
            tolerance, compact = self.spec["tolerance"], len(self.a) == 1 and not compiled
            out = ids = None
            z = torch.zeros_like(drive)
            r = rate_once(self.a, drive, z, self.sigmoids)
            norm = r.abs().amax(1)
            state = {"norm": norm, "dt": torch.full_like(norm, 0.5), "zs": [], "rs": []}
            for k in range(STEPS[method] // (4 if method == "picard" else 1)):
                open_ = norm > tolerance
                left = int(open_.sum())
                if left == 0:
                    break
                if k == RESTART and method.startswith("newton"):
                    z = torch.where(open_[:, None], torch.zeros_like(z), z)
                    r = rate_once(self.a, drive, z, self.sigmoids)
                    norm = r.abs().amax(1)
                    state["norm"], state["dt"] = norm, torch.where(open_, torch.full_like(norm, 0.5), state["dt"])
                if compact and left < 0.6 * open_.shape[1]:
                    keep = open_[0].nonzero()[:, 0]
                    out = torch.empty_like(drive) if ids is None else out
                    ids = torch.arange(z.shape[2]) if ids is None else ids
                    out[:, :, ids] = z
                    ids, z, r, drive = (v.index_select(-1, keep) for v in (ids, z, r, drive))
                    norm = norm.index_select(-1, keep)
                    state = {k: [e.index_select(-1, keep) for e in v] if isinstance(v, list)
                             else v.index_select(-1, keep) for k, v in state.items()}
                z, r, norm = self.move(method, drive, z, r, norm, state, 5.0 if k < RESTART else 1.5)
            if ids is None:
                return z
            out[:, :, ids] = z
            return out

        def move(self, method, drive, z, r, norm, state, most):
            if method == "picard":
                return picard(self.a, drive, z, r, self.sigmoids)
            if method == "anderson":
                return self.anderson(drive, z, r, state)
            z, r, norm, state["norm"], state["dt"] = newton(self.a, drive, z, r, norm, state["norm"], state["dt"],
                                                            self.sigmoids, method == "newton-lapack", most)
            return z, r, norm

        def anderson(self, drive, z, r, state):
            zs, rs = state["zs"], state["rs"]
            if rs:
                new = mix(z, r, torch.stack(zs, 1), torch.stack(rs, 1))
            else:
                new = z + DAMPING * r
            after = rate_once(self.a, drive, new, self.sigmoids)
            zs.append(new - z), rs.append(after - r)
            del zs[:-MEMORY], rs[:-MEMORY]
            return new, after, size_of(after, new, self.sigmoids)

        def rk4(self, drive):
            z = torch.zeros_like(drive)
            for _ in range(30):
                k1 = rate_once(self.a, drive, z, self.sigmoids)
                k2 = rate_once(self.a, drive, torch.add(z, k1, alpha=0.5), self.sigmoids)
                k3 = rate_once(self.a, drive, torch.add(z, k2, alpha=0.5), self.sigmoids)
                k4 = rate_once(self.a, drive, z + k3, self.sigmoids)
                z = z + (k1 + 2 * (k2 + k3) + k4) / 6
            return z

        # Jobs.
        def settle(self, method, count):
            method, at, threads = method.partition("@")
            method, _, chunk = method.partition("/")
            method += at + threads
            usual = 2**19 if ON_DEVICE else 16384 if self.n < 12 else 4096 if self.n < 48 else 1024
            chunk = min(int(chunk or usual), count)
            parts = [self.states(method, self.drive(self.x[None, i:min(i + chunk, count)]))[0].T
                     for i in range(0, count, chunk)]
            z = torch.cat(parts)
            return float((z[:, self.hidden:] - self.t[:count]).square().mean()), z

        def one(self, method, i):
            return self.states(method, self.drive(self.x[None, i:i + 1]))[0, :, 0]

        def adjoint(self, method, z, g):
            """u = g + A^T D u: factored where that is cheap, else iterated."""
            d = slope_of(z, self.sigmoids)
            if self.n <= 80:
                m = torch.eye(self.n) - self.a.transpose(1, 2)[:, None] * d.transpose(1, 2)[:, :, None]
                return torch.linalg.solve(m, g.transpose(1, 2)).transpose(1, 2)
            at, u, bound = self.a.transpose(1, 2).contiguous(), g, 1e-5 * float(g.abs().amax())
            for _ in range(100):
                old = u
                for _ in range(2):
                    u = torch.baddbmm(g, at, d * u)
                if float((u - old).abs().amax()) <= bound:
                    break
            return u

        def train(self, method, x, slopes):
            z = self.states(method, self.drive(x))
            g = torch.zeros_like(z)
            g[:, self.hidden:] = slopes(z[:, self.hidden:])
            delta = slope_of(z, self.sigmoids) * self.adjoint(method, z, g) / x.shape[1]
            gradients = (delta @ z.transpose(1, 2), delta[:, :self.hidden] @ x, delta.sum(2))
            for p, gradient in zip(self.parameters, gradients):
                p.grad = gradient
            self.optimiser.step()
            return z, gradients

        def step(self, method, k):
            t = self.t[k].transpose(1, 2)
            z, gradients = self.train(method, self.x[k], lambda y: y - t)  # d/dy of the mean over two outputs
            return z.transpose(1, 2), gradients

        def epoch_step(self, method, index):
            index = placed(index.astype("int64"))
            labels = self.labels[index]

            def slopes(y):
                p = torch.softmax(y, 1)
                p[0, labels, torch.arange(len(labels))] -= 1
                return p

            z, _ = self.train(method, self.x[index][None], slopes)
            return len(index) if bool(torch.isfinite(z).all()) else 0

        def test_states(self, method):
            parts = [self.test_x[None, i:i + 1000] for i in range(0, len(self.test_x), 1000)]
            return torch.cat([self.states(method, self.drive(x))[0].T for x in parts])

        def weights(self):
            return self.a, self.b, self.bias

        def array(self, native):
            return native.cpu().numpy() if hasattr(native, "cpu") else native

        def wait(self, native):
            if ON_DEVICE:
                torch.cuda.synchronize()

    if compiled:
        TorchPeer.trial_samples = 16384
    return TorchPeer()


if __name__ == "__main__":
    serve(make)
