async def f():
 async with a as b, c: pass
 async for x in y: await z
 return [i async for i in g() if await i]
