try:
    1/0
except ZeroDivisionError as e:
    import traceback; traceback.print_exc(); print(type(e).__name__, e.args, str(e))
finally: pass
