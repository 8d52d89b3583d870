# needs: numpy
"""Linear systems, decompositions, least squares; rounded."""
import numpy as np

rng = np.random.default_rng(7)
a = rng.integers(-9, 10, (6, 6)).astype(float)
b = rng.normal(size=6)
x = np.linalg.solve(a, b)
print(np.allclose(a @ x, b), np.linalg.matrix_rank(a), round(np.linalg.det(a), 4), np.round(x, 6))
u, s, vt = np.linalg.svd(a)
print(np.round(s, 6), np.allclose(u @ np.diag(s) @ vt, a), round(np.linalg.cond(a), 4))
symmetric = a @ a.T
values, vectors = np.linalg.eigh(symmetric)
print(np.round(values, 3), np.allclose(vectors @ np.diag(values) @ vectors.T, symmetric))
q, r = np.linalg.qr(a)
print(np.allclose(q @ r, a), np.allclose(q.T @ q, np.eye(6)), np.allclose(np.linalg.cholesky(symmetric + np.eye(6)) @ np.linalg.cholesky(symmetric + np.eye(6)).T, symmetric + np.eye(6)))
t = np.linspace(0, 1, 50)
noisy = 3 * t ** 2 - 2 * t + 1 + rng.normal(0, 0.01, 50)
print(np.round(np.polyfit(t, noisy, 2), 2), np.round(np.linalg.lstsq(np.vander(t, 3), noisy, rcond=None)[0], 2))
print(np.round(np.linalg.inv([[4, 7], [2, 6]]), 4).tolist(), np.round(np.linalg.norm([[3, 4], [0, 0]]), 6), np.trace(a))
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print(error)
rotation = np.array([[0, -1], [1, 0]])
print(np.linalg.matrix_power(rotation, 3).tolist(), sorted(np.round(np.linalg.eigvals(rotation), 6).tolist(), key=lambda z: z.imag), np.kron([1, 2], [1, 1]), np.cross([1, 0, 0], [0, 1, 0]))
big = rng.normal(size=(300, 300))
print(np.allclose(big @ np.linalg.inv(big), np.eye(300)))
