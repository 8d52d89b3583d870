import selectors
selectors.sys.modules  # expect: SG205
