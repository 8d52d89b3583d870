open('sitecustomize.py','w').write('x')  # expect: SG504
