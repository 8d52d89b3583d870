import aiohttp  # expect: SG301
