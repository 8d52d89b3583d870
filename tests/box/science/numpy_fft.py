# needs: numpy
"""Fourier transforms, convolution, a filtered signal."""
import numpy as np

rate = 256
t = np.arange(rate) / rate
signal = np.sin(2 * np.pi * 12 * t) + 0.5 * np.cos(2 * np.pi * 40 * t)
spectrum = np.fft.rfft(signal)
power = np.abs(spectrum) / rate * 2
print(np.flatnonzero(power > 0.1), np.round(power[[12, 40]], 6), np.allclose(np.fft.irfft(spectrum), signal))
spectrum[30:] = 0
print(np.allclose(np.fft.irfft(spectrum), np.sin(2 * np.pi * 12 * t)))
print(np.fft.fftfreq(8, 0.5), np.fft.fftshift(np.arange(5)))
image = np.zeros((8, 8))
image[2:5, 3:6] = 1
print(round(abs(np.fft.fft2(image)[0, 0]), 6), np.allclose(np.fft.ifft2(np.fft.fft2(image)).real, image))
print(np.convolve([1, 2, 3], [0, 1, 0.5]), np.correlate([1, 2, 3], [0, 1, 0.5], "full"), np.hanning(5).round(4))
product = np.rint(np.fft.ifft(np.fft.fft([3, 2, 1, 0, 0, 0]) * np.fft.fft([6, 5, 4, 0, 0, 0])).real).astype(int)
print(product, np.polymul([1, 2, 3], [4, 5, 6]))
