# needs: numpy
"""Heat, orbits, a logistic map and k-means on arrays."""
import numpy as np

rod = np.zeros(50)
rod[20:30] = 100
for _ in range(500):
    rod[1:-1] += 0.25 * (rod[2:] - 2 * rod[1:-1] + rod[:-2])
print(rod[[1, 10, 25, 40]].round(4), rod.sum().round(4))

position, velocity, dt = np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.01
for _ in range(628):
    pull = -position / np.linalg.norm(position) ** 3
    velocity = velocity + pull * dt
    position = position + velocity * dt
print(position.round(3), np.round(velocity @ velocity / 2 - 1 / np.linalg.norm(position), 4))

x = np.full(3, 0.5)
rates = np.array([2.8, 3.2, 3.5])
orbit = []
for step in range(1000):
    x = rates * x * (1 - x)
    if step >= 992:
        orbit.append(x.copy())
print([len(np.unique(np.round(o, 6))) for o in np.array(orbit).T])

rng = np.random.default_rng(3)
points = np.concatenate([rng.normal(c, 0.3, (100, 2)) for c in ((0, 0), (3, 0), (0, 3))])
centres = points[[0, 100, 200]]
for _ in range(10):
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    centres = np.array([points[nearest == k].mean(axis=0) for k in range(3)])
print(centres.round(3), np.bincount(nearest))

y, z = np.mgrid[-1.5:1.5:60j, -2:1:60j]
c = z + 1j * y
m, steps = np.zeros_like(c), np.zeros(c.shape, int)
for _ in range(30):
    alive = np.abs(m) <= 2
    m[alive] = m[alive] ** 2 + c[alive]
    steps += alive
print(steps.max(), (steps == 30).sum(), "".join(" .:#"[min(s // 8, 3)] for s in steps[30]))
