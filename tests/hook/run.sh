#!/bin/sh
# run.sh BUILD PROGRAM: what `sandgate hook` makes of events.
set -u
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/events.py" "$2"
