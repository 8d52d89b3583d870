# needs: matplotlib
"""A figure with four plots, saved as PNG."""
import os
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 2 * np.pi, 100)
figure, axes = plt.subplots(2, 2, figsize=(6, 4))
axes[0, 0].plot(x, np.sin(x), "r--", label="sin")
axes[0, 0].legend(loc="upper right")
axes[0, 1].bar(["a", "b", "c"], [3, 7, 2], color="tab:green")
axes[1, 0].scatter(np.cos(x), np.sin(x), s=5, c=x, cmap="viridis")
axes[1, 1].hist(np.random.default_rng(0).normal(size=300), bins=12)
axes[0, 0].set(title="Sine $\\alpha^2$", xlabel="x", ylabel="y", xlim=(0, 7))
figure.tight_layout()
figure.savefig("plots.png", dpi=80)
plt.close(figure)
with open("plots.png", "rb") as f:
    print(f.read(8) == b"\x89PNG\r\n\x1a\n", os.path.getsize("plots.png") > 0)
print(plt.get_fignums(), matplotlib.get_backend().lower(), plt.imread("plots.png").shape)
