import sympy
sympy.sympify("__import__('os').system('x')")  # expect: SG113
