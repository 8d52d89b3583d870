class U(__import__('pickle').Unpickler): pass  # expect: SG102, SG106
