from urllib import request  # expect: SG301
