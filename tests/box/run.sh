#!/bin/sh
# run.sh BUILD PROGRAM: the box from outside, as root and as an ordinary user.
#
# SG_BOX_MUST_WORK=1 turns what would be skipped into a failure.
set -u
build=$1
here=$(dirname "$0")
st=0

# The ordinary user must be able to reach what it runs.
copy=$(mktemp -d /tmp/sg-box-test.XXXXXX) || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$copy"
cp "$build/tests/box/attacks" "$build/tests/box/faults" "$copy/" || exit 1
cp -R "$here/attacks" "$copy/scripts" || exit 1
chmod -R a+rX "$copy"

once() {
	"$@" "$copy/attacks" "$copy/scripts" || st=1
	"$@" "$copy/faults" || st=1
}

if [ "$(id -u)" = 0 ]; then
	once env
	once setpriv --reuid 65534 --regid 65534 --clear-groups \
		env HOME=/nonexistent
else
	once env
fi
exit $st
