import os as o, sys
from . import a
from ...b.c import (d as e, f,)
from os import *
