import string
string.Formatter().format('{0.__class__}',1)  # expect: SG209
