open('.bashrc','a').write('x')  # expect: SG504
