match x:
 case {'a': [1, *_], **r} if r: pass
 case C(a=1, b=_) | None: pass
 case -1 + 2j | 'a' 'b': pass
 case (a.b as c): pass
 case _: pass
match = 1
match(x)
match[x]
