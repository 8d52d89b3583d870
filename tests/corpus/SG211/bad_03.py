import cgitb  # expect: SG211
cgitb.enable()  # expect: SG211
