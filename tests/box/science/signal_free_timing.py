"""Clocks are read, but only their order is printed."""
import datetime
import time
import timeit

first = time.monotonic()
time.sleep(0.02)
second = time.monotonic()
print(second > first, 0.01 < second - first < 2)
print(time.perf_counter_ns() <= time.perf_counter_ns(), time.process_time() >= 0, time.time() > 1.5e9)
print(timeit.timeit("sum(range(10))", number=1000) >= 0, len(timeit.repeat("1 + 1", repeat=3, number=10)))
print(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(0)), time.gmtime(86400 * 365).tm_year)
print(datetime.datetime.now(datetime.timezone.utc).year >= 2024, datetime.date.today() >= datetime.date(2024, 1, 1))
deadline = time.monotonic() + 0.03
rounds = 0
while time.monotonic() < deadline:
    rounds += 1
print(rounds > 0, isinstance(time.tzname, tuple))
print(time.mktime(time.strptime("2000-01-01", "%Y-%m-%d")) > 9e8, time.asctime(time.gmtime(1e9)))
