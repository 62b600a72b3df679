"""The judge: residuals and exact gradients in double, by their definitions, in plain NumPy.

    residual  |z - f(A z + B x + b)|_inf / max(1, |z|_inf)
    gradient  u = g + A^T D u,  dA = (D u) z^T, dB = (D u) x^T, db = D u

Nobody's own word counts for whether a sample settled: its state is put into the equation. Does not know what flow a
state belongs to; two contenders that settle apart from each other are both within the tolerance, and the distance says so.
"""
import numpy as np

CHUNK = 4096
APART = 1e-3  # beyond this, two settled states are not the same equilibrium


def doubles(file, *names):
    return [np.asarray(file[name], dtype=np.float64) for name in names]


def f(u, sigmoids):
    z = u.copy()
    with np.errstate(over="ignore"):
        z[..., :sigmoids] = 1 / (1 + np.exp(-u[..., :sigmoids]))
    return z


def drive(b, bias, x, n):
    d = np.broadcast_to(bias, (len(x), n)).copy()
    d[:, :len(b)] += x @ b.T
    return d


def residuals(weights, x, z, sigmoids):
    """One a state; a state that is not finite has an infinite one. x may go on beyond them."""
    a, b, bias = weights
    x = x[:len(z)]
    out = np.empty(len(z))
    for i in range(0, len(z), CHUNK):
        part = np.asarray(z[i:i + CHUNK], dtype=np.float64)
        u = part @ a.T + drive(b, bias, np.asarray(x[i:i + CHUNK], dtype=np.float64), len(a))
        scale = np.maximum(np.abs(part).max(axis=1), 1)  # irn's measure (irn/equilibrium/outcome.h)
        out[i:i + CHUNK] = np.abs(part - f(u, sigmoids)).max(axis=1) / scale
    return np.where(np.isfinite(out), out, np.inf)


def judge_states(weights, x, z, tolerance, sigmoids, reference=None):
    """Twice the tolerance: a residual taken in single precision is that much off."""
    r = residuals(weights, x, z, sigmoids)
    verdict = {"settled": float((r <= 2 * tolerance).mean()), "residual": float(np.quantile(r, 0.999)),
               "largest_residual": float(r.max())}
    if reference is not None:
        both = (r <= 2 * tolerance) & (residuals(weights, x, reference[:len(z)], sigmoids) <= 2 * tolerance)
        if both.any():
            distance = np.abs(np.asarray(z[both], np.float64) - reference[:len(z)][both]).max(axis=1)
            verdict["distance"], verdict["apart"] = float(np.median(distance)), float((distance > APART).mean())
    return verdict


def repeated(step, start):
    """The fixed point of `step` by plain iteration, or None where that does not get there."""
    z = start
    for _ in range(600):
        z, old = step(z), z
        change = np.abs(z - old).max()
        if change <= 1e-11:
            return z
        if not change < 1e3:
            break
    return None


def equilibria(a, d, z):
    """Those nearest to the states z, which are equilibria to 1e-5 already: iterated where wide, by Newton's method else."""
    n = len(a)
    found = repeated(lambda y: f(y @ a.T + d, n), z) if n > 300 else None
    if found is not None:
        return found
    z, eye, chunk = z.copy(), np.eye(n), max(1, int(2e7 / (n * n)))
    for i in range(0, len(z), chunk):
        s = slice(i, i + chunk)
        for _ in range(2 if n < 200 else 1):
            y = f(z[s] @ a.T + d[s], n)
            z[s] += np.linalg.solve(eye - (y * (1 - y))[:, :, None] * a, (y - z[s])[..., None])[..., 0]
    return z


def adjoint(a, slope, g):
    n = len(a)
    found = repeated(lambda u: g + (slope * u) @ a, g) if n > 300 else None
    if found is not None:
        return found
    chunk = max(1, int(2e7 / (n * n)))
    parts = [np.linalg.solve(np.eye(n) - a.T * slope[i:i + chunk, None, :], g[i:i + chunk, :, None])[..., 0]
             for i in range(0, len(g), chunk)]
    return np.concatenate(parts)


def exact_gradient(weights, x, t, z):
    """Of the mean squared error of one batch, at the equilibria nearest to the states z."""
    a, b, bias = weights
    hidden = len(b)
    z = equilibria(a, drive(b, bias, x, len(a)), np.asarray(z, dtype=np.float64))
    g = np.zeros_like(z)
    g[:, hidden:] = (z[:, hidden:] - t) / len(z)
    slope = z * (1 - z)
    u = slope * adjoint(a, slope, g)
    return u.T @ z, u[:, :hidden].T @ x, u.sum(axis=0)


def judge_step(job, answer, tolerance, reference):
    """Settled share of the states of a batch, and how far the gradients are off, relative to the largest entry."""
    a, b, bias, x, t = doubles(job, "a", "b", "bias", "x", "t")
    verdicts, off = [], 0.0
    for r in range(len(a)):
        weights = (a[r], b[r], bias[r])
        verdicts.append(judge_states(weights, x[0, r], answer["z"][r], tolerance, len(a[r]),
                                     None if reference is None else reference["z"][r]))
        if "a" not in answer.files:
            continue
        if not np.isfinite(answer["z"][r]).all():
            off = np.inf
            continue
        wanted = exact_gradient(weights, x[0, r], t[0, r], answer["z"][r])
        scale = max(np.abs(w).max() for w in wanted)
        off = max(off, max(np.abs(answer[k][r] - w).max() for k, w in zip(("a", "b", "bias"), wanted)) / scale)
    merged = {k: float((max if "residual" in k else np.mean)([v[k] for v in verdicts if k in v]))
              for k in {k for v in verdicts for k in v}}
    return dict(merged, gradient_off=float(off)) if "a" in answer.files else merged


def judge(spec, job, answer, reference=None):
    """What the answer file of a contender is worth."""
    if spec["job"] == "step":
        return judge_step(job, answer, spec["tolerance"], reference)
    if spec["job"] == "epoch":
        weights = [w[0] for w in doubles(answer, "a", "b", "bias")]
        x = np.float64(job["test_pixels"]) / 255
        return judge_states(weights, x, answer["z"], spec["tolerance"], len(weights[1]))
    weights = [w[0] for w in doubles(job, "a", "b", "bias")]
    return judge_states(weights, job["x"], answer["z"], spec["tolerance"], len(weights[0]),
                        None if reference is None else reference["z"])
