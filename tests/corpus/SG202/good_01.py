import logging
logger = logging.getLogger(__name__)
h = logging.StreamHandler(); h.setFormatter(logging.Formatter('{message}', style='{')); logger.addHandler(h)
