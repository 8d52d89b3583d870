import pydoc  # expect: SG102
pydoc.safeimport('os')  # expect: SG102
