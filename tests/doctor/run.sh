#!/bin/sh
# run.sh BUILD PROGRAM: what `sandgate doctor` says on hosts that lack
# something, each made by tests/box/host.c.
set -u
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/hosts.py" "$1/tests/box/host" "$2"
