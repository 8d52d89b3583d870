"""Carries the name of a file through a queue to where it is read."""
import queue

names = queue.Queue()
names.put("/srv/ledger/2024.csv")
while not names.empty():
    with open(names.get()) as f:  # expect: SG408
        print(sum(1 for _ in f))
