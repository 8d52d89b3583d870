import requests  # expect: SG301
