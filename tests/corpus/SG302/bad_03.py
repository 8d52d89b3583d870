import http.server  # expect: SG302
