import os
print(os.environ.get("AWS_SECRET_ACCESS_KEY"))  # expect: SG501
