import logging
logging.basicConfig(level=logging.INFO, filename='run.log', format='%(asctime)s %(message)s')
log = logging.getLogger('x'); log.addHandler(logging.FileHandler('a.log')); log.info('hi')
