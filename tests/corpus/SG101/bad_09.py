code = input()
exec(code)  # expect: SG101
