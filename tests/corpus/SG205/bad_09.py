import fractions
fractions.sys.modules  # expect: SG205
