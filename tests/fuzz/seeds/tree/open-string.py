x = '''abc
