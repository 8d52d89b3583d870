import configparser
c = configparser.ConfigParser(); c['a'] = {'b':'1'}
with open('c.ini','w') as f: c.write(f)
c.read('c.ini')
