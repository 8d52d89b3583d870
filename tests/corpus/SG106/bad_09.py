import pickle, io
class U(pickle.Unpickler):  # expect: SG106
    def find_class(self, m, n): return eval  # expect: SG101
U(io.BytesIO(b"")).load()  # expect: SG106
