from urllib.parse import urlencode, urljoin
print(urljoin('http://a/b/', '../c'), urlencode({'a':1}))
