import sys
sys._getframe()  # expect: SG201
