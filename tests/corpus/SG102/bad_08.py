import pkgutil  # expect: SG102
pkgutil.get_loader('os')  # expect: SG102
