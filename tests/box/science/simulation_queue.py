"""A bank with two counters, simulated with a fixed seed."""
import heapq
import random
import statistics

rng = random.Random(42)
arrivals, now = [], 0.0
for customer in range(300):
    now += rng.expovariate(1 / 3)
    arrivals.append((now, customer, rng.uniform(2, 8)))
free, waits = [0.0, 0.0], []
heapq.heapify(free)
for moment, customer, service in arrivals:
    start = max(moment, heapq.heappop(free))
    waits.append(start - moment)
    heapq.heappush(free, start + service)
print(f"mean {statistics.mean(waits):.4f} worst {max(waits):.4f} none {sum(w == 0 for w in waits)}")

position, visited = 0, {0: 1}
for _ in range(5000):
    position += rng.choice((-1, 1))
    visited[position] = visited.get(position, 0) + 1
print(position, min(visited), max(visited), max(sorted(visited), key=visited.get))


def life(cells, steps):
    for _ in range(steps):
        near = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        near[x + dx, y + dy] = near.get((x + dx, y + dy), 0) + 1
        cells = {c for c, n in near.items() if n == 3 or n == 2 and c in cells}
    return cells


print(len(life({(0, 1), (1, 0), (1, 1), (1, 2), (2, 2)}, 60)))
print(sorted(life({(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}, 4)))
