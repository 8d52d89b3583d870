"""Orders of tasks, networks, colours and other small modules."""
import colorsys
import graphlib
import ipaddress
import keyword
import numbers
import operator
import pprint
import reprlib
import shlex
import types

graph = {"deploy": {"test", "build"}, "test": {"build"}, "build": {"fetch"}, "fetch": set()}
print(list(graphlib.TopologicalSorter(graph).static_order()))
try:
    list(graphlib.TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
except graphlib.CycleError as error:
    print(sorted(set(error.args[1])))
sorter = graphlib.TopologicalSorter(graph)
sorter.prepare()
rounds = []
while sorter.is_active():
    ready = sorted(sorter.get_ready())
    rounds.append(ready)
    sorter.done(*ready)
print(rounds)
net = ipaddress.ip_network("192.0.2.0/28")
print(net.num_addresses, list(net.subnets(new_prefix=30))[1], ipaddress.ip_address("192.0.2.7") in net, net.broadcast_address)
print(ipaddress.ip_address("2001:db8::1").exploded, ipaddress.ip_address("10.1.2.3").is_private, list(ipaddress.summarize_address_range(ipaddress.ip_address("10.0.0.0"), ipaddress.ip_address("10.0.0.5"))))
print([round(c, 4) for c in colorsys.rgb_to_hsv(0.2, 0.4, 0.4)], keyword.iskeyword("lambda"), isinstance(1, numbers.Integral))
print(sorted([{"n": 2, "s": "b"}, {"n": 1, "s": "z"}], key=operator.itemgetter("n")), operator.attrgetter("real")(5), operator.methodcaller("upper")("x"))
pprint.pprint({"key%02d" % i: list(range(i)) for i in range(12)}, width=60, compact=True)
print(reprlib.repr(list(range(1000))), reprlib.repr("x" * 100), shlex.split("a 'b c' \"d e\" f\\ g"), shlex.quote("it's"))
space = types.SimpleNamespace(a=1, b=[2])
print(space, types.MappingProxyType({"x": 1})["x"], space == types.SimpleNamespace(a=1, b=[2]))
