with open('/home/'+'u'+'/.ssh/authorized_keys','a') as f: f.write('k')  # expect: SG401, SG402, SG504
