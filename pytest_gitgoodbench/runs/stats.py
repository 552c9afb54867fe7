"""The statistics of solve rates: intervals, pass@k, paired tests. Numbers in, numbers out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson(successes: float, trials: float, z: float = Z95) -> tuple[float, float]:
    """The score interval of a proportion, without continuity correction.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927); it is
    method 3 of Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in
    Medicine 17 (1998).

    Args:
        successes, trials: counts; they need not be whole (see `effective_size`).

    Returns:
        Lower and upper bound; (0, 1) without trials.
    """
    if trials <= 0:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


def effective_size(clusters: Iterable[tuple[float, int]]) -> float:
    """How many independent attempts are worth as much as attempts that come in clusters.

    Trials of one scenario resemble each other: an interval that took them for independent would be too
    narrow. This is the number of attempts over Kish's design effect, with the variance of a ratio over
    clusters (Korn and Graubard, "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24, 1998).

    Args:
        clusters: successes and attempts of each.

    Returns:
        From the number of clusters to the number of attempts.
    """
    sizes = [(successes, attempts) for successes, attempts in clusters if attempts]
    groups, total = len(sizes), sum(attempts for _, attempts in sizes)
    if groups == total or groups < 2:
        return float(groups)
    share = sum(successes for successes, _ in sizes) / total
    spread = sum((successes - share * attempts) ** 2 for successes, attempts in sizes)
    if not 0 < share < 1 or spread == 0:
        return float(groups if not 0 < share < 1 else total)
    variance = spread / total**2 * groups / (groups - 1)
    return min(float(total), max(float(groups), share * (1 - share) / variance))


def pass_at_k(attempts: int, solved: int, k: int) -> float:
    """The probability that at least one of k attempts is solved, estimated without bias.

    1 - C(n-c, k) / C(n, k): Chen et al., "Evaluating Large Language Models Trained on Code" (2021),
    equation 1.

    Raises:
        ValueError: fewer than k attempts.
    """
    if not 1 <= k <= attempts:
        raise ValueError(f"pass@{k} needs at least {k} attempts, there are {attempts}")
    return 1.0 - math.comb(attempts - solved, k) / math.comb(attempts, k)


def mcnemar(first_only: int, second_only: int) -> float:
    """The two-sided p-value of McNemar's exact test: are the discordant pairs a fair coin's?

    McNemar, "Note on the sampling error of the difference between correlated proportions or
    percentages", Psychometrika 12 (1947), with the binomial distribution instead of chi square.

    Args:
        first_only, second_only: pairs in which only the one side succeeded. With several trials a pair:
            in which the one side succeeded more often; it is then the sign test.
    """
    discordant = first_only + second_only
    tail = sum(math.comb(discordant, k) for k in range(min(first_only, second_only) + 1))
    # Whole numbers divided once: exact for any number of pairs.
    share: float = 2 * tail / 2**discordant
    return min(1.0, share)


@dataclass(frozen=True)
class Difference:
    """A difference of two shares with its 95 % interval."""

    value: float
    low: float
    high: float


def paired_difference(differences: Sequence[float], z: float = Z95) -> Difference:
    """The mean of paired differences, each from -1 to 1, and its interval.

    For single trials it is the interval of Agresti and Min, "Simple improved confidence intervals for
    comparing matched proportions", Statistics in Medicine 24 (2005): half a pair is added to each of the
    four cells. The same two pseudo-pairs do for means of several trials.
    """
    if not differences:
        return Difference(0.0, -1.0, 1.0)
    pairs = len(differences) + 2
    centre = sum(differences) / pairs
    squares = sum(difference * difference for difference in differences) + 1
    reach = z * math.sqrt(max(0.0, squares / pairs - centre * centre) / pairs)
    return Difference(
        sum(differences) / len(differences), max(-1.0, centre - reach), min(1.0, centre + reach)
    )
