from socket import *  # expect: SG301, SG302
socket(AF_INET,SOCK_STREAM)  # expect: SG216, SG301, SG302
