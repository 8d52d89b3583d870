"""Counters, deques, default, ordered and chained dictionaries."""
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict, deque, namedtuple

text = "the cat and the dog and the bird"
words = Counter(text.split())
print(words.most_common(2), sorted((words - Counter(the=2)).items()), sum(words.values()))
print(sorted((Counter("abca") & Counter("aabd")).elements()), Counter("ab") | Counter("b") == Counter("ab"))
recent = deque(maxlen=3)
for n in range(7):
    recent.append(n)
recent.rotate(1)
recent.appendleft(99)
print(list(recent), recent.index(99))
index = defaultdict(list)
for word in text.split():
    index[len(word)].append(word)
print(dict(sorted(index.items())))
Point = namedtuple("Point", "x y z", defaults=[0])
p = Point(1, y=2)
print(p, p._replace(z=5), p._asdict(), Point._fields, Point(*range(3)) > p)
order = OrderedDict.fromkeys("dbca", 0)
order.move_to_end("d")
order.popitem(last=False)
print(list(order), order == OrderedDict([("c", 0), ("a", 0), ("d", 0)]))
settings = ChainMap({"color": "red"}, {"color": "blue", "size": 3})
child = settings.new_child({"size": 9})
print(child["color"], child["size"], settings["size"], sorted(child))


class Lower(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)


print(Lower(Alpha=1, BETA=2).data)
