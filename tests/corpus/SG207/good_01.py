import hashlib, hmac, secrets
print(hashlib.new('sha256', b'a').hexdigest(), hmac.new(b'k', b'm', 'sha256').hexdigest(), secrets.token_hex(8)); print(getattr(hashlib, 'md5')(b'').hexdigest())
