(lambda:0).__closure__  # expect: SG202
