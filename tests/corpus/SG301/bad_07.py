import socket  # expect: SG301, SG302
socket.gethostbyname('secret.example.org')  # expect: SG301, SG302, SG303
