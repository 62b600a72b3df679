"""SciPy, a sample at a time: the paper's way. `rk45-30` is the paper's own (30 time units, whatever they reach); `lsoda`
is what settles: the stiff integrator, until the residual is within the tolerance."""
import numpy as np

from peer import Peer, serve

MOST = 200  # samples of a job: the others would take as long each


def make():
    import scipy
    from scipy.integrate import LSODA, solve_ivp

    class ScipyPeer(Peer):
        name, version, trial_samples = "scipy", scipy.__version__, 50

        def load(self, spec, data):
            if spec["job"] == "epoch":
                raise RuntimeError("an epoch would take days")
            self.a, self.b, self.bias = (data[k].astype(float) for k in ("a", "b", "bias"))
            self.x, self.t = data["x"], data["t"]
            self.hidden, self.n = self.b.shape[1], self.a.shape[1]
            if self.n > 400:
                raise RuntimeError("a step would take minutes")
            spec["samples"] = min(spec.get("samples", MOST), MOST)
            spec["batches"] = 1

        def methods(self, spec):
            return ["lsoda"] if spec["job"] == "step" else ["lsoda", "rk45-30"]

        def state(self, method, r, x):
            a, drive = self.a[r], self.bias[r].copy()
            drive[:self.hidden] += self.b[r] @ x
            rate = lambda t, z: 1 / (1 + np.exp(-(a @ z + drive))) - z
            if method == "rk45-30":
                return solve_ivp(rate, (0, 30), np.zeros(self.n), method="RK45").y[:, -1]

            def jacobian(t, z):
                f = 1 / (1 + np.exp(-(a @ z + drive)))
                return (f * (1 - f))[:, None] * a - np.eye(self.n)

            solver = LSODA(rate, 0, np.zeros(self.n), 1e6, rtol=1e-4, atol=1e-6, jac=jacobian)
            while solver.status == "running" and solver.nfev < 5000:
                solver.step()
                if np.abs(rate(0, solver.y)).max() <= self.spec["tolerance"]:
                    break
            return solver.y

        def settle(self, method, count):
            z = np.array([self.state(method, 0, x) for x in self.x[:count]])
            return float(np.square(z[:, self.hidden:] - self.t[:count]).mean()), z

        def one(self, method, i):
            return self.state(method, 0, self.x[i])

        def step(self, method, k):
            """The gradient; Adam costs nothing beside it."""
            replicas, batch = self.x.shape[1], self.x.shape[2]
            z = np.array([[self.state(method, r, x) for x in self.x[k, r]] for r in range(replicas)])
            gradients = [np.zeros_like(p) for p in (self.a, self.b, self.bias)]
            for r in range(replicas):
                for s in range(batch):
                    slope, g = z[r, s] * (1 - z[r, s]), np.zeros(self.n)
                    g[self.hidden:] = z[r, s, self.hidden:] - self.t[k, r, s]
                    delta = slope * np.linalg.solve(np.eye(self.n) - self.a[r].T * slope, g) / batch
                    gradients[0][r] += np.outer(delta, z[r, s])
                    gradients[1][r] += np.outer(delta[:self.hidden], self.x[k, r, s])
                    gradients[2][r] += delta
            return z, gradients

    return ScipyPeer()


if __name__ == "__main__":
    serve(make)
