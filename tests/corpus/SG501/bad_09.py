from os import environ as e  # expect: SG501
for k in e: print(k)  # expect: SG501
