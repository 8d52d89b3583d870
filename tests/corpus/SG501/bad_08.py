import cgi  # expect: SG501
cgi.os.system('x')  # expect: SG104, SG501
