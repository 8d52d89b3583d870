from urllib.parse import sys as s
s.modules  # expect: SG205
