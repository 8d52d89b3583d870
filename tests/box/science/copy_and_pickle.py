"""Objects copied and pickled, with shared and cyclic references."""
import copy
import io
import pickle


class Node:
    def __init__(self, name, children=()):
        self.name, self.children, self.parent = name, list(children), None
        for child in self.children:
            child.parent = self
        self.cache = lambda: None

    def __getstate__(self):
        state = dict(self.__dict__)
        del state["cache"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.cache = lambda: "fresh"

    def names(self):
        return [self.name] + [n for c in self.children for n in c.names()]


tree = Node("root", [Node("left", [Node("leaf")]), Node("right")])
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    back = pickle.loads(pickle.dumps(tree, protocol))
    print(protocol, back.names(), back.children[0].parent is back, back.cache())
deep, shallow = copy.deepcopy(tree), copy.copy(tree)
print(deep.children[0] is tree.children[0], shallow.children[0] is tree.children[0])
shared = [1]
pair = [shared, shared]
double = copy.deepcopy(pair)
double[0].append(2)
print(pair, double)
loop = []
loop.append(loop)
again = pickle.loads(pickle.dumps(loop))
print(again[0] is again)
stream = io.BytesIO()
pickler = pickle.Pickler(stream)
for value in ({"a": {1, 2}}, (1.5, b"x", None), range(3), 10 ** 50):
    pickler.dump(value)
stream.seek(0)
unpickler = pickle.Unpickler(stream)
print([unpickler.load() for _ in range(4)])
with open("state.pickle", "wb") as f:
    pickle.dump({"n": [1, 2, 3]}, f)
with open("state.pickle", "rb") as f:
    print(pickle.load(f))
try:
    pickle.dumps(lambda: 1)
except (pickle.PicklingError, AttributeError):
    print("no pickle of a lambda")
