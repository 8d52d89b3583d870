#!/bin/sh
# The HTTP server as its clients see it.
#
#	run.sh BUILD PROGRAM [CASE...]
#
# Each file of cases/ runs in an empty folder of its own, with an audit log of
# its own, and starts the servers that it wants.  SG_LOAD_SECONDS says how
# long the load test lasts (5; 30 is the full form).
set -u
BUILD=$1
SANDGATE=$2
shift 2
wanted=" $* "
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export BUILD SANDGATE here root
[ -x "$SANDGATE" ] || {
	echo "there is no program '$SANDGATE'"
	exit 1
}
unset SANDGATE_AUDIT XDG_STATE_HOME NO_COLOR LISTEN_FDS LISTEN_PID
unset NOTIFY_SOCKET WATCHDOG_USEC http_proxy HTTP_PROXY ALL_PROXY all_proxy
LC_ALL=C.UTF-8
export LC_ALL

# shellcheck source=tests/http/lib.sh
. "$here/lib.sh"

top=$(mktemp -d)
chmod 755 "$top"
trap 'stop_all; rm -rf "$top"' EXIT
trap 'exit 1' INT TERM
HOME=$top/home
mkdir "$HOME"
export HOME

# Where the box can't be built, what needs no run is tested all the same.
# shellcheck disable=SC2034
box=yes
if ! echo 'print(1)' | "$SANDGATE" run --no-gate --audit "$top/log" - \
	>/dev/null 2>&1; then
	# shellcheck disable=SC2034
	box=
	[ "${SG_BOX_MUST_WORK:-}" = 1 ] && {
		echo "the box does not work here, and must"
		exit 1
	}
	echo "ok 1 - runs # SKIP the box does not work here"
fi

for case_file in "$here"/cases/*.sh; do
	case_name=$(basename "$case_file" .sh)
	case $wanted in "  " | *" $case_name "*) ;; *) continue ;; esac
	mkdir "$top/$case_name"
	cd "$top/$case_name" || exit 1
	SANDGATE_AUDIT=$top/$case_name/audit.jsonl
	export SANDGATE_AUDIT case_name
	# shellcheck source=/dev/null
	. "$case_file"
	stop_all
done

printf '%d passed, %d failed\n' "$npassed" "$nfailed"
[ "$nfailed" -eq 0 ]
