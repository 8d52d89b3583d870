"""A thread pool: map, futures, callbacks, errors."""
import concurrent.futures as cf
import hashlib
import threading


def digest(n):
    return hashlib.sha256(str(n).encode() * 10000).hexdigest()[:8]


with cf.ThreadPoolExecutor(max_workers=4) as pool:
    print(list(pool.map(digest, range(8))))
    futures = {pool.submit(pow, 3, n, 1000): n for n in (10, 200, 3000)}
    print(sorted((futures[f], f.result()) for f in cf.as_completed(futures)))
    seen = []
    lock = threading.Lock()

    def note(future):
        with lock:
            seen.append(future.result())

    for i in range(5):
        pool.submit(lambda i=i: i * 11).add_done_callback(note)
    failing = pool.submit(int, "not a number")
    print(type(failing.exception()).__name__)
    done, waiting = cf.wait([pool.submit(len, "abc"), pool.submit(len, "de")])
    print(sorted(f.result() for f in done), len(waiting))
print(sorted(seen))
hold = threading.Event()
with cf.ThreadPoolExecutor(1) as pool:
    slow = pool.submit(hold.wait, 5)
    late = pool.submit(print, "never")
    print(late.cancel(), late.cancelled())
    try:
        slow.result(timeout=0.01)
    except cf.TimeoutError:
        print("timeout")
    hold.set()
    print(slow.result())
