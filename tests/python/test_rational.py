"""Closed networks of several servers a station, through the package, against the sum over
states in rational arithmetic: nothing in the oracle is rounded.

Product form [BCMP75]: G(N) is the convolution of f_l(n) = |n|! prod D_cl^n_c / n_c! over the
rates of 1 ... |n| tasks; X_c = G(N - e_c) / G(N).
"""

import itertools
import random
import unittest
from fractions import Fraction
from math import factorial

import numpy as np

import sgdperf


def vectors(most):
    return itertools.product(*[range(n + 1) for n in most])


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def weights(demand, capacity, most):
    """f_l(n) of a station; capacity None: a delay."""
    made = {}
    for n in vectors(most):
        value = Fraction(1 if capacity is None else factorial(sum(n)))
        for c, tasks in enumerate(n):
            value *= Fraction(demand[c]) ** tasks / factorial(tasks)
        if capacity is not None:
            for k in range(1, sum(n) + 1):
                value /= min(Fraction(k), Fraction(capacity))
        made[n] = value
    return made


def convolved(a, b, most):
    return {n: sum(a[m] * b[minus(n, m)] for m in vectors(n)) for n in vectors(most)}


class Network:
    def __init__(self, rnd):
        self.classes = rnd.choice([1, 1, 2, 2, 3])
        most = {1: 8, 2: 4, 3: 3}[self.classes]
        self.population = tuple(rnd.randint(1 if c == 0 else 0, most)
                                for c in range(self.classes))
        self.capacity = [rnd.choice([1.0, 1.0, 2.0, 3.0, 8.0, 1.5, 2.25])
                         for _ in range(rnd.randint(1, 4))]
        self.think = [rnd.choice([0.0, rnd.uniform(0, 3)]) for _ in range(self.classes)]
        self.demand = [[rnd.choice([0.0, rnd.uniform(0.01, 2), rnd.uniform(0.01, 2)])
                        for _ in self.capacity] for _ in range(self.classes)]
        for row, think in zip(self.demand, self.think):
            if think == 0.0 and not any(row):
                row[0] = 0.5

    def exactly(self):
        """Throughputs of the classes; queues and utilizations of the stations."""
        most = self.population
        columns = list(zip(*self.demand))
        parts = [weights(d, c, most) for d, c in zip(columns, self.capacity)]
        thinking = weights(self.think, None, most)

        def without(station):
            g = thinking
            for i, part in enumerate(parts):
                g = g if i == station else convolved(g, part, most)
            return g

        g = without(None)
        x = [g[minus(most, tuple(int(i == c) for i in range(self.classes)))] / g[most]
             if most[c] else Fraction(0) for c in range(self.classes)]
        queue = []
        for i, part in enumerate(parts):
            rest = without(i)
            queue.append(sum(sum(n) * part[n] * rest[minus(most, n)]
                             for n in vectors(most)) / g[most])
        utilization = [sum(a * Fraction(b) for a, b in zip(x, d)) / Fraction(c)
                       for d, c in zip(columns, self.capacity)]
        return x, queue, utilization

    def solved(self):
        x = np.zeros(self.classes)
        queue, utilization = np.zeros(len(self.capacity)), np.zeros(len(self.capacity))
        net = sgdperf.Network(
            classes=self.classes, stations=len(self.capacity), population=self.population,
            think_s=self.think, demand_s=np.array(self.demand).ravel(), capacity=self.capacity)
        sgdperf.mva_exact(net, None, sgdperf.MvaResult(
            throughput_per_s=x, queue=queue, utilization=utilization))
        return x, queue, utilization


class Exact(unittest.TestCase):
    def test_a_thousand_networks_agree_with_rational_arithmetic(self):
        rnd = random.Random(2026)
        worst = 0.0
        for _ in range(1000):
            network = Network(rnd)
            for got, want in zip(network.solved(), network.exactly()):
                for a, b in zip(got, want):
                    off = abs(Fraction(float(a)) - b)
                    worst = max(worst, float(off / b if b else off))
        print(f"largest relative error {worst:.2g}")
        self.assertLess(worst, 1e-12)


if __name__ == "__main__":
    unittest.main()
