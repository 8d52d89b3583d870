"""Coroutines gathered, timed out, cancelled and shielded."""
import asyncio


async def job(name, delay, fail=False):
    await asyncio.sleep(delay)
    if fail:
        raise ValueError(name)
    return name.upper()


async def main():
    print(await asyncio.gather(job("a", 0.03), job("b", 0.01), job("c", 0.02)))
    print([type(r).__name__ for r in await asyncio.gather(job("x", 0), job("y", 0, True), return_exceptions=True)])
    order = []
    for next_done in asyncio.as_completed([job("slow", 0.06), job("fast", 0), job("mid", 0.03)]):
        order.append(await next_done)
    print(order)
    try:
        await asyncio.wait_for(job("late", 10), timeout=0.01)
    except asyncio.TimeoutError:
        print("timeout")
    task = asyncio.ensure_future(job("cancelled", 10))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled", task.cancelled())
    print(await asyncio.shield(job("kept", 0)))
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, sum, range(1000)))
    future = loop.create_future()
    loop.call_soon(future.set_result, 42)
    print(await future)


asyncio.run(main())
