kept = []
while True:
    kept.append(len(kept))
    if len(kept) > 9:
        break
