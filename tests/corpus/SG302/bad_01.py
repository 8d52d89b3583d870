import socketserver as s  # expect: SG302
s.os.popen("x")  # expect: SG104, SG302
