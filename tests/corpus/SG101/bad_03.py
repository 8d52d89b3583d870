import contextlib
with contextlib.ExitStack() as s: s.callback(eval,'1')  # expect: SG101
