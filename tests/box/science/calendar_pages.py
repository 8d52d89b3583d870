"""Calendars as text, weeks and leap years."""
import calendar

print(calendar.TextCalendar(firstweekday=6).formatmonth(2024, 2))
print(calendar.monthrange(2023, 2), calendar.isleap(1900), calendar.isleap(2000), calendar.leapdays(1900, 2001))
weeks = calendar.Calendar(0).monthdayscalendar(2024, 9)
print(weeks)
print([d.isoformat() for d in calendar.Calendar().itermonthdates(2023, 1)][:7])
print(calendar.weekday(1969, 7, 20), list(calendar.day_abbr), calendar.month_name[1:4])
print(calendar.timegm((2001, 9, 9, 1, 46, 40)))
third_fridays = []
for month in range(1, 13):
    fridays = [week[calendar.FRIDAY] for week in calendar.monthcalendar(2024, month) if week[calendar.FRIDAY]]
    third_fridays.append(fridays[2])
print(third_fridays)
print(len(calendar.HTMLCalendar().formatyear(2024).splitlines()) > 100)
