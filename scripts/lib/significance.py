# SPDX-License-Identifier: GPL-2.0
"""Do two samples differ? Medians, spreads, the Mann-Whitney test, and how they are printed."""
import math
import statistics
from collections import namedtuple

ALPHA = 0.05
# Above this size the exact test takes seconds and the normal approximation is as good.
EXACT_UP_TO = 50


def doubled_ranks(values):
    """Twice the rank of each value, so that the mean rank of ties is a whole number."""
    order = sorted(values)
    first, last = {}, {}
    for rank, value in enumerate(order, 1):
        first.setdefault(value, rank)
        last[value] = rank
    return [first[value] + last[value] for value in values]


def rank_sum_counts(ranks, size):
    """How many subsets of that size have a rank sum of s, for each s.

    ways[k] is a polynomial in x whose coefficient of x^s counts the subsets of k
    ranks with the sum s, evaluated at a power of two above all coefficients.
    """
    bits = math.comb(len(ranks), size).bit_length() + 1
    ways = [1] + [0] * size
    for rank in ranks:
        for k in range(size, 0, -1):
            ways[k] += ways[k - 1] << (rank * bits)
    packed = ways[size].to_bytes((ways[size].bit_length() + 7) // 8 + 8, "little")
    mask = (1 << bits) - 1
    for position in range(sum(ranks) + 1):
        bit = position * bits
        word = int.from_bytes(packed[bit // 8:(bit + bits + 7) // 8], "little")
        if (word >> (bit % 8)) & mask:
            yield position, (word >> (bit % 8)) & mask


def exact_p(ranks, size):
    expected = size * sum(ranks) / len(ranks)
    distance = abs(sum(ranks[:size]) - expected)
    as_far = sum(count for position, count in rank_sum_counts(ranks, size)
                 if abs(position - expected) >= distance - 1e-9)
    return as_far / math.comb(len(ranks), size)


def normal_p(ranks, size):
    """With the correction for ties, which is in the variance of the ranks, and for steps."""
    total, rest = len(ranks), len(ranks) - size
    variance = statistics.pvariance(ranks) * size * rest / (total - 1)
    if not variance:
        return 1.0
    distance = abs(sum(ranks[:size]) - size * statistics.fmean(ranks))
    # Half a step of the rank sum is 1 in doubled ranks.
    return math.erfc(max(0.0, distance - 1) / math.sqrt(2 * variance))


def mann_whitney(a, b):
    """Two-sided p: how likely are ranks that differ so much if a and b are of one kind?"""
    ranks = doubled_ranks(list(a) + list(b))
    if max(len(a), len(b)) <= EXACT_UP_TO:
        return exact_p(ranks, len(a))
    return normal_p(ranks, len(a))


def spread(values):
    """Half the distance between the quartiles, in per cent of the median."""
    middle = statistics.median(values)
    if len(values) < 2 or not middle:
        return 0.0
    quartile = statistics.quantiles(values, n=4, method="inclusive")
    return 50 * (quartile[2] - quartile[0]) / abs(middle)


Comparison = namedtuple("Comparison", "base base_spread new new_spread ratio p")


def compare(base, new):
    middle, new_middle = statistics.median(base), statistics.median(new)
    ratio = new_middle / middle if middle else math.nan
    return Comparison(middle, spread(base), new_middle, spread(new), ratio,
                      mann_whitney(base, new))


def differs(comparison):
    return comparison.p < ALPHA


def number(value):
    """Four digits or all before the point, and no exponent."""
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    digits = 3 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(digits, 9)}f}"


def probability(p):
    return "<0.0001" if p < 0.0001 else f"{p:7.4f}"


def change(comparison):
    """In per cent, "~" behind it where the test finds no difference."""
    mark = " " if differs(comparison) else "~"
    if math.isnan(comparison.ratio):
        return f"{'-':>7} {mark}"
    return f"{100 * (comparison.ratio - 1):>+7.1f}%{mark}"


def cell(value, percent):
    return f"{number(value):>12} ±{percent:4.1f}%"


LINE_HEAD = f"{'base':>12} {'±%':>6} | {'change':>8}  | {'new':>12} {'±%':>6} | {'p':>7}"


def line(comparison):
    """base ±% | change | new ±% | p"""
    return f"{cell(comparison.base, comparison.base_spread)} | {change(comparison)} | " \
           f"{cell(comparison.new, comparison.new_spread)} | {probability(comparison.p)}"
