"""Independent values for the tests of src/core/stats and src/core/verdict/decide.ts.

From the definitions, with numpy and scipy: nothing is translated from the TypeScript. Tied signed-rank tests are enumerated over
all signs, ranks of quantiles are exact fractions, and the search over shifts tries five in every gap between Walsh averages. Run it with any Python that has scipy:

    python3 lab/stats/reference.py > src/core/stats/fixtures/reference.json
"""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20261121)


def numbers(values):
    return [float(v) for v in values]


# --- the rule, in its own words ---------------------------------------------------------------------------------------

RULE = dict(tolerance=0.01, margin=0.10, floor=0.05, alpha=0.01, hypotheses=10, beta=0.05)
STORED_LOOKS = [8, 12, 16, 20, 28, 40, 60]


def enumerated_p(x):
    """P(W+ >= observed) over all 2^n signs of the mid-ranks; a zero is ranked and not positive."""
    ranks = stats.rankdata(np.abs(x))
    observed = ranks[np.asarray(x) > 0].sum()
    signs = np.array(list(itertools.product((0, 1), repeat=len(x))))
    return float(np.mean(signs @ ranks >= observed - 1e-9))


def trim(x):
    a = np.abs(x)
    centre = np.median(a)
    return x[a <= centre + 5 * np.median(np.abs(a - centre))]


def signed_rank_p(x):
    assert len(np.unique(np.abs(x))) == len(x)
    return float(stats.wilcoxon(x, alternative="greater", method="exact").pvalue)


def shifts_between_walsh_averages(d):
    i, j = np.triu_indices(len(d))
    walsh = np.unique((d[i] + d[j]) / 2)
    yield walsh[0] - 1.0
    for low, high in itertools.pairwise(walsh):
        for part in (0.01, 0.25, 0.5, 0.75, 0.99):
            yield low + part * (high - low)


def walsh_median(x):
    i, j = np.triu_indices(len(x))
    return float(np.median((x[i] + x[j]) / 2))


def estimate(d):
    centre = np.median(d)
    return float(centre + walsh_median(trim(d - centre)))


def wealth(x, scale):
    """A bettor's wealth after each value that should be positive: four shares, each with a stake of its own."""
    a = np.minimum(np.abs(x) / scale, 1)
    shares = [w * np.cumprod(1 + 0.95 * np.sign(x) * np.tanh(rate * a))
              for w, rate in ((0.05, 0.2), (0.25, 0.7), (0.35, 2.0), (0.35, 6.0))]
    return np.sum(shares, axis=0)


def decide(d):
    tolerance, margin, floor = (math.log(1 + RULE[name]) for name in ("tolerance", "margin", "floor"))
    worse = wealth(d - tolerance, margin - tolerance) * RULE["alpha"] / RULE["hypotheses"]
    within = wealth(margin - d, margin) * RULE["beta"]
    for n in range(1, len(d) + 1):
        if worse[n - 1] >= 1 and estimate(d[:n]) >= floor:
            return "regressed", n
        if within[n - 1] >= 1:
            return "pass", n
    return "open", len(d)


def decide_stored(candidate, reference, drift):
    y, late = np.log(reference), [n for n in STORED_LOOKS if n >= 16]
    for n in STORED_LOOKS:
        if n > len(candidate):
            break
        x = np.log(candidate[:n])
        shift = np.median(np.subtract.outer(x, y))
        worse, promised = math.log(1 + RULE["tolerance"]) + drift, math.log(1 + RULE["margin"]) - drift
        above = stats.mannwhitneyu(x - worse, y, alternative="greater", method="exact").pvalue
        below = stats.mannwhitneyu(x - promised, y, alternative="less", method="exact").pvalue
        if (n in late and above <= RULE["alpha"] / RULE["hypotheses"] / len(late)
                and shift >= math.log(1 + RULE["floor"])):
            return "regressed", n
        if below <= RULE["beta"] / len(STORED_LOOKS):
            return "pass", n
    return "open", len(candidate)


def lowest_accepted(d, alpha):
    """The lower end of the lowest gap between Walsh averages with a shift that is not rejected; None below all of them."""
    i, j = np.triu_indices(len(d))
    walsh = np.unique((d[i] + d[j]) / 2)
    for shift in shifts_between_walsh_averages(d):
        if signed_rank_p(d - shift) > alpha:
            return float(walsh[walsh < shift].max()) if shift > walsh[0] else None
    return float(walsh[-1])


def signed_rank_interval(d, level):
    """What the test does not reject, and the estimate."""
    alpha = (1 - level) / 2
    low, high = lowest_accepted(d, alpha), lowest_accepted(-d, alpha)
    return None if low is None else min(low, estimate(d)), None if high is None else max(-high, estimate(d))


# --- cases ----------------------------------------------------------------------------------------------------------

signed = [[1.0], [-1.0], [0.0], [0.0, 0.0, 1.0], [2.0, 2.0, -2.0, 2.0], [3.0, 3.0, 3.0, 3.0]]
signed += [numbers(rng.integers(-4, 5, n)) for n in range(2, 15)]
signed += [numbers(rng.normal(0.5, 1, n)) for n in range(2, 13)]
signed = [dict(x=x, p=enumerated_p(x)) for x in signed]
for n in (16, 20, 40, 60, 61):
    for shift in (0.0, 0.2, 0.6, 2.5):
        x = np.round(rng.normal(shift, 1, n), 6)
        signed.append(dict(x=numbers(x), p=float(
            stats.wilcoxon(x, alternative="greater", method="exact").pvalue)))

sums = []
for m, n in [(1, 1), (2, 3), (3, 2), (4, 4), (5, 7), (8, 8), (12, 10), (8, 40), (30, 30), (60, 60)]:
    x, y = np.round(rng.normal(0.4, 1, m), 6), np.round(rng.normal(0, 1, n), 6)
    sums.append(dict(x=numbers(x), y=numbers(y), p=float(
        stats.mannwhitneyu(x, y, alternative="greater", method="exact").pvalue),
        shift=float(np.median(np.subtract.outer(x, y)))))
for m, n in [(2, 2), (3, 4), (4, 5), (5, 5), (7, 6)]:
    x, y = rng.integers(0, 4, m), rng.integers(0, 4, n)
    ranks = stats.rankdata(np.concatenate([x, y]))
    choices = list(itertools.combinations(range(m + n), m))
    hits = sum(1 for c in choices if ranks[list(c)].sum() >= ranks[:m].sum() - 1e-9)
    sums.append(dict(x=numbers(x), y=numbers(y), p=hits / len(choices),
                     shift=float(np.median(np.subtract.outer(x, y)))))

# Of the sample 1, 2, … n the p-quantile is its rank.
quantiles = []
for n in (1, 2, 3, 7, 10, 50, 99, 100, 101, 960, 1000, 8000, 96_000):
    for p in ("0", "0.01", "0.07", "0.25", "0.29", "0.5", "0.57", "0.9", "0.95", "0.99", "0.999", "1"):
        rank = max(1, math.ceil(Fraction(p) * n))
        quantiles.append(dict(n=n, p=float(p), rank=rank))
skewed = numbers(np.round(rng.exponential(1, 211), 6))
inverted = [dict(p=p, q=float(np.quantile(skewed, p, method="inverted_cdf")))
            for p in (0.0, 0.013, 0.25, 0.5, 0.77, 0.9, 0.95, 0.99, 0.999, 1.0)]


def noise(n, sd, kind):
    d = rng.normal(0, sd, n)
    if kind == "outliers":
        d += (rng.random(n) < 0.1) * rng.choice([-1, 1], n) * rng.uniform(0.4, 1.4, n)
    if kind == "clusters":
        d += rng.choice([-1, 1], n) * 0.06
    return d


series = []
for ratio in (1.0, 1.02, 1.05, 1.1, 1.2, 0.85):
    for sd, kind in ((0.03, "plain"), (0.06, "outliers"), (0.1, "outliers"), (0.2, "outliers"),
                     (0.003, "clusters"), (0.001, "clusters")):
        for n in (7, 16, 20, 60, 60, 60):
            d = np.round(math.log(ratio) + noise(n, sd, kind), 7)
            state, rounds = decide(d)
            series.append(dict(d=numbers(d), state=state, rounds=rounds, estimate=estimate(d[:rounds])))

unpaired = []
for ratio in (1.0, 1.1, 1.3, 0.8):
    for drift in (0.0, 0.02, 0.2):
        for m, n in ((7, 20), (16, 16), (28, 20), (60, 30)):
            x = np.round(100 * ratio * np.exp(rng.normal(0, 0.04, m)), 6)
            y = np.round(100 * np.exp(rng.normal(0, 0.04, n)), 6)
            state, rounds = decide_stored(x, y, drift)
            unpaired.append(dict(candidate=numbers(x), reference=numbers(y), drift=drift,
                                 state=state, rounds=rounds))

intervals = []
for n in (4, 6, 9, 16, 25):
    for sd, kind in ((0.1, "plain"), (0.05, "outliers"), (0.005, "clusters")):
        d = np.round(noise(n, sd, kind), 7)
        for level in (0.9, 0.99):
            low, high = signed_rank_interval(d, level)
            intervals.append(dict(d=numbers(d), level=level, low=low, high=high))


def proportion(k, n, level):
    wilson = stats.binomtest(k, n).proportion_ci(level, "wilson")
    return dict(k=k, n=n, level=level,
                low=float(stats.beta.ppf((1 - level) / 2, k, n - k + 1)) if k else 0.0,
                high=float(stats.beta.isf((1 - level) / 2, k + 1, n - k)) if k < n else 1.0,
                z=float(stats.norm.isf((1 - level) / 2)), wilsonLow=wilson.low, wilsonHigh=wilson.high)


print(json.dumps(dict(
    generator=f"numpy {np.__version__}, scipy {scipy.__version__}",
    signedRank=[row for row in signed if len({0.0, *map(abs, row["x"])}) == len(row["x"]) + 1],
    rankSum=sums,
    quantileRank=quantiles,
    skewed=dict(x=skewed, quantiles=inverted),
    hodgesLehmann=[dict(x=row["x"], estimate=walsh_median(np.array(row["x"]))) for row in signed],
    binomial=[dict(k=k, n=n, p=p, upper=float(stats.binom.sf(k - 1, n, p)),
                   lower=float(stats.binom.cdf(k, n, p)))
              for k, n, p in [(0, 5, 0.5), (1, 5, 0.5), (5, 5, 0.5), (30, 40, 0.5), (3, 1000, 0.001),
                              (70, 100, 0.6), (2, 50, 0.3), (49, 50, 0.9), (300, 30_000, 0.009),
                              (10_500, 1_000_000, 0.01), (500_000, 1_000_000, 0.5)]],
    proportion=[proportion(k, n, level) for k, n, level in
                [(0, 30, 0.95), (1, 30, 0.95), (15, 30, 0.9), (30, 30, 0.95), (4, 2000, 0.95),
                 (9, 12_000, 0.99), (700, 1000, 0.999)]],
    normal=[dict(q=q, z=float(stats.norm.isf(q)))
            for q in (0.5, 0.25, 0.075, 0.074, 0.05, 0.01, 1e-3, 1.67e-4, 1e-6, 1e-10, 1e-13, 1e-300,
                      0.7, 0.93, 0.999)],
    rule=RULE,
    series=series,
    unpaired=unpaired,
    intervals=intervals,
), separators=(",", ":")))
