import urllib.parse
print(urllib.parse.urlparse('http://a/b?c=d').netloc, urllib.parse.quote('a b'))
