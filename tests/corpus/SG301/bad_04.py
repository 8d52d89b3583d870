import logging.handlers
logging.handlers.SocketHandler('h',1)  # expect: SG301
