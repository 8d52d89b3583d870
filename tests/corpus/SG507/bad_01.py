kept = []
while True:  # expect: SG507
    kept.append(bytearray(1000))
