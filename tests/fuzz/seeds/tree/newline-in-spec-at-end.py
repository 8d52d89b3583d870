import datetime
x = f"{dime(2020, 1, 1):%
