"""The statistics agree with published values and with exhaustive computation."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_gitgoodbench.runs.stats import effective_size, mcnemar, paired_difference, pass_at_k, wilson


# Newcombe (1998), table I, method 3.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_published(successes, trials, low, high):
    assert wilson(successes, trials) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_wilson_without_trials_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts):
    successes, trials = counts
    low, high = wilson(successes, trials)
    assert 0 <= low <= successes / trials + 1e-12
    assert successes / trials - 1e-12 <= high <= 1
    assert wilson(trials - successes, trials) == (pytest.approx(1 - high), pytest.approx(1 - low))


def test_independent_attempts_count_in_full():
    assert effective_size([(1, 1)] * 30 + [(0, 1)] * 70) == 100
    assert effective_size([]) == 0
    assert effective_size([(2, 5)]) == 1


def test_trials_that_all_agree_count_once():
    assert effective_size([(5, 5)] * 10 + [(0, 5)] * 10) == 20
    assert effective_size([(5, 5)] * 10) == 10
    assert effective_size([(0, 5)] * 10) == 10


def test_trials_that_differ_as_chance_would_count_almost_in_full():
    # Every outcome of four fair coins once, as 16 scenarios of 4 trials.
    clusters = [(sum(coins), 4) for coins in itertools.product((0, 1), repeat=4)]
    assert effective_size(clusters) == pytest.approx(64 * 15 / 16)


def test_pass_at_k_is_the_share_of_subsets_with_a_success():
    for attempts in range(1, 8):
        for solved in range(attempts + 1):
            results = [True] * solved + [False] * (attempts - solved)
            for k in range(1, attempts + 1):
                subsets = list(itertools.combinations(results, k))
                expected = sum(any(subset) for subset in subsets) / len(subsets)
                assert pass_at_k(attempts, solved, k) == pytest.approx(expected)


def test_pass_at_k_needs_k_attempts():
    with pytest.raises(ValueError, match="pass@3 needs at least 3 attempts, there are 2"):
        pass_at_k(2, 1, 3)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    # Twice the tail of a fair coin, by hand: 22 tosses with at most 6 heads, 10 with at most 1, 5 with none.
    [
        (6, 16, 2 * 110_056 / 2**22),
        (16, 6, 2 * 110_056 / 2**22),
        (1, 9, 22 / 1024),
        (0, 5, 2 / 32),
        (0, 0, 1),
        (4, 4, 1),
    ],
)
def test_mcnemar_is_the_fair_coins_tail(first, second, p):
    assert mcnemar(first, second) == pytest.approx(p)


def test_mcnemar_stays_exact_with_many_pairs():
    assert 0 < mcnemar(2000, 3000) < 1e-40
    assert mcnemar(2500, 2500) == 1.0


def test_paired_difference_as_published():
    # Agresti, Categorical Data Analysis, prime minister's approval: 0.04 ± 1.96 * 0.0095.
    found = paired_difference([1.0] * 150 + [-1.0] * 86 + [0.0] * (1600 - 236))
    assert found.value == pytest.approx(0.04)
    assert (found.low, found.high) == (pytest.approx(0.021, abs=5e-4), pytest.approx(0.059, abs=5e-4))


def test_paired_difference_is_the_formula_with_half_a_pair_in_each_cell():
    both, first, second, neither = 20, 7, 2, 11
    pairs = both + first + second + neither + 2
    b, c = first + 0.5, second + 0.5
    reach = 1.959963984540054 * math.sqrt(b + c - (b - c) ** 2 / pairs) / pairs
    found = paired_difference([0.0] * (both + neither) + [1.0] * first + [-1.0] * second)
    assert (found.low, found.high) == (
        pytest.approx((b - c) / pairs - reach),
        pytest.approx((b - c) / pairs + reach),
    )


def test_equal_runs_still_have_an_interval():
    found = paired_difference([0.0] * 10)
    assert found.low < found.value == 0 < found.high
    assert found.low == -found.high
    assert paired_difference([]).low == -1
