import datetime as dt
print(dt.datetime.now().isoformat(), dt.date.today(), dt.datetime.strptime('2024','%Y'), dt.timezone.utc)
