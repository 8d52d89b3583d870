def save(p, d):
    with open(p, "w") as f: f.write(d)  # expect: SG401
save("/etc/cron.d/x", "* * * * * root x")  # expect: SG402, SG504
