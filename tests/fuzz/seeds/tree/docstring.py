"""doc"""
def f():
  "doc"
class C:
  'doc'
