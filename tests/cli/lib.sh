# shellcheck shell=sh
# What the cases of tests/cli share.  Sourced by run.sh.
#
#	ran WHAT STATUS ARG...		the program ends with STATUS
#	out_has TEXT, err_has TEXT	of the last `ran`: holds TEXT
#	out_is TEXT, err_is TEXT	is exactly TEXT and a line end; "" nothing
#	out_json EXPRESSION		Python, true of the JSON document `d`
#	full WHAT STATUS ARG...		as `ran`, writing to a full disk
#	yes WHAT COMMAND...		the command ends with 0
#
# Standard input of the program is the file "in" when there is one (it is
# taken away afterwards), else nothing.

npassed=0
nfailed=0
what=

pass() {
	npassed=$((npassed + 1))
}

fail() {
	nfailed=$((nfailed + 1))
	printf 'FAILED: %s: %s: %s\n' "${case_name:?}" "$what" "$1"
	[ -s out ] && sed 's/^/    out: /' out | cut -c1-200 | tail -n 6
	[ -s err ] && sed 's/^/    err: /' err | cut -c1-200 | tail -n 6
}

ran() {
	what=$1
	want=$2
	shift 2
	[ -e in ] || : >in
	rc=0
	"${SANDGATE:?}" "$@" <in >out 2>err || rc=$?
	rm -f in
	if [ "$rc" = "$want" ]; then
		pass
	else
		fail "exit status $rc, not $want: $*"
	fi
}

has() {
	if grep -qF -e "$2" "$1"; then pass; else fail "$1 lacks '$2'"; fi
}

lacks() {
	if grep -qF -e "$2" "$1"; then fail "$1 has '$2'"; else pass; fi
}

is() {
	: >want.txt
	[ -z "$2" ] || printf '%s\n' "$2" >want.txt
	if cmp -s "$1" want.txt; then pass; else fail "$1 is not '$2'"; fi
}

out_has() { has out "$1"; }
err_has() { has err "$1"; }
out_is() { is out "$1"; }
err_is() { is err "$1"; }

out_json() {
	if python3 -c '
import json, sys
d = json.load(open("out", encoding="utf-8"))
sys.exit(0 if eval(sys.argv[1]) else 1)' "$1" 2>>err; then
		pass
	else
		fail "not true of the JSON: $1"
	fi
}

yes() {
	what=$1
	shift
	if "$@" >yes.out 2>err; then pass; else fail "failed: $*"; fi
}

# full WHAT STATUS ARG...: as `ran`, with a full disk as standard output.
full() {
	what=$1
	want=$2
	shift 2
	[ -e in ] || : >in
	rc=0
	: >out
	"${SANDGATE:?}" "$@" <in >/dev/full 2>err || rc=$?
	rm -f in
	if [ "$rc" = "$want" ]; then pass; else fail "exit status $rc"; fi
	err_has 'No space left'
}
