import asyncio
asyncio.run(asyncio.start_server(None,'',1))  # expect: SG302
