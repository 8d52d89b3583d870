import os
os.environ['PATH']='/x'  # expect: SG210, SG501
