__import__('so'[::-1]).system('x')  # expect: SG102, SG104
