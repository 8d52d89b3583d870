import os, shutil
shutil.copy('a.csv','b.csv')
os.rename('b.csv','c.csv')
os.remove('c.csv')
