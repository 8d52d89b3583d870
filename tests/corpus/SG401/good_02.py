import csv
with open('a.csv', newline='') as f:
    for r in csv.DictReader(f): print(r)
