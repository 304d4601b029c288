"""Independent values for the test of src/core/stats/variance-components.ts.

The restricted likelihood of y = mu + group + error from its general form, with the whole covariance matrix, minimised by scipy
over both variances (and over `within` alone at `between` = 0); nothing is translated from the TypeScript. Run it with any Python
that has scipy:

    python3 lab/stats/variance-reference.py > src/core/stats/fixtures/variance-components.json
"""

import json

import numpy as np
import scipy
from scipy import linalg, optimize

rng = np.random.default_rng(20261121)


def restricted_deviance(between, within, groups):
    y = np.concatenate(groups)
    v = within * np.eye(len(y)) + between * linalg.block_diag(*[np.ones((len(g), len(g))) for g in groups])
    x = np.ones((len(y), 1))
    inverse = linalg.inv(v)
    information = x.T @ inverse @ x
    projection = inverse - inverse @ x @ linalg.inv(information) @ x.T @ inverse
    return float(np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + y @ projection @ y)


def reml(groups):
    scale = np.var(np.concatenate(groups))
    exponent = lambda value: np.log(value)
    best = None
    for start in ((0.5, 0.5), (0.05, 0.95), (0.95, 0.05)):
        found = optimize.minimize(
            lambda p: restricted_deviance(np.exp(p[0]), np.exp(p[1]), groups),
            exponent(np.array(start) * scale), method="Nelder-Mead",
            options=dict(xatol=1e-10, fatol=1e-13, maxiter=20_000, maxfev=20_000))
        if best is None or found.fun < best.fun:
            best = found
    edge = optimize.minimize_scalar(lambda p: restricted_deviance(0.0, np.exp(p), groups),
                                    bounds=exponent(np.array([0.01, 100]) * scale), method="bounded",
                                    options=dict(xatol=1e-12))
    if edge.fun <= best.fun + 1e-9:
        return 0.0, float(np.exp(edge.x))
    return float(np.exp(best.x[0])), float(np.exp(best.x[1]))


def draw(sizes, between, within):
    return [rng.normal(rng.normal(0.02, between), within, size).round(4) for size in sizes]


cases = []
for sizes, between, within in (
    ([4] * 8, 0.05, 0.1), ([8] * 16, 0.03, 0.15), ([8] * 12, 0.0, 0.2), ([2, 2], 0.3, 0.1), ([1, 2, 3, 4, 5, 6], 0.1, 0.05),
    ([8, 8, 16, 16, 12, 4], 0.06, 0.08), ([1, 1, 1, 2], 0.2, 0.2), ([3] * 20, 0.2, 0.01), ([6, 2, 2], 0.0, 0.1),
):
    groups = draw(sizes, between, within)
    estimate = reml(groups)
    row = dict(groups=[[float(v) for v in g] for g in groups], between=estimate[0], within=estimate[1])
    if len(set(sizes)) == 1:
        n, k = sizes[0], len(sizes)
        means = np.array([g.mean() for g in groups])
        inside = sum(((g - g.mean()) ** 2).sum() for g in groups) / (k * (n - 1))
        row["anova"] = dict(between=float((n * means.var(ddof=1) - inside) / n), within=float(inside))
    cases.append(row)

print(json.dumps(dict(generator=f"numpy {np.__version__}, scipy {scipy.__version__}", cases=cases), separators=(",", ":")))
