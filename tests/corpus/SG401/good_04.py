import os
print(os.cpu_count(), os.getcwd(), os.sep, os.linesep, os.name, os.path.splitext('a.b'), os.path.getsize('x'), os.stat('x').st_size)
