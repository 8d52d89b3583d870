license()  # expect: SG204
