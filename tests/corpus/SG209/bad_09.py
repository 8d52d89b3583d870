t="{0.__cl"+"ass__}"  # expect: SG209
t.format(0)  # expect: SG209
