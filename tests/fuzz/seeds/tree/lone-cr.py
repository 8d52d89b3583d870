# aimport osos.system("x")
