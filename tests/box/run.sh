#!/bin/sh
# run.sh BUILD PROGRAM: the box from outside, as root and as an ordinary user.
#
# SG_BOX_MUST_WORK=1 turns what would be skipped into a failure.
set -u
build=$1
program=$2
here=$(dirname "$0")
st=0

if sh "$here/list.sh" | cmp -s - "$here/../../docs/box-attacks.md"; then
	echo "ok - docs/box-attacks.md lists the attacks"
else
	echo "not ok - docs/box-attacks.md is not what tests/box/list.sh prints"
	st=1
fi

# The ordinary user must be able to reach what it runs.
copy=$(mktemp -d /tmp/sg-box-test.XXXXXX) || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$copy"
for t in attacks requests manners ends hosts warm modules zygotes ahead killed science soak; do
	cp "$build/tests/box/$t" "$copy/" || exit 1
done
cp "$program" "$copy/sandgate" || exit 1
cp "$here/science.txt" "$copy/" || exit 1
cp -R "$here/attacks" "$copy/scripts" || exit 1
chmod -R a+rX "$copy"

# Where the box must work, ordinary programs are compared on every
# interpreter that this machine has; else on the system's.
pythons=
if [ "${SG_BOX_MUST_WORK:-}" = 1 ]; then
	for p in /usr/bin/python3.[0-9] /usr/bin/python3.[0-9][0-9] \
		/usr/local/bin/python3.[0-9][0-9] \
		"$HOME"/.pyenv/versions/3.9*/bin/python3 \
		"$HOME"/.pyenv/versions/3.1[0-9]*/bin/python3; do
		[ -x "$p" ] && pythons="$pythons $p"
	done
fi

once() {
	"$@" "$copy/attacks" "$copy/scripts" || st=1
	"$@" "$copy/attacks" --warm "$copy/scripts" || st=1
	for t in requests manners ends hosts warm modules zygotes ahead; do
		"$@" "$copy/$t" || st=1
	done
	"$@" "$copy/killed" "$copy/sandgate" || st=1
	"$@" "$copy/soak" 100 || st=1
	"$@" "$copy/soak" --warm 200 || st=1
}

if [ "$(id -u)" = 0 ]; then
	once env
	# shellcheck disable=SC2086
	"$copy/science" "$copy/science.txt" $pythons || st=1
	"$copy/science" --warm "$copy/science.txt" || st=1
	once setpriv --reuid 65534 --regid 65534 --clear-groups \
		env HOME=/nonexistent
else
	once env
	# shellcheck disable=SC2086
	"$copy/science" "$copy/science.txt" $pythons || st=1
	"$copy/science" --warm "$copy/science.txt" || st=1
fi
exit $st
