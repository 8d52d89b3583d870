__import__('os').system('x')  # expect: SG102, SG104
