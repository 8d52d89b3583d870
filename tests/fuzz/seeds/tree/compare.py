a < b <= c != d == e is f in g
