bashrc = '/home/user/.bashrc'  # expect: SG402, SG504
f = open(bashrc, 'a'); f.write('alias'); f.close()  # expect: SG401
