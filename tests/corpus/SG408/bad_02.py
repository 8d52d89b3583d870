"""A record with the place of a log, which is emptied."""
from collections import namedtuple
from pathlib import Path

Log = namedtuple("Log", "place keep")
log = Log("/opt/shop/log.txt", 0)
if not log.keep:
    Path(log._replace(keep=1).place).write_text("")  # expect: SG408
