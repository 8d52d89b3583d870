#!/bin/sh
# list.sh: prints docs/box-attacks.md from the tests themselves.
set -u
here=$(dirname "$0")

cat <<'TEXT'
# Attacks and faults

What the box is tested against. Each attack is a program that runs in the box with no gate before it, as root and as an ordinary
user; after each one no process, descriptor, control group or mount may be left. `tests/box/attacks` holds the programs,
the C files beside them the faults around the box, `tests/box/science.txt` the programs that must not notice it,
`tests/box/soak.c` counts what is left after many runs (`soak 20000` for the long
form), `tests/box/killed.c` what is left of supervisors that are killed (`killed PROGRAM 200`). This page is printed by `tests/box/list.sh`; a test compares them.

TEXT

n=0
for f in "$here"/attacks/*.attacks; do
	title=$(basename "$f" .attacks | sed 's/^[0-9]*-//; s/-/ /g')
	printf '## %s\n\n| | attack | must end as |\n|---|---|---|\n' "$title"
	awk -v n="$n" '
	/^=== / { name = substr($0, 5); getline head
		status = "ok"
		if (match(head, /status=[a-z_\/]+/))
			status = substr(head, RSTART + 7, RLENGTH - 7)
		gsub(/\//, " or ", status)
		printf "| %d | %s | %s |\n", ++n, name, status }' "$f"
	n=$((n + $(grep -c '^=== ' "$f")))
	echo
done

printf '## Faults around the box\n\n| | fault or promise |\n|---|---|\n'
cat "$here"/*.c | sed -n 's/^	TEST(\(.*\)),$/\1/p' | tr _ ' ' |
	awk -v n="$n" '{ printf "| %d | %s |\n", ++n, $0 }'
n=$((n + $(cat "$here"/*.c | grep -c '^	TEST(.*),$')))
printf '\n%d in all.\n' "$n"
