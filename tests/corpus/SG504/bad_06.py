import crontab  # expect: SG504
