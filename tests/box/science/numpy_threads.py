# needs: numpy
"""Matrix products and sorting in threads."""
import threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np


def work(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 10, (120, 120))
    b = np.sort(rng.random(50000))
    return int((a @ a.T).trace()), round(float(b[25000]), 8), bool(np.all(np.diff(b) >= 0))


with ThreadPoolExecutor(4) as pool:
    parallel = list(pool.map(work, range(8)))
print(parallel == [work(s) for s in range(8)])
print(parallel)
total, lock = np.zeros(1000), threading.Lock()


def add(n):
    global total
    part = np.full(1000, n, dtype=float)
    with lock:
        total += part


threads = [threading.Thread(target=add, args=(n,)) for n in range(20)]
[t.start() for t in threads]
[t.join() for t in threads]
print(total[[0, 500, 999]])
shared = np.zeros((4, 10000))


def fill(row):
    np.sqrt(np.arange(10000) * row, out=shared[row])


threads = [threading.Thread(target=fill, args=(r,)) for r in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(shared.sum(axis=1).round(3), (np.ones((400, 400)) @ np.ones((400, 400)))[0, 0])
