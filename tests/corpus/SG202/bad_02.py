import dis  # expect: SG202
dis.dis(print)  # expect: SG202
