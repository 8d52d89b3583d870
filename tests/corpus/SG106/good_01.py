import json
with open('a.json','w') as f: json.dump({'a':1}, f)
with open('a.json') as f: print(json.load(f))
