import yaml
yaml.unsafe_load('x')  # expect: SG106
