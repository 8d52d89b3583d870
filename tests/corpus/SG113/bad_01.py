from sympy import sympify as S
S("open('/etc/passwd').read()")  # expect: SG113
