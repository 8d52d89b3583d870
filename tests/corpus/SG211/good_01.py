import traceback, sys
try: int('x')
except ValueError:
    et, ev, tb = sys.exc_info(); print(et.__name__, traceback.format_exc())
