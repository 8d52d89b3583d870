'{x.__class__}'.format(x=1)  # expect: SG209
