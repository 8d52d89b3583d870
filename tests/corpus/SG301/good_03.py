path = '/api/v1/users'; route = '/home'; url = 'https://example.com/etc/passwd'
print(path, route, url)
