import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 2 * np.pi, 200)
plt.plot(x, np.sin(x), label="sine")
plt.plot(x, np.cos(x), label="cosine")
plt.legend()
plt.show()
