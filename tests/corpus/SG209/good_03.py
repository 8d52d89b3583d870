print("{name} is {age}".format(**{'name':'a','age':1}), '{:,}'.format(1000))
