import yaml
yaml.load("!!python/object/apply:os.system ['x']", Loader=yaml.UnsafeLoader)  # expect: SG106, SG108
