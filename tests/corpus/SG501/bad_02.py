from os import environ  # expect: SG501
print(environ)  # expect: SG501
