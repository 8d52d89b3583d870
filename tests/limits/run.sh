#!/bin/sh
# run.sh BUILD PROGRAM: scripts at each limit, beyond it, and of every shape.
set -u
exec python3 "$(dirname "$0")/limits.py" "$1" "$2"
