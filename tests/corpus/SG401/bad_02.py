print(open('/etc/hostname').read())  # expect: SG401, SG402
