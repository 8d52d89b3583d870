# needs: matplotlib
"""Vector output, annotations, dates and polar axes."""
import datetime
import io
import os
import matplotlib
matplotlib.use("Agg")
import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import numpy as np

days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=n) for n in range(0, 60, 10)]
figure = plt.figure(figsize=(6, 3))
left = figure.add_subplot(121)
left.plot(days, [1, 4, 2, 6, 3, 5], marker="o")
left.xaxis.set_major_formatter(mdates.DateFormatter("%d.%m"))
left.annotate("top", (days[3], 6), xytext=(10, -20), textcoords="offset points", arrowprops={"arrowstyle": "->"})
left.fill_between(days, 0, [1, 4, 2, 6, 3, 5], alpha=0.3)
left.tick_params(axis="x", rotation=45)
right = figure.add_subplot(122, projection="polar")
right.plot(np.linspace(0, 6, 50), np.linspace(0, 1, 50))
for name in ("out.svg", "out.pdf", "out.jpg"):
    figure.savefig(name)
    with open(name, "rb") as f:
        print(name, os.path.getsize(name) > 0, f.read(4) in (b"<?xm", b"%PDF", b"\xff\xd8\xff\xe0"))
memory = io.BytesIO()
figure.savefig(memory, format="png", bbox_inches="tight")
print(memory.getvalue()[1:4], len(left.lines), left.get_xlim()[0] < left.get_xlim()[1])
plt.close("all")
with open("out.svg", encoding="utf-8") as f:
    print(f.read().count("<svg"))
