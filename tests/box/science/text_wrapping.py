"""Text filled, dedented, templated and aligned."""
import string
import textwrap

STORY = "The library opens at nine. It closes at six, except on Thursdays, when the reading room stays open until ten o'clock."
print(textwrap.fill(STORY, 40, initial_indent="* ", subsequent_indent="  "))
print(textwrap.shorten(STORY, 50, placeholder=" ..."))
print(textwrap.dedent("""\
        one
          two
        three"""))
print(textwrap.indent("a\n\nb\n", "> "), end="")
print(textwrap.wrap("averyveryverylongword short", 10), textwrap.wrap("well-known half-open", 8))
print(string.Template("$who owes ${amount} \u20ac ($$)").substitute(who="Eve", amount=12))
print(string.Template("$a $b").safe_substitute(a=1), string.capwords("hello  big world"))
for name, value in [("width", 7.5), ("height", 120), ("depth", -3.25)]:
    print(f"{name:<10}|{value:>10.2f}|{value:^+12.1e}|{name!r:*^12}")
print("{:,} {:_} {:#x} {:08b} {:.3%} {:g}".format(1234567, 1234567, 255, 37, 0.12345, 1e-7))
print("abc".translate(str.maketrans("abc", "xyz", "b")), "a\tb".expandtabs(4), "x".zfill(4), "-5".zfill(4))
print(string.ascii_letters[:5], string.digits, len(string.punctuation), "Straße".casefold(), "ß".upper())
print("a,b,,c".split(","), " a  b ".split(), "k=v=w".partition("="), "a\nb\r\nc".splitlines(), "title case".title())
