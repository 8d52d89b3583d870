__import__(name='os').system('x')  # expect: SG102, SG112, unresolved
