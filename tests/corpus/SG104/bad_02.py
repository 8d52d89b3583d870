import importlib
importlib.import_module('os').system('x')  # expect: SG104
