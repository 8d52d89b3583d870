"""Time zones over daylight saving changes."""
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

meeting = datetime(2023, 3, 26, 0, 30, tzinfo=timezone.utc)
cities = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]
for hours in (0, 1, 2):
    moment = meeting + timedelta(hours=hours)
    print(moment.isoformat(), *(moment.astimezone(ZoneInfo(c)).strftime("%d.%H:%M%z") for c in cities))
berlin = ZoneInfo("Europe/Berlin")
twice = [datetime(2023, 10, 29, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1)]
print([t.utcoffset() for t in twice], [t.tzname() for t in twice])
print(twice[1].astimezone(timezone.utc) - twice[0].astimezone(timezone.utc))
flight = datetime(2023, 7, 1, 22, 15, tzinfo=ZoneInfo("America/Los_Angeles")) + timedelta(hours=11, minutes=5)
print(flight, flight.astimezone(ZoneInfo("Asia/Tokyo")))
print(ZoneInfo("Europe/Berlin") is berlin, berlin.key, datetime(1900, 1, 1, tzinfo=berlin).utcoffset())
try:
    ZoneInfo("Mars/Olympus_Mons")
except ZoneInfoNotFoundError:
    print("no such zone")
