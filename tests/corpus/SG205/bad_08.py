import sys
sys.modules['os']  # expect: SG205
