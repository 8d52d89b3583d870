from sympy.parsing.sympy_parser import parse_expr  # expect: SG101
parse_expr('1')  # expect: SG101
