"""A table of places that are only printed."""
PLACES = {"programs": "/usr/bin", "libraries": "/opt/lib"}

for name, place in PLACES.items():
    print(f"{name:<12}{place}")
with open("places.txt", "w") as f:
    f.write("\n".join(PLACES))
