"""Producers and consumers over asyncio queues, with locks and events."""
import asyncio


async def producer(queue, items):
    for item in items:
        await queue.put(item)
        await asyncio.sleep(0)


async def consumer(queue, out):
    while True:
        item = await queue.get()
        out.append(item * 2)
        queue.task_done()


async def numbers(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


class Resource:
    log = []

    async def __aenter__(self):
        self.log.append("open")
        return self

    async def __aexit__(self, *exc):
        self.log.append("close")


async def main():
    queue, out = asyncio.Queue(3), []
    consumers = [asyncio.create_task(consumer(queue, out)) for _ in range(3)]
    await asyncio.gather(producer(queue, range(5)), producer(queue, range(100, 105)))
    await queue.join()
    for c in consumers:
        c.cancel()
    await asyncio.gather(*consumers, return_exceptions=True)
    print(sorted(out))
    print([n * n async for n in numbers(6) if n % 2], sum([n async for n in numbers(10)]))
    async with Resource() as resource:
        resource.log.append("used")
    print(Resource.log)
    lock, event, total = asyncio.Lock(), asyncio.Event(), 0

    async def add():
        nonlocal total
        await event.wait()
        async with lock:
            before = total
            await asyncio.sleep(0)
            total = before + 1

    adders = [asyncio.create_task(add()) for _ in range(20)]
    event.set()
    await asyncio.wait(adders)
    print(total)
    limit, peak, running = asyncio.Semaphore(2), 0, 0

    async def bounded():
        nonlocal peak, running
        async with limit:
            running += 1
            peak = max(peak, running)
            await asyncio.sleep(0.001)
            running -= 1

    await asyncio.gather(*(bounded() for _ in range(8)))
    print(peak, running)


asyncio.run(main())
