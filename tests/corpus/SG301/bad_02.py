import httpx  # expect: SG301
httpx.get('x')  # expect: SG301
