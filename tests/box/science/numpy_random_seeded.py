# needs: numpy
"""Seeded generators, distributions, a bootstrap."""
import numpy as np

rng = np.random.default_rng(12345)
print(rng.integers(0, 100, 8), rng.random(3).round(8), rng.choice(["a", "b", "c"], 5))
print(rng.permutation(8), rng.normal(10, 2, 4).round(6), rng.poisson(3, 6), rng.binomial(10, 0.3, 5))
legacy = np.random.RandomState(0)
print(legacy.rand(3).round(8), legacy.randint(0, 10, 5), legacy.randn(2).round(8))
sample = rng.exponential(2, 500)
means = np.array([rng.choice(sample, 500).mean() for _ in range(400)])
print(np.percentile(means, [2.5, 97.5]).round(4), sample.mean().round(4))
inside = (rng.random((100000, 2)) ** 2).sum(axis=1) < 1
print(4 * inside.mean())
children = np.random.SeedSequence(99).spawn(3)
print([int(np.random.default_rng(c).integers(1000)) for c in children])
state = rng.bit_generator.state
first = rng.random(2)
rng.bit_generator.state = state
print((first == rng.random(2)).all(), round(np.random.Generator(np.random.PCG64(1)).random(), 8))
walk = rng.choice([-1, 1], (5, 1000)).cumsum(axis=1)
print(walk[:, -1], rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], 2).shape, rng.dirichlet([1, 2, 3]).sum().round(6))
