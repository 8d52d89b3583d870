"""Threads with locks, events, conditions, barriers and locals."""
import threading

counter, lock = 0, threading.Lock()


def add(times):
    global counter
    for _ in range(times):
        with lock:
            counter += 1


threads = [threading.Thread(target=add, args=(1000,), name=f"adder-{i}") for i in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(counter, any(t.is_alive() for t in threads), threads[3].name)

ready, answer = threading.Event(), []
waiter = threading.Thread(target=lambda: (ready.wait(5), answer.append("seen")))
waiter.start()
ready.set()
waiter.join()
print(answer, ready.is_set())

barrier, arrived = threading.Barrier(4), []
local = threading.local()


def meet(number):
    local.value = number * number
    index = barrier.wait(5)
    with lock:
        arrived.append((local.value, index >= 0))


threads = [threading.Thread(target=meet, args=(i,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(arrived), hasattr(local, "value"))

items, condition = [], threading.Condition()


def consume(out):
    with condition:
        condition.wait_for(lambda: len(items) >= 3, timeout=5)
        out.extend(items)


got = []
consumer = threading.Thread(target=consume, args=(got,))
consumer.start()
for i in range(3):
    with condition:
        items.append(i)
        condition.notify_all()
consumer.join()
print(got)
gate = threading.BoundedSemaphore(2)
print(gate.acquire(), gate.acquire(), gate.acquire(blocking=False))
timer = threading.Timer(0.01, lambda: answer.append("timer"))
timer.start()
timer.join()
print(answer, threading.current_thread() is threading.main_thread(), threading.active_count())
