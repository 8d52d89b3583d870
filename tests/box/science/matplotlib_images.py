# needs: matplotlib
"""Images, contours and tables drawn; pixels read back."""
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib import colors, cm
import numpy as np

values = np.add.outer(np.arange(8), np.arange(8)) / 14
plt.imsave("ramp.png", values, cmap="gray")
pixels = plt.imread("ramp.png")
print(pixels.shape, pixels[0, 0].tolist(), pixels[-1, -1].tolist(), bool(np.all(np.diff(pixels[:, 0, 0]) > 0)))
figure, axis = plt.subplots(figsize=(2, 2), dpi=50)
y, x = np.mgrid[-2:2:40j, -2:2:40j]
shape = axis.contourf(x, y, np.exp(-x ** 2 - y ** 2), levels=5)
figure.colorbar(shape)
axis.text(0, 0, "middle", ha="center", bbox={"facecolor": "white"})
figure.canvas.draw()
buffer = np.asarray(figure.canvas.buffer_rgba())
print(buffer.shape, buffer.dtype, len(np.unique(buffer.reshape(-1, 4), axis=0)) > 5)
print(colors.to_hex("tab:blue"), colors.to_rgba("red", 0.5), colors.Normalize(0, 10)(2.5), len(matplotlib.colormaps) > 50 if hasattr(matplotlib, "colormaps") else True)
plt.close(figure)
with plt.style.context("ggplot"):
    figure, axis = plt.subplots()
    axis.pie([1, 2, 3], labels=["x", "y", "z"], autopct="%d%%")
    axis.table([["1", "2"]], loc="bottom")
    figure.savefig("pie.png")
print(sorted(t.get_text() for t in axis.texts), plt.imread("pie.png").ndim)
plt.close("all")
