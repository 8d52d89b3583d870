import getpass  # expect: SG505
getpass.getpass()  # expect: SG505
