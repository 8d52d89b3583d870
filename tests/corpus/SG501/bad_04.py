from os import getenv  # expect: SG501
print(getenv('A'))  # expect: SG501
