[].append.__self__  # expect: SG202
