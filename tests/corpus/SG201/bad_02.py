import sys
sys._current_frames()  # expect: SG201
