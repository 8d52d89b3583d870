"""Real and complex mathematics."""
import cmath
import math

print(math.factorial(25), math.comb(50, 6), math.perm(10, 3), math.gcd(462, 1071), math.lcm(4, 6, 10), math.isqrt(10 ** 20 + 1))
print(*(round(v, 10) for v in (math.hypot(3, 4), math.atan2(1, -1), math.log1p(1e-10), math.gamma(5.5), math.erf(0.5), math.dist((0, 0), (1, 1)))))
print(math.fsum([0.1] * 10), math.prod(range(1, 11)), math.copysign(1, -0.0))
print(math.frexp(40), math.ldexp(0.625, 6), math.modf(-2.75), math.fmod(-7, 3), -7 % 3, math.remainder(7, 4))
print(math.isclose(0.1 + 0.2, 0.3), math.isnan(math.nan), math.inf > 10 ** 308, math.ceil(-1.5), math.floor(-1.5), math.trunc(-1.5))
print(math.nextafter(1.0, 2.0), math.ulp(1.0), (0.1).hex(), float.fromhex("0x1.8p3"), (2.5).as_integer_ratio())
roots = [cmath.exp(2j * cmath.pi * k / 5) for k in range(5)]
print([complex(round(z.real, 6), round(z.imag, 6)) for z in roots], abs(sum(roots)) < 1e-12)
z = 3 + 4j
print(abs(z), z.conjugate(), z * (1 - 2j), z / 2j, cmath.sqrt(-4), cmath.polar(1j), cmath.isclose(cmath.log(cmath.e), 1))
for bad in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.exp(1000), lambda: 1 // 0):
    try:
        bad()
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        print(type(error).__name__)


def integrate(f, a, b, n=1000):
    h = (b - a) / n
    return h / 3 * math.fsum((1 if k in (0, n) else 4 if k % 2 else 2) * f(a + k * h) for k in range(n + 1))


def bisect(f, low, high):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if f(low) * f(middle) > 0 else (low, middle)
    return (low + high) / 2


print(round(integrate(math.sin, 0, math.pi), 9), round(bisect(lambda x: math.cos(x) - x, 0, 1), 12))
print([round(x, 2) for x in (0.125, 2.675, 1e16 / 3)], round(-2.5), round(3.5), round(1234, -2), pow(7, -1, 31), divmod(-9, 4))
