import xmlrpc.server  # expect: SG302
