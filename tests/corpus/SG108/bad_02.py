import yaml
yaml.load('x')  # expect: SG108
