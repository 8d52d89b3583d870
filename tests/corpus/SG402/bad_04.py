targets = {"a": "/etc/passwd"}  # expect: SG402
for k, v in targets.items(): print(open(v).read())  # expect: SG401
