'{0.__class__.__init__.__globals__}'.format(1)  # expect: SG209
