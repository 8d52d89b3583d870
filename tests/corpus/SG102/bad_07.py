import imp  # expect: SG102
