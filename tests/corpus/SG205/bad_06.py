from sys import modules as m  # expect: SG205
m['os'].system('x')  # expect: SG104, SG205
