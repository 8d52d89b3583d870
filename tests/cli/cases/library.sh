# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2086,SC2154
# The public library, from a program of somebody else.

libs=$(pkg-config --libs libpcre2-8 yaml-0.1 libseccomp libutf8proc jansson \
	libsodium 2>/dev/null)
extra=
case ${BUILD##*/} in
asan) extra=-fsanitize=address,undefined ;;
cov) extra=--coverage ;;
esac
if command -v "${CC:-cc}" >/dev/null && [ -n "$libs" ]; then
	yes 'the example of the manual builds' ${CC:-cc} -std=c11 -Wall -Wextra \
		-Werror $extra -I"$root/include" -o embed \
		"$root/docs/examples/embed.c" "$BUILD/libsandgate.a" $libs \
		-lpthread
	what='it judges'
	rc=0
	./embed 'import os; os.system("ls")' log >out 2>err || rc=$?
	[ "$rc" = 0 ] && pass || fail "exit status $rc"
	out_json 'd["status"] == "rejected" and d["executed"] is False'
	out_json 'd["file"] == "embedded.py" and d["audit"]["outcome"] is None'
	if echo 'print(1)' | "$SANDGATE" run - >out 2>err; then
		what='it runs'
		rc=0
		./embed 'print(6 * 7)' log >out 2>err || rc=$?
		[ "$rc" = 0 ] && pass || fail "exit status $rc"
		out_json 'd["status"] == "ok" and d["stdout"] == "42\n"'
		ran 'and writes records' 0 audit verify log
		out_has 'intact, 3 records'
	fi
	what='a log that cannot be written'
	rc=0
	./embed 'print(1)' /dev/full >out 2>err || rc=$?
	[ "$rc" = 2 ] && pass || fail "exit status $rc"
	out_is ''
	err_has 'not a regular file'
fi
