import os
os.environ['PATH']='/x'  # expect: SG501
