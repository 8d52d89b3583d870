i=__import__  # expect: SG102
i('os').system('x')  # expect: SG102, SG104
