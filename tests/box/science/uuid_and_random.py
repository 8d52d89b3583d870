"""Name-based identifiers, seeded randomness, lengths of secrets."""
import random
import secrets
import uuid

print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"), uuid.uuid3(uuid.NAMESPACE_URL, "http://example.org/"))
fixed = uuid.UUID("12345678123456781234567812345678")
print(fixed, fixed.int, fixed.version, fixed.hex[:8], fixed.urn)
rng = random.Random(20240229)
print([rng.randint(1, 6) for _ in range(10)], round(rng.random(), 10))
deck = [f"{r}{s}" for s in "CDHS" for r in "23456789TJQKA"]
rng.shuffle(deck)
print(deck[:5], rng.choice(deck), rng.sample(range(100), 5), rng.choices("ab", [9, 1], k=12))
print(*(round(x, 8) for x in (rng.uniform(1, 2), rng.gauss(0, 1), rng.expovariate(2), rng.betavariate(2, 3), rng.triangular(0, 1, 0.3))))
state = rng.getstate()
first = [rng.random() for _ in range(3)]
rng.setstate(state)
print(first == [rng.random() for _ in range(3)], rng.getrandbits(70).bit_length() <= 70)
inside = sum(rng.random() ** 2 + rng.random() ** 2 < 1 for _ in range(20000))
print(4 * inside / 20000)
print(len(secrets.token_bytes(16)), len(secrets.token_hex(8)), 0 <= secrets.randbelow(5) < 5, len(secrets.token_urlsafe(9)), secrets.compare_digest("a", "a"))
print(len(uuid.uuid4().bytes), uuid.uuid4().version, len(random.SystemRandom().sample(range(9), 3)))
