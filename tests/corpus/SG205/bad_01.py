import typing
typing.sys.modules  # expect: SG205
