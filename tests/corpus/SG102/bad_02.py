import _imp  # expect: SG102
