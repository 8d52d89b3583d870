import os
os.environ["OMP_NUM_THREADS"] = "2"
os.environ.setdefault("MPLBACKEND", "Agg")
