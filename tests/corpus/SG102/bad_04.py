__import__(''.join(chr(c) for c in [111,115])).system('x')  # expect: SG102, SG104
