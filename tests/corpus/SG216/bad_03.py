import scipy
scipy.sys.modules  # expect: SG216
