import decimal
decimal.sys  # expect: SG216
