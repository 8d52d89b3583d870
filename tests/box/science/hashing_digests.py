"""Digests, keyed digests and key derivation."""
import hashlib
import hmac

data = b"The quick brown fox jumps over the lazy dog"
for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s"):
    print(name, hashlib.new(name, data).hexdigest()[:32])
print(hashlib.shake_128(data).hexdigest(16))
whole, parts = hashlib.sha256(data), hashlib.sha256()
for i in range(0, len(data), 7):
    parts.update(data[i:i + 7])
print(whole.digest() == parts.digest(), whole.digest_size, whole.block_size)
print(hmac.new(b"key", data, "sha256").hexdigest())
print(hmac.compare_digest(hmac.digest(b"key", data, "sha1"), hmac.new(b"key", data, hashlib.sha1).digest()))
print(hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 1000).hex())
print(hashlib.blake2b(data, key=b"k", digest_size=8, person=b"p").hexdigest())
print(hashlib.scrypt(b"password", salt=b"salt", n=16, r=8, p=1, dklen=16).hex())
with open("data.bin", "wb") as f:
    f.write(bytes(range(256)) * 1000)
digest = hashlib.sha1()
with open("data.bin", "rb") as f:
    for block in iter(lambda: f.read(65536), b""):
        digest.update(block)
print(digest.hexdigest())
