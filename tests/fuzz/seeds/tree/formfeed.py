if a:
  b
