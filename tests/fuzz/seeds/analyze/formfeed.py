if a:
  b
