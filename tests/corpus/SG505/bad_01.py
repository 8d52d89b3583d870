import os
os.getlogin()  # expect: SG505
