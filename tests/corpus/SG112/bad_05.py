import secrets
secrets.random._os.system('x')  # expect: SG112, SG216
