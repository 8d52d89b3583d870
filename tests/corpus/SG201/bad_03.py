import sys
sys.exc_info()[2].tb_frame  # expect: SG201
