#!/bin/sh
# The commands as a person types them.
#
#	run.sh BUILD PROGRAM [CASE...]
#
# Each file of cases/ runs in an empty folder of its own, with an audit log of
# its own.
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
unset SANDGATE_AUDIT XDG_STATE_HOME NO_COLOR
LC_ALL=C.UTF-8
export LC_ALL

# shellcheck source=tests/cli/lib.sh
. "$here/lib.sh"

top=$(mktemp -d)
chmod 755 "$top"
trap 'chmod -R u+w "$top"; rm -rf "$top"' EXIT
HOME=$top/home
mkdir "$HOME"
export HOME

for case_file in "$here"/cases/*.sh; do
	case_name=$(basename "$case_file" .sh)
	case $wanted in "  " | *" $case_name "*) ;; *) continue ;; esac
	mkdir "$top/$case_name"
	cd "$top/$case_name" || exit 1
	SANDGATE_AUDIT=$top/$case_name/audit.jsonl
	export SANDGATE_AUDIT case_name
	# shellcheck source=/dev/null
	. "$case_file"
done

printf '%d passed, %d failed\n' "$npassed" "$nfailed"
[ "$nfailed" -eq 0 ]
