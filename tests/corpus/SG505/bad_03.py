import pwd  # expect: SG505
pwd.getpwall()  # expect: SG505
