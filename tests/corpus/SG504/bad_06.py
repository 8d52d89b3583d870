import site as s  # expect: SG504
s.USER_SITE  # expect: SG504
