import urllib
urllib.request.urlopen('x')  # expect: SG301
