import urllib.request  # expect: SG301
req = urllib.request.Request("http://x", data=b"")  # expect: SG301
urllib.request.urlopen(req)  # expect: SG301
