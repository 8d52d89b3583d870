import os as o
s = o.system
t = [s][0]
{'k': t}['k']('ls')
