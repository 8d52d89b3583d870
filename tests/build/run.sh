#!/bin/sh
# The build itself: what it makes, what it makes again, and that each check
# of the source fails when it should.
#
#	run.sh BUILD PROGRAM
#
# Nothing is planted in the tree: scratch copies are.
set -u
build=$1
program=$2
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL SG_TALLY DESTDIR PREFIX VARIANT BUILD
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
n=0

bad=0

ok() { # ok STATUS WHAT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		bad=$((bad + 1))
		echo "not ok $n - $2"
		tail -n 30 "$scratch/log" 2>/dev/null | sed 's/^/# /'
	fi
	: >"$scratch/log"
}
passes() { # passes WHAT COMMAND...
	what=$1
	shift
	"$@" >"$scratch/log" 2>&1
	ok $? "$what"
}
# The command must fail, and say TEXT if that is not empty.
fails() { # fails WHAT TEXT COMMAND...
	what=$1 text=$2
	shift 2
	if "$@" >"$scratch/log" 2>&1; then
		ok 1 "$what"
	else
		[ -z "$text" ] || grep -q -e "$text" "$scratch/log"
		ok $? "$what"
	fi
}
has() { command -v "$1" >/dev/null 2>&1; }

copy() { # copy TO: a tree without the layers above base
	rm -rf "$1"
	mkdir -p "$1"
	cp -R Makefile .clang-format .clang-tidy base tools "$1/"
	mkdir "$1/analyzer" "$1/policy"
	cp policy/*.h "$1/policy/"
	cp analyzer/*.h "$1/analyzer/"
}

# --- layers ----------------------------------------------------------------

t=$scratch/layers
layers() { python3 tools/check-layers.py "$t"; }
copy "$t"
passes 'the layers hold' layers
plant() { # plant FILE TEXT
	copy "$t"
	printf '%s\n' "$2" >>"$t/$1"
}
plant base/str.c '#include "policy/policy.h"'
fails 'an include upwards is found' \
	'base/str.c:.*base may not include policy' layers
plant base/str.c '# include "analyzer/ast.h"'
fails 'an include to the side is found' \
	'base/str.c:.*base may not include analyzer' layers
plant base/str.c '#include <yaml.h>'
fails 'a third-party header outside its layer is found' \
	'<yaml.h> belongs to policy' layers
plant policy/verdict.h '#include <tree_sitter/api.h>'
fails 'a header of the grammar outside its layer is found' \
	'belongs to analyzer' layers
plant base/str.c '#include "map.h"'
fails 'an include without its layer is found' 'there is no "map.h"' layers
plant base/str.h '#include "base/map.h"'
fails 'a cycle is found' 'include cycle: .*base/str.h' layers
rm -rf "$t"
mkdir "$t"
fails 'an empty tree is no clean tree' 'no source files' layers

# --- headers ---------------------------------------------------------------

t=$scratch/headers
header() {
	(cd "$t" && sh tools/check-headers.sh "-std=c11" base/vec.h)
}
copy "$t"
passes 'a header compiles alone' header
echo 'void sg_lost(struct sg_buf *b, FILE *f);' >>"$t/base/vec.h"
fails 'a header that needs another is found' \
	'base/vec.h: does not compile alone with gcc' header
copy "$t"
sed '/SG_BASE_VEC_H/d; s/^#endif$//' base/vec.h >"$t/base/vec.h"
echo 'struct sg_twice { int a; };' >>"$t/base/vec.h"
fails 'a header without a guard is found' 'base/vec.h: does not' header

# --- banned calls ----------------------------------------------------------

t=$scratch/banned
banned() { # banned LAYER CODE
	rm -rf "$t"
	mkdir -p "$t/$1" "$t/obj/$1"
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' \
		'#include <string.h>' 'void f(char *p, const char *q);' \
		"void f(char *p, const char *q) { $2 }" >"$t/$1/x.c"
	gcc -O2 -D_FORTIFY_SOURCE=3 -c "$t/$1/x.c" -o "$t/obj/$1/x.o" || return 2
	tool=$PWD/tools/check-banned.py
	(cd "$t" && python3 "$tool" obj "$1")
}
passes 'a clean file is clean' \
	banned base '/* strcpy(p, q); */ p[0] = *"system(\""; (void)q;'
fails 'strcpy is found' 'wants strcpy' banned base 'strcpy(p, q);'
fails 'strcpy that the compiler turns into memcpy is found' \
	'x.c:5: calls strcpy' banned base '(void)q; strcpy(p, "abc");'
fails 'a hardened sprintf is found' 'sprintf' \
	banned pipeline 'sprintf(p, "%s%s", q, q);'
fails 'a pointer to a banned function is found' 'wants system' \
	banned base 'int (*g)(const char *) = system; p[0] = (char)g(q);'
fails 'alloca is found' 'calls alloca' \
	banned base 'p[0] = *(char *)__builtin_alloca(9); (void)alloca(strlen(q));'
fails 'a library that prints is found' 'wants printf' \
	banned policy 'printf("%s%s", p, q);'
fails 'a library that exits is found' 'wants exit' \
	banned executor '(void)p; exit(q[0]);'
passes 'a command may print' banned cmd 'printf("%s%s", p, q);'
fails 'no object is no clean library' 'no objects' \
	python3 tools/check-banned.py "$scratch/none" base

# --- format and clang-tidy -------------------------------------------------

t=$scratch/format
style() { (cd "$t" && make format-check); }
if has clang-format-14; then
	copy "$t"
	rm -f "$t"/analyzer/* "$t"/policy/*
	passes 'the format holds' style
	printf 'int\nsg_crooked( int a ){return a;}\n' >>"$t/base/str.c"
	fails 'a crooked line is found' 'base/str.c' style
fi
if has clang-tidy-14; then
	copy "$t"
	rm -f "$t"/analyzer/* "$t"/policy/*
	{
		echo 'int sg_long(int a);'
		echo 'int sg_long(int a) {'
		i=0
		while [ $i -lt 90 ]; do
			echo "a += $i;"
			i=$((i + 1))
		done
		echo 'return a; }'
	} >"$t/base/long.c"
	tidy() {
		(cd "$t" && make BUILD="$t/b" CC=gcc "$t/b/rel/tidy/base/long.ok")
	}
	fails 'a function beyond 80 lines is found' 'function-size' tidy
fi

# --- what is made again ----------------------------------------------------

t=$scratch/again
copy "$t"
rm -f "$t"/analyzer/* "$t"/policy/*
lib() { (cd "$t" && make BUILD="$t/b" "$@" "$t/b/rel/libbase.a"); }
idle() { ! lib "$@" 2>&1 | grep -q ' CC '; }
passes 'a layer is built' lib
passes 'nothing is built twice' idle
fails 'other flags build again' '' idle CFLAGS=-DSG_OTHER
fails 'and back again' '' idle
fails 'another version builds again' '' idle VERSION=9.9.9
lib >/dev/null 2>&1
touch "$t/base/vec.h"
made() { lib 2>&1 | grep ' CC ' | grep -c . >"$scratch/count"; }
made
count=$(cat "$scratch/count")
set -- base/*.c
[ "$count" -ge 2 ] && [ "$count" -lt $# ]
ok $? "a header builds again what includes it ($count files)"
rm "$t/base/clock.c"
member() { ar t "$t/b/rel/libbase.a" | grep -q '^clock.o$'; }
lib >/dev/null 2>&1
fails 'a source that is gone goes from the archive' '' member
asan() { (cd "$t" && make BUILD="$t/b" VARIANT=asan "$t/b/asan/libbase.a"); }
passes 'a variant has objects of its own' asan
passes 'which leave the others alone' idle

# --- the test tools themselves ---------------------------------------------

tally() { # tally TEXT STATUS
	printf '%s\n' "$1" >"$scratch/say"
	: >"$scratch/tally"
	SG_TALLY=$scratch/tally sh tools/run-test.sh t \
		sh -c "cat '$scratch/say'; exit $2" >/dev/null 2>&1
	cut -d' ' -f1,2 "$scratch/tally"
}
is() { # is WHAT GOT WANT
	[ "$2" = "$3" ] || echo "got '$2', not '$3'" >"$scratch/log"
	[ "$2" = "$3" ]
	ok $? "$1"
}
is 'Check counts' "$(tally '80%: Checks: 5, Failures: 1, Errors: 0' 1)" '4 1'
is 'sums count' "$(tally '3 passed, 0 failed' 0)" '3 0'
is 'TAP counts, a skip does not' "$(tally 'ok 1 - a
not ok 2 - b
ok 3 - c # SKIP' 1)" '1 1'
is 'silence is no test' "$(tally '' 0)" '0 0'
is 'a silent failure is a failure' "$(tally '' 3)" '0 1'
is 'a bad end outweighs good tests' "$(tally 'ok 1' 1)" '1 1'

# --- installing ------------------------------------------------------------

# BUILD is BASE/VARIANT; what is installed is what was built there.
base=${build%/*}
variant=${build##*/}
if [ "$variant" = rel ]; then
	d=$scratch/dest
	place() { make BUILD="$base" PREFIX=/opt/sg DESTDIR="$d" "$@"; }
	passes 'install' place install
	for f in bin/sandgate lib/libsandgate.a lib/libsandgate.so \
		lib/pkgconfig/sandgate.pc include/sandgate.h \
		lib/systemd/system/sandgate.socket; do
		[ -e "$d/opt/sg/$f" ]
		ok $? "installs $f"
	done
	grep -q '^ExecStart=/opt/sg/bin/sandgate serve ' \
		"$d/opt/sg/lib/systemd/system/sandgate.service"
	ok $? "the unit starts the program where it is installed"
	soname=$(objdump -p "$d/opt/sg/lib/libsandgate.so" |
		sed -n 's/.*SONAME *//p')
	[ -n "$soname" ] && [ -e "$d/opt/sg/lib/$soname" ]
	ok $? "the library is found by its soname '$soname'"
	nm -D --defined-only "$d/opt/sg/lib/libsandgate.so" |
		sed -n 's/.* T \([^@]*\).*/\1/p' | sort >"$scratch/has"
	python3 tools/exports.py X include/*.h | sed -n 's/^\t\(sg_.*\);/\1/p' |
		sort >"$scratch/wants"
	passes 'the library exports what the headers declare, nothing else' \
		diff "$scratch/wants" "$scratch/has"
	PKG_CONFIG_PATH=$d/opt/sg/lib/pkgconfig
	PKG_CONFIG_SYSROOT_DIR=$d
	export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
	# shellcheck disable=SC2046
	passes 'a program is linked by way of pkg-config' \
		gcc -Wall -Wextra -Wpedantic -Werror -o "$scratch/user" \
		tests/build/user.c $(pkg-config --cflags --libs sandgate)
	passes 'and runs' \
		env LD_LIBRARY_PATH="$d/opt/sg/lib" "$scratch/user"
	unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
	# shellcheck disable=SC2046
	passes 'a program is linked with the archive' \
		gcc -o "$scratch/user" -I"$d/opt/sg/include" \
		tests/build/user.c "$d/opt/sg/lib/libsandgate.a" \
		$(pkg-config --libs libpcre2-8 yaml-0.1 libseccomp libutf8proc \
			jansson libsodium)
	passes 'and runs' "$scratch/user"
	passes 'the installed program runs' "$d/opt/sg/bin/sandgate" --version
	passes 'uninstall' place uninstall
	left=$(find "$d" -type f -o -type l)
	[ -z "$left" ]
	ok $? "uninstall leaves nothing $left"
fi
[ -x "$program" ]
ok $? 'there is a program'
# Only a server wants it, and what it brings with it: see cmd/http_lib.h.
! ldd "$program" 2>&1 | grep -E 'microhttpd|gnutls' >"$scratch/log"
ok $? 'the program begins without the library of the server'

# --- what is made of the shipped policies ----------------------------------

mkdir "$scratch/policies"
passes 'the shipped policies are prepared' \
	"$build/tools/policies" "$scratch/policies" rules/*.yaml
passes 'and their regexes studied' \
	"$build/tools/regexes" "$scratch/regexes.c" rules/*.yaml
for made in "$scratch"/policies/*; do
	cmp "$made" "$build/gen/policies/${made##*/}" || touch "$scratch/other"
done >"$scratch/log" 2>&1
[ ! -e "$scratch/other" ]
ok $? 'documents are the same each time'
passes 'regexes are the same each time' \
	cmp "$scratch/regexes.c" "$build/gen/regexes.c"

# --- dist ------------------------------------------------------------------

if has git && git rev-parse HEAD >/dev/null 2>&1; then
	tarball() {
		make BUILD="$scratch/$1" dist >/dev/null 2>&1
		sha256sum <"$(ls "$scratch/$1"/*.tar.gz)"
	}
	is 'the tarball is the same each time' \
		"$(tarball one)" "$(sleep 1; tarball two)"
	tar -tzf "$scratch"/one/*.tar.gz >"$scratch/log" 2>&1
	grep -q '/Makefile$' "$scratch/log"
	ok $? 'the tarball has the makefile'
	! grep -q node_modules "$scratch/log"
	ok $? 'the tarball has nothing that was fetched'
fi

make help >"$scratch/help" 2>&1
for target in all demo check asan analyze cover fuzz layers hdr-check banned \
	format-check tidy bench ci install uninstall dist clean help deps; do
	grep -q "^$target " "$scratch/help" || echo "no help: $target"
done >"$scratch/missing"
[ ! -s "$scratch/missing" ]
ok $? "each target has a line of help $(cat "$scratch/missing")"
[ "$bad" -eq 0 ]
