import os
os.environ["HTTP_PROXY"] = "x"  # expect: SG501
