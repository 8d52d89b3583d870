import os
os.makedirs('out/plots', exist_ok=True)
