a='__cla'; b='ss__'; getattr((),a+b)  # expect: SG208
