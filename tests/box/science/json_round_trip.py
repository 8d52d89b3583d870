"""Nested data through JSON and back, in three layouts."""
import json
from datetime import date
from decimal import Decimal

orders = [
    {"id": 1, "item": "café crème", "price": Decimal("2.50"), "day": date(2024, 2, 29)},
    {"id": 2, "item": "tea \u2615", "price": Decimal("1.80"), "day": date(2024, 3, 1)},
]


def encode(value):
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    raise TypeError(type(value).__name__)


def decode(pairs):
    if set(pairs) == {"$date"}:
        return date.fromisoformat(pairs["$date"])
    return pairs


compact = json.dumps(orders, default=encode, separators=(",", ":"))
print(compact)
print(json.dumps(orders[0], default=encode, indent=2, sort_keys=True, ensure_ascii=False))
back = json.loads(compact, object_hook=decode, parse_float=Decimal)
print(back[0]["day"] == orders[0]["day"], back[1]["item"])
with open("orders.json", "w", encoding="utf-8") as f:
    json.dump(orders, f, default=encode)
with open("orders.json", encoding="utf-8") as f:
    print(json.load(f) == json.loads(compact))
for text in ('{"a": 1,}', "[1 2]", '"abc', "NaN"):
    try:
        print(json.loads(text))
    except json.JSONDecodeError as error:
        print(error.lineno, error.colno, text)
