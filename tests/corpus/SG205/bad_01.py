import pprint
pprint._sys.modules  # expect: SG205
