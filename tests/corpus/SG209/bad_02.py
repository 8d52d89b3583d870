print("{a.__init__.__globals__[x]}".format(a=print))  # expect: SG204, SG209, SG217
