import string
string.Formatter().format("{0.__init__.__globals__}", object)  # expect: SG209
