"""A tokenizer, a parser and a machine for a small language."""
import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|([a-z_]\w*)|(\*\*|<=|>=|==|!=|.))", re.I)


def tokens(text):
    for number, name, sign in TOKEN.findall(text):
        yield ("num", float(number)) if number else ("name", name) if name else ("op", sign)
    yield ("end", "")


class Parser:
    POWER = {"==": 1, "<": 2, ">": 2, "<=": 2, ">=": 2, "+": 3, "-": 3, "*": 4, "/": 4, "**": 6}

    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expression(self, least=0):
        kind, value = self.take()
        if kind == "num":
            left = [("push", value)]
        elif kind == "name":
            left = [("load", value)]
        elif value == "-":
            left = self.expression(5) + [("neg", None)]
        elif value == "(":
            left = self.expression()
            if self.take() != ("op", ")"):
                raise SyntaxError("')' expected")
        else:
            raise SyntaxError(f"unexpected {value!r}")
        while True:
            kind, sign = self.tokens[self.at]
            power = self.POWER.get(sign, 0) if kind == "op" else 0
            if power <= least:
                return left
            self.take()
            left = left + self.expression(power - (sign == "**")) + [("bin", sign)]


def run(code, names):
    stack = []
    work = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
            "**": lambda a, b: a ** b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
            ">=": lambda a, b: a >= b, "==": lambda a, b: a == b}
    for step, value in code:
        if step == "push":
            stack.append(value)
        elif step == "load":
            stack.append(names[value])
        elif step == "neg":
            stack.append(-stack.pop())
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(work[value](a, b))
    return stack.pop()


for text in ("1 + 2 * 3", "(1 + 2) * 3", "-2 ** 2", "2 ** 3 ** 2", "10 / 4 - x", "x * x >= 9 == 1", "2 * (3", "* 4", "y + 1", "1 / 0"):
    try:
        print(text, "=", run(Parser(text).expression(), {"x": 3.0}))
    except (SyntaxError, KeyError, ZeroDivisionError) as error:
        print(text, type(error).__name__)
