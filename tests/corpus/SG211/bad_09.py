import sys
sys.meta_path  # expect: SG211
