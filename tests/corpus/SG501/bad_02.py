from os import environ
print(environ)  # expect: SG501
