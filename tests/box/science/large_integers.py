"""Big numbers: primes, roots, bases, bits."""


def is_prime(n):
    if n < 2:
        return False
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    for p in small:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in small:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


print(is_prime(2 ** 89 - 1), is_prime(2 ** 83 - 1), is_prime(561), next(n for n in range(10 ** 20, 10 ** 20 + 200) if is_prime(n)))


def pi_digits(count):
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    while count:
        if 4 * q + r - t < n * t:
            yield n
            count -= 1
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, l = q * k, (2 * q + r) * l, t * l, k + 1, (q * (7 * k + 2) + r * l) // (t * l), l + 2


print("".join(map(str, pi_digits(60))))
print(len(str(3 ** 2000)), sum(map(int, str(2 ** 1000))), (2 ** 200).bit_length(), bin(10 ** 6).count("1"))
print(int("zz", 36), int("0b101", 0), int("-0x_ff", 16), hex(2 ** 70), oct(511), f"{255:08b}", f"{10 ** 15:,}")
print(-17 // 5, -17 % 5, ~5, 5 & -5, 1 << 70, (-1) >> 10, 6 ^ 3, 7 | 8, int(1e20), int(-3.9), float(10 ** 17 + 1))
print(10 ** 30 // 7, 10 ** 30 % 7, divmod(-(10 ** 20), 3), round(12345678901234567890, -5), (10 ** 400) // (10 ** 398))


def collatz_base(n, digits="0123456789abcdefghijklmnopqrstuvwxyz"):
    out = ""
    while n:
        n, r = divmod(n, 36)
        out = digits[r] + out
    return out


print(collatz_base(2 ** 100), int(collatz_base(2 ** 100), 36) == 2 ** 100)
