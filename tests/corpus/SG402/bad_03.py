import csv
csv.io.open('/etc/passwd')  # expect: SG402
