__import__('o'+'s').system('x')  # expect: SG102, SG104
