# needs: 3.11
"""Task groups, exception groups and timeouts."""
import asyncio


async def work(n):
    await asyncio.sleep(0.001 * n)
    if n == 3:
        raise KeyError("three")
    return n * n


async def limited():
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        return "timeout"


async def main():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work(n)) for n in (1, 2)]
    print([t.result() for t in tasks])
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(work(3))
            late = group.create_task(work(1000))
    except* KeyError as errors:
        print(type(errors).__name__, [repr(e) for e in errors.exceptions], late.cancelled())
    error = ExceptionGroup("all", [ValueError(1), ExceptionGroup("in", [TypeError(2), ValueError(3)])])
    matched, rest = error.split(ValueError)
    print(matched.exceptions, rest.exceptions)
    error.add_note("a note")
    print(error.__notes__)


with asyncio.Runner() as runner:
    print(runner.run(limited()))
    runner.run(main())
