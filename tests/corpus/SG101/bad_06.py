x = (lambda *a: a[0])(eval)  # expect: SG101
x("1")  # expect: SG101
