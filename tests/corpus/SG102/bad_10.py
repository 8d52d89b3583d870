"""Writes a module of its own and imports it."""
with open("helper_of_mine.py", "w") as f:
    f.write("x = 1\n")
import helper_of_mine  # expect: SG102
