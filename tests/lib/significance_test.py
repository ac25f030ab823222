#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The arithmetic of scripts/lib/significance.py against published figures and brute force."""
import itertools
import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "scripts", "lib"))
# pylint: disable=wrong-import-position
import significance  # noqa: E402
from significance import compare, mann_whitney  # noqa: E402


def brute_force(a, b):
    """The share of all ways to deal the values that lie as far from the middle."""
    values = a + b

    def wins(first):
        chosen = [values[i] for i in first]
        others = [values[i] for i in range(len(values)) if i not in first]
        return sum((x > y) + (x == y) / 2 for x in chosen for y in others)
    middle = len(a) * len(b) / 2
    distance = abs(wins(set(range(len(a)))) - middle)
    far = [abs(wins(set(deal)) - middle) >= distance
           for deal in itertools.combinations(range(len(values)), len(a))]
    return sum(far) / len(far)


class MannWhitney(unittest.TestCase):
    def test_published(self):
        # SciPy's manual, ages at diagnosis by sex.
        self.assertAlmostEqual(mann_whitney([19, 22, 16, 29, 24], [20, 11, 17, 12]), 1 / 9)
        # R's manual, permeability of membranes: W = 35, one-sided p = 0.1272.
        at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
        early = [1.15, 0.88, 0.90, 0.74, 1.21]
        self.assertAlmostEqual(mann_whitney(at_term, early), 0.2544, places=4)

    def test_extremes(self):
        self.assertEqual(mann_whitney([3] * 6, [3] * 6), 1)
        self.assertAlmostEqual(mann_whitney(range(6), range(10, 16)), 2 / 924)
        self.assertAlmostEqual(mann_whitney(range(3), range(10, 13)), 2 / 20)

    def test_ties_by_brute_force(self):
        rng = random.Random(1)
        for _ in range(100):
            a = [rng.randint(0, 5) for _ in range(rng.randint(1, 6))]
            b = [rng.randint(0, 5) for _ in range(rng.randint(1, 5))]
            self.assertAlmostEqual(mann_whitney(a, b), brute_force(a, b), msg=f"{a} {b}")

    def test_approximation(self):
        rng = random.Random(2)
        for shift in (0, 0.3, 0.8):
            a = [rng.gauss(0, 1) for _ in range(50)]
            b = [rng.gauss(shift, 1) for _ in range(50)]
            ranks = significance.doubled_ranks(a + b)
            self.assertAlmostEqual(significance.exact_p(ranks, 50),
                                   significance.normal_p(ranks, 50), places=2)

    def test_no_more_false_alarms_than_promised(self):
        rng = random.Random(3)
        alarms = sum(mann_whitney([rng.random() for _ in range(8)],
                                  [rng.random() for _ in range(8)]) < 0.05
                     for _ in range(1000))
        self.assertLess(alarms, 70)
        self.assertGreater(alarms, 20)


class Printing(unittest.TestCase):
    def test_line(self):
        base, new = [98, 99, 100, 101, 102], [108, 109, 110, 111, 112]
        text = significance.line(compare(base, new))
        self.assertRegex(text, r"^ *100 ± +1\.0% \| +\+10\.0%  \| +110 ± +0\.9% \| +0\.0079$")
        text = significance.line(compare(base, [x + 0.1 for x in base]))
        self.assertRegex(text, r"\+0\.1%~")

    def test_numbers(self):
        for value, text in ((0, "0"), (1234567.8, "1,234,568"), (0.01234567, "0.01235"),
                            (12.3456, "12.35"), (-0.5, "-0.5000")):
            self.assertEqual(significance.number(value), text)

    def test_zero(self):
        self.assertIn("-", significance.line(compare([0, 0, 0], [0, 0, 0])))


if __name__ == "__main__":
    unittest.main()
