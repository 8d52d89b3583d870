import sys
class Tee:
    def write(self, x): sys.__stdout__.write(x)
    def flush(self): pass
sys.stdout = Tee(); print(1)
