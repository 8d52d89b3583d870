from http.server import HTTPServer, SimpleHTTPRequestHandler as H  # expect: SG302
HTTPServer(("",80), H).serve_forever()  # expect: SG302
