import http.client as hc  # expect: SG301
hc.HTTPSConnection("x").request("POST","/",b"")  # expect: SG301
