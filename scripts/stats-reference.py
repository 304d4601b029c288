"""Independent values for the tests of src/stats and src/verdict/decide.ts.

Written with numpy and scipy only, from the definitions: nothing is translated from the TypeScript. Ties of the signed-rank test
are enumerated by brute force over all signs. Run it with any Python that has scipy, and commit what it writes:

    python3 scripts/stats-reference.py > src/stats/fixtures/reference.json
"""

import itertools
import json
import math

import numpy as np
from scipy import stats

rng = np.random.default_rng(20261121)


def signed_rank_upper(x):
    """P(W+ >= observed) over all 2^n signs of the given mid-ranks."""
    ranks = stats.rankdata(np.abs(x))
    observed = ranks[np.asarray(x) > 0].sum()
    hits = sum(
        1
        for signs in itertools.product((0, 1), repeat=len(x))
        if np.dot(signs, ranks) >= observed - 1e-9
    )
    return hits / 2 ** len(x)


def trim(x, k=5.0):
    a = np.abs(x)
    centre = np.median(a)
    return x[a <= centre + k * np.median(np.abs(a - centre))]


def untied_upper(n):
    """Upper tails of W+ for n untied values, by convolution."""
    density = np.array([1.0])
    for rank in range(1, n + 1):
        wider = np.zeros(len(density) + rank)
        wider[: len(density)] += density / 2
        wider[rank:] += density / 2
        density = wider
    return np.cumsum(density[::-1])[::-1]


def trimmed_p(d, shift, sign):
    kept = trim(sign * (d - shift))
    ranks = stats.rankdata(np.abs(kept))
    return float(untied_upper(len(kept))[int(round(ranks[kept > 0].sum()))])


def walsh_median(x):
    i, j = np.triu_indices(len(x))
    return float(np.median((x[i] + x[j]) / 2))


def estimate(d):
    centre = np.median(d)
    return float(centre + walsh_median(trim(d - centre)))


RULE = dict(tolerance=0.01, promise=0.10, floor=0.05, alpha=0.01, hypotheses=10, beta=0.05,
            looks=[8, 12, 16, 20, 28, 40, 60])


def decide(d):
    looks = RULE["looks"]
    regress_level = None
    for skipped in range(len(looks)):
        level = RULE["alpha"] / (RULE["hypotheses"] * (len(looks) - skipped))
        if 0.5 ** looks[skipped] <= level:
            regress_level = level
            break
    for n in looks:
        if n > len(d):
            break
        head = d[:n]
        if (trimmed_p(head, math.log(1 + RULE["tolerance"]), 1) <= regress_level
                and estimate(head) >= math.log(1 + RULE["floor"])):
            return ["regressed", n]
        if trimmed_p(head, math.log(1 + RULE["promise"]), -1) <= RULE["beta"] / len(looks):
            return ["pass", n]
    return ["open", len(d)]


def numbers(values):
    return [float(v) for v in values]


def tied(n):
    return numbers(rng.integers(-4, 5, n))


signed = [[1.0], [-1.0], [0.0, 0.0, 1.0], [2.0, 2.0, -2.0, 2.0]]
signed += [tied(n) for n in range(2, 13)] + [numbers(rng.normal(0.5, 1, n)) for n in range(2, 13)]

sums = []
for m, n in [(1, 1), (2, 3), (3, 2), (4, 4), (5, 7), (8, 8), (12, 10)]:
    x, y = rng.normal(0.4, 1, m), rng.normal(0, 1, n)
    p = stats.mannwhitneyu(x, y, alternative="greater", method="exact").pvalue
    sums.append(dict(x=numbers(x), y=numbers(y), p=float(p)))
for m, n in [(2, 2), (3, 4), (4, 5), (5, 5)]:
    x, y = rng.integers(0, 4, m), rng.integers(0, 4, n)
    ranks = stats.rankdata(np.concatenate([x, y]))
    observed = ranks[:m].sum()
    choices = list(itertools.combinations(range(m + n), m))
    hits = sum(1 for c in choices if ranks[list(c)].sum() >= observed - 1e-9)
    sums.append(dict(x=numbers(x), y=numbers(y), p=hits / len(choices)))

quantiles = []
for n in (1, 2, 3, 10, 99, 100, 101, 960, 8000):
    x = numbers(rng.exponential(1, n))
    for p in (0.0, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0):
        q = float(np.quantile(x, p, method="inverted_cdf"))
        quantiles.append(dict(n=n, p=p, q=q))
    quantiles[-1]["x"] = x

series = []
for ratio in (1.0, 1.02, 1.05, 1.1, 1.2, 0.85):
    for sd in (0.03, 0.06, 0.1, 0.2):
        for n in (7, 16, 60):
            outlier = (rng.random(n) < 0.05) * rng.choice([-1, 1], n) * rng.uniform(0.5, 1.5, n)
            d = np.round(rng.normal(math.log(ratio), sd, n) + outlier, 9)
            state, look = decide(d)
            series.append(dict(d=numbers(d), state=state, look=look, estimate=estimate(d[:look])))

print(json.dumps(dict(
    generator=f"numpy {np.__version__}, scipy {__import__('scipy').__version__}",
    signedRank=[dict(x=x, p=signed_rank_upper(x)) for x in signed],
    rankSum=sums,
    quantile=quantiles,
    hodgesLehmann=[dict(x=x, estimate=walsh_median(np.array(x))) for x in signed],
    binomial=[dict(k=k, n=n, p=p, tail=float(stats.binom.sf(k - 1, n, p)))
              for k, n, p in [(0, 5, 0.5), (1, 5, 0.5), (5, 5, 0.5), (30, 40, 0.5), (3, 1000, 0.001), (70, 100, 0.6)]],
    clopperPearson=[dict(k=k, n=n, level=level,
                         low=float(stats.beta.ppf((1 - level) / 2, k, n - k + 1)) if k else 0.0,
                         high=float(stats.beta.ppf(1 - (1 - level) / 2, k + 1, n - k)) if k < n else 1.0)
                    for k, n, level in [(0, 30, 0.95), (1, 30, 0.95), (15, 30, 0.9), (30, 30, 0.95), (4, 2000, 0.95)]],
    normal=[dict(q=q, z=float(stats.norm.isf(q))) for q in (0.5, 0.25, 0.05, 0.01, 1e-3, 1.67e-4, 1e-6, 1e-10)],
    rule=RULE,
    series=series,
), separators=(",", ":")))
