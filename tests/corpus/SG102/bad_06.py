d = {"a":"o","b":"s"}
__import__(d["a"]+d["b"])  # expect: SG102
