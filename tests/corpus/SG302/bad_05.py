import socketserver  # expect: SG302
