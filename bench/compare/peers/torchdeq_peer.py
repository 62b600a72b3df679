"""torchdeq: deep equilibrium models in PyTorch. Its solvers, its implicit differentiation, the map written by us.

Its functions are of [samples, n]; replicas have no place in them, so twelve replicas are twelve calls.
"""
from peer import DEVICE, ON_DEVICE, Peer, serve


def make():
    import torch
    import torchdeq

    if ON_DEVICE:
        torch.set_default_device(DEVICE)
        torch.zeros(1)  # fails now if there is no device

    def placed(array):
        return torch.from_numpy(array).to(DEVICE)

    class TorchdeqPeer(Peer):
        name, version = "torchdeq", getattr(torchdeq, "__version__", "from source") + f" on PyTorch {torch.__version__}"

        def __init__(self):
            import os
            torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))

        def load(self, spec, data):
            if len(data["a"]) > 100:
                raise ValueError("replicas one after the other: not for so many")
            self.wanted = [placed(data[k]) for k in ("a", "b", "bias")]
            self.rate = 1e-3 if spec["job"] == "epoch" else 1e-9
            self.n, self.hidden = data["a"].shape[1], data["b"].shape[1]
            self.sigmoids = self.hidden if spec["job"] == "epoch" else self.n
            self.deqs = {}
            self.begin()
            if spec["job"] == "epoch":
                self.x, self.test_x = (placed(data[k]).float() / 255 for k in ("pixels", "test_pixels"))
                self.labels = placed(data["labels"]).long()
            else:
                self.x, self.t = placed(data["x"]), placed(data["t"])

        def begin(self):
            self.parameters = [torch.nn.Parameter(w.clone()) for w in self.wanted]
            self.optimiser = torch.optim.Adam(self.parameters, lr=self.rate, foreach=True)

        def methods(self, spec):
            return ["anderson", "broyden", "fixed_point_iter"]

        def deq(self, method):
            if method not in self.deqs:
                limit = {"anderson": 200, "broyden": 60, "fixed_point_iter": 300}[method]
                self.deqs[method] = torchdeq.get_deq(
                    f_solver=method, b_solver=method, f_max_iter=limit, b_max_iter=limit, f_stop_mode="abs",
                    b_stop_mode="abs", f_tol=self.spec["tolerance"], b_tol=1e-6, ift=True)
            return self.deqs[method]

        def states(self, method, replica, x):  # [S, k] to [S, n]
            a, b, bias = (p[replica] for p in self.parameters)
            drive = torch.nn.functional.pad(x @ b.T, (0, self.n - self.hidden)) + bias
            at = a.T

            def f(z):
                u = torch.addmm(drive, z, at)
                return torch.sigmoid(u) if self.sigmoids == self.n else \
                    torch.cat((torch.sigmoid(u[:, :self.sigmoids]), u[:, self.sigmoids:]), 1)

            z, _ = self.deq(method)(f, torch.zeros_like(drive))
            return z[-1]

        def settle(self, method, count):
            with torch.no_grad():
                chunk = min(2**17 if ON_DEVICE else 8192, count)
                z = torch.cat([self.states(method, 0, self.x[i:i + chunk]) for i in range(0, count, chunk)])
                return float((z[:, self.hidden:] - self.t[:count]).square().mean()), z

        def one(self, method, i):
            with torch.no_grad():
                return self.states(method, 0, self.x[i:i + 1])[0]

        def step(self, method, k):
            self.optimiser.zero_grad(set_to_none=True)
            z = [self.states(method, r, self.x[k, r]) for r in range(self.x.shape[1])]
            # The mean over the batch and both outputs; replicas share no parameters.
            loss = sum((zr[:, self.hidden:] - self.t[k, r]).square().mean() for r, zr in enumerate(z))
            loss.backward()
            gradients = [p.grad.clone() for p in self.parameters]
            self.optimiser.step()
            return torch.stack(z).detach(), gradients

        def epoch_step(self, method, index):
            index = placed(index.astype("int64"))
            self.optimiser.zero_grad(set_to_none=True)
            z = self.states(method, 0, self.x[index])
            torch.nn.functional.cross_entropy(z[:, self.hidden:], self.labels[index]).backward()
            self.optimiser.step()
            return len(index) if bool(torch.isfinite(z).all()) else 0

        def test_states(self, method):
            with torch.no_grad():
                parts = [self.test_x[i:i + 1000] for i in range(0, len(self.test_x), 1000)]
                return torch.cat([self.states(method, 0, x) for x in parts])

        def weights(self):
            return self.parameters

        def array(self, native):
            return native.detach().cpu().numpy() if hasattr(native, "detach") else native

        def wait(self, native):
            if ON_DEVICE:
                torch.cuda.synchronize()

    return TorchdeqPeer()


if __name__ == "__main__":
    serve(make)
