"""Descriptive statistics of a fixed sample."""
import statistics as st
from fractions import Fraction

heights = [172, 168, 181, 175, 169, 190, 175, 163, 177, 175, 182, 160]
print(st.mean(heights), st.median(heights), st.mode(heights), st.multimode([1, 1, 2, 2, 3]))
print(round(st.stdev(heights), 6), round(st.pvariance(heights), 6))
print(st.quantiles(heights, n=4), st.median_low(heights), st.median_high(heights))
print(round(st.harmonic_mean([40, 60]), 6), round(st.geometric_mean([54, 24, 36]), 6))
print(st.mean([Fraction(1, 3), Fraction(1, 6)]), st.fmean([1, 2, 4]))
normal = st.NormalDist.from_samples(heights)
print(round(normal.mean, 4), round(normal.stdev, 4), round(normal.cdf(180), 6), round(normal.inv_cdf(0.9), 4))
combined = st.NormalDist(5, 2) + st.NormalDist(3, 1.5)
print(combined.mean, combined.stdev, round(st.NormalDist(0, 1).overlap(st.NormalDist(1, 1)), 6))
try:
    st.mean([])
except st.StatisticsError as error:
    print(error)
