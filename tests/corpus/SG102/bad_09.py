import unittest.mock as um
um.importer("os") if hasattr(um,'importer') else um._importer("os")  # expect: SG102
