open("evil.pth","w").write("import os")  # expect: SG504
