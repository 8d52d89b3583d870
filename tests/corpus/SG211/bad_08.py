import sys
def t(f, e, a): return t
sys.settrace(t)  # expect: SG211
