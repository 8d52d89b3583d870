"""Dates, differences, formats; nothing from the clock."""
from datetime import date, datetime, time, timedelta, timezone

start = datetime(2023, 12, 31, 23, 59, 30)
print(start + timedelta(seconds=45), start.isoformat(timespec="milliseconds"))
print((date(2024, 3, 1) - date(2024, 2, 1)).days, date(2024, 12, 30).isocalendar()[:2])
print([d.strftime("%a %d %b %y %j %U") for d in (date(2024, 1, 1) + timedelta(weeks=n) for n in range(0, 52, 13))])
print(datetime.strptime("07/04/1999 18:05", "%d/%m/%Y %H:%M"))
east = timezone(timedelta(hours=5, minutes=30), "IST")
moment = datetime(2020, 6, 15, 12, tzinfo=timezone.utc)
print(moment.astimezone(east), moment.astimezone(east).tzname(), moment.timestamp())
print(datetime.fromtimestamp(1e9, timezone.utc), datetime(1970, 1, 1) + timedelta(days=-1))
print(sorted([time(9, 30), time(8), time(8, 0, 0, 1)]), timedelta(days=1.5, hours=-3))
print(divmod(timedelta(hours=7, minutes=5), timedelta(hours=2)), timedelta(hours=1) / timedelta(minutes=8))
print(date.fromordinal(738000), date(2024, 1, 1).toordinal(), date.max, timedelta.resolution)
print(moment.replace(month=2, day=29), date(2024, 2, 29).replace(day=1).weekday())
friday_13 = [date(y, m, 13).isoformat() for y in range(2023, 2026) for m in range(1, 13) if date(y, m, 13).weekday() == 4]
print(friday_13)
