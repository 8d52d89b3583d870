text = 'x'
while 1:  # expect: SG507
    text = text + text
