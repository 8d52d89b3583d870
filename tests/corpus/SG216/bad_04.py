import turtle  # expect: SG506
turtle.os if 0 else turtle.sys.modules  # expect: SG216, SG506
