"""Heaps: a scheduler, a merge, shortest paths."""
import heapq
import itertools

tasks, order = [], itertools.count()
for priority, name in [(3, "sweep"), (1, "fire"), (2, "cook"), (1, "flood")]:
    heapq.heappush(tasks, (priority, next(order), name))
print([heapq.heappop(tasks)[2] for _ in range(len(tasks))])
print(heapq.nlargest(3, range(0, 100, 7)), heapq.nsmallest(2, ["pear", "fig", "apple"], key=len))
print(list(heapq.merge([1, 4, 9], [2, 3, 10], [0])), heapq.heappushpop([2, 5], 1))

graph = {
    "a": {"b": 7, "c": 9, "f": 14}, "b": {"c": 10, "d": 15}, "c": {"d": 11, "f": 2},
    "d": {"e": 6}, "e": {}, "f": {"e": 9},
}


def distances(start):
    done, queue = {}, [(0, start, None)]
    while queue:
        far, node, origin = heapq.heappop(queue)
        if node in done:
            continue
        done[node] = (far, origin)
        for other, length in graph[node].items():
            heapq.heappush(queue, (far + length, other, node))
    return done


found = distances("a")
path, node = [], "e"
while node:
    path.append(node)
    node = found[node][1]
print(found["e"][0], "->".join(reversed(path)))
heap = [5, 3, 8, 1]
heapq.heapify(heap)
print(heap[0], heapq.heapreplace(heap, 10), sorted(heap))
