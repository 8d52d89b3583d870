import logging
logging.Formatter('{x.__class__}',style='{')  # expect: SG209
