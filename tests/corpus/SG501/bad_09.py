from os import environ as e
for k in e: print(k)  # expect: SG501
