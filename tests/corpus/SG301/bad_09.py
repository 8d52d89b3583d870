import http.client as h  # expect: SG301
