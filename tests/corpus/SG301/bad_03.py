import urllib.request  # expect: SG301
