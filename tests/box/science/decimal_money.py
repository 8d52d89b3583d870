"""Money in decimal arithmetic: rounding, contexts, traps."""
from decimal import (Decimal, getcontext, localcontext, Inexact, InvalidOperation, DivisionByZero,
                     ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP)

cent = Decimal("0.01")
for amount in ("1.005", "2.675", "-1.005", "0.125"):
    value = Decimal(amount)
    print(amount, *(str(value.quantize(cent, mode)) for mode in (ROUND_DOWN, ROUND_UP, ROUND_HALF_UP, ROUND_HALF_EVEN)))

print(Decimal("0.1") + Decimal("0.2"), Decimal(0.1))
with localcontext() as context:
    context.prec = 50
    print(Decimal(2).sqrt())
    print(Decimal(1) / 7)
    print(Decimal(1).exp(), Decimal(10).ln())
print(getcontext().prec)

rate, balance = Decimal("0.035"), Decimal("1000.00")
for year in range(1, 6):
    balance = (balance * (1 + rate)).quantize(cent, ROUND_HALF_EVEN)
    print(year, f"{balance:,}")

for what in (lambda: Decimal("abc"), lambda: Decimal(1) / 0, lambda: Decimal("Infinity") - Decimal("Infinity")):
    try:
        what()
    except (InvalidOperation, DivisionByZero) as error:
        print(type(error).__name__)
with localcontext() as context:
    context.traps[Inexact] = True
    try:
        Decimal(1) / 3
    except Inexact:
        print("inexact")
print(Decimal("123.4500").normalize(), Decimal("1E+3").to_integral_value(), Decimal("3.14").as_tuple())
