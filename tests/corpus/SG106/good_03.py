import yaml
print(yaml.safe_load('a: 1'), yaml.dump({'a':1}))
