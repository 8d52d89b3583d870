try: pass
except* (A, B) as e: raise X from e
else: pass
finally: del a, b[0], c.d
