import abc
abc.sys if 0 else abc.ABCMeta.register.__globals__  # expect: SG202, SG216
