from __future__ import annotations
from __future__ import barry_as_FLUFL
