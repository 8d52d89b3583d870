"""A pipeline of worker threads over queues."""
import queue
import threading

jobs, results = queue.Queue(maxsize=5), queue.Queue()


def worker():
    while True:
        n = jobs.get()
        try:
            if n is None:
                return
            results.put((n, sum(i * i for i in range(n))))
        finally:
            jobs.task_done()


crew = [threading.Thread(target=worker, daemon=True) for _ in range(4)]
for t in crew:
    t.start()
for n in range(40):
    jobs.put(n)
jobs.join()
for _ in crew:
    jobs.put(None)
for t in crew:
    t.join()
done = sorted(results.get() for _ in range(results.qsize()))
print(len(done), done[:4], done[-1])
urgent = queue.PriorityQueue()
for item in [(5, "e"), (1, "a"), (3, "c")]:
    urgent.put(item)
print([urgent.get()[1] for _ in range(3)])
stack = queue.LifoQueue()
[stack.put(c) for c in "abc"]
print([stack.get() for _ in range(3)])
try:
    stack.get_nowait()
except queue.Empty:
    print("empty")
try:
    full = queue.Queue(1)
    full.put(1)
    full.put(2, timeout=0.01)
except queue.Full:
    print("full")
simple = queue.SimpleQueue()
simple.put("x")
print(simple.get(), simple.empty())
