''.join.__self__.__class__  # expect: SG202
