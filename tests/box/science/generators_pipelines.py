"""Generators: send, throw, close, delegation, pipelines."""


def averager():
    total = count = 0
    average = None
    while True:
        try:
            value = yield average
        except ValueError:
            total = count = 0
            average = None
            continue
        total += value
        count += 1
        average = total / count


mean = averager()
next(mean)
print([mean.send(v) for v in (10, 20, 60)], mean.throw(ValueError("reset")), mean.send(7))
mean.close()
try:
    mean.send(1)
except StopIteration:
    print("closed")


def flatten(tree):
    for item in tree:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def total(items):
    result = 0
    for item in items:
        result += item
        yield item
    return result


def report(items):
    answer = yield from total(items)
    yield f"total {answer}"


print(list(flatten([1, [2, [3, [4]], 5], [[6]]])), list(report([1, 2, 3])))


def lines(n):
    for i in range(n):
        yield f"{i},{i * i},{'even' if i % 2 == 0 else 'odd'}"


def parsed(source):
    for line in source:
        a, b, c = line.split(",")
        yield int(a), int(b), c


print(sum(b for _, b, kind in parsed(lines(1000)) if kind == "odd"))


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        n = self.n
        while n:
            yield n
            n -= 1

    def __reversed__(self):
        yield from range(1, self.n + 1)


down = Countdown(4)
print(list(down), list(reversed(down)), max(down), 3 in down, dict(zip(down, "abcd")))
first, *rest, last = down
print(first, rest, last, [*down, *"xy"], {**{"a": 1}, "b": 2})


def cleanup():
    try:
        yield 1
        yield 2
    finally:
        print("generator cleaned")


for value in cleanup():
    print(value)
    break
