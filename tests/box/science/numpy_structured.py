# needs: numpy
"""Structured arrays, dates, strings and other types."""
import numpy as np

people = np.array([("Ann", 31, 1.70), ("Bob", 25, 1.82), ("Cid", 40, 1.65)], dtype=[("name", "U8"), ("age", "i4"), ("height", "f8")])
print(people["name"], people[people["age"] > 30]["height"], np.sort(people, order="age")["name"], people.dtype.itemsize)
people["age"] += 1
print(people[0], people.dtype.names, people[["name", "age"]][1])
record = people.view(np.recarray)
print(record.age.sum(), record[2].name)
days = np.arange("2024-02-27", "2024-03-03", dtype="datetime64[D]")
print(days, days[-1] - days[0], np.is_busday(days), np.busday_count("2024-01-01", "2024-02-01"), np.datetime64("2024-02") + 1)
print(np.datetime64("2024-01-01T12:00") - np.timedelta64(90, "m"), np.datetime64("NaT"), days.astype("datetime64[M]")[0])
words = np.array(["one", "Two", "three"])
print(np.char.upper(words), np.char.str_len(words), np.char.add(words, "!"), words.astype("S3"))
print(np.iinfo("i8").max, np.finfo("f4").eps, np.result_type("i4", "f4"), np.can_cast("i8", "i4"), np.array([1, 2.5, True]).dtype)
z = np.array([1 + 2j, 3 - 1j])
print(np.conj(z), np.abs(z).round(4), np.angle(z, deg=True).round(4), z.real)
masked = np.ma.masked_greater([1, 5, 2, 9], 4)
print(masked, masked.mean(), masked.filled(0), masked.count())
objects = np.array([{"a": 1}, [2], None], dtype=object)
print(objects.shape, objects[0]["a"], np.vectorize(lambda v: v * 2)([1, 2]), np.frompyfunc(divmod, 2, 2)(np.array([7, 8]), 3))
