import dns.resolver  # expect: SG303
