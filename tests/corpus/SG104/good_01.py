import threading
t = threading.Thread(target=print, args=(1,)); t.start(); t.join()
lock = threading.Lock()
with lock: pass
