import http
http.client.HTTPSConnection('x')  # expect: SG301
