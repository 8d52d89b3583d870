import unittest
unittest.case.sys.modules  # expect: SG205
