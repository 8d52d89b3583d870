import locale
locale.os.system('x')  # expect: SG112, SG216
