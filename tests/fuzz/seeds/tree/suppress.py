# noqa
# nosec
# type: ignore
import os  # sandgate: ignore
