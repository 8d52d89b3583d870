"""Unicode: names, forms, categories, widths."""
import unicodedata as ud

for char in "Aéß½٣ﬁ€漢\u0301\U0001f40d":
    print(f"U+{ord(char):04X}", ud.name(char, "?"), ud.category(char), ud.bidirectional(char), ud.east_asian_width(char), ud.combining(char))
print(ud.lookup("GREEK SMALL LETTER PI"), ud.numeric("½"), ud.digit("٣"), ud.decimal("7"), ud.mirrored("("))
word = "Amélie ﬁnds Ⅳ ①"
for form in ("NFC", "NFD", "NFKC", "NFKD"):
    changed = ud.normalize(form, word)
    print(form, len(changed), ascii(changed))
print("".join(c for c in ud.normalize("NFD", "Crème Brûlée") if not ud.combining(c)))
print("ǅ".title(), "ŉ".upper(), "İ".lower().encode(), "Σας".casefold() == "σασ".casefold(), ud.is_normalized("NFC", "e\u0301"))
print("日本".isidentifier(), "x²".isidentifier(), "٣".isdigit(), "Ⅳ".isnumeric(), "\u2003".isspace(), "é".isalpha())
print(sorted(["zebra", "Ähre", "apfel", "Zoo"], key=lambda s: ud.normalize("NFD", s).casefold()))
print("\N{SNOWMAN}", len("\U0001f468\u200d\U0001f469"), "a\u0300" == "à", ascii("\ud800"))
