__import__('o' + 's').system('ls')
importlib = __import__('importlib')
importlib.import_module('sub' 'process')
