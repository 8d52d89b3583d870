import json
json.dumps = eval  # expect: SG101, SG210
