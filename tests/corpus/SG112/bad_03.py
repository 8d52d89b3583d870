import warnings
warnings.linecache.os.system('x')  # expect: SG112, SG216
