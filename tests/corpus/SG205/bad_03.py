import threading
threading._sys.modules  # expect: SG205
