if a:
    b
   c
