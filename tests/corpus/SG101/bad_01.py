print(f'{eval("1")}')  # expect: SG101
