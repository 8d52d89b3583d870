#!/bin/sh
# Compiles each header alone, with each compiler there is.
#
#	check-headers.sh FLAGS HEADER...
#
# A public header (include/...) sees no other folder, as it will be where it
# is installed.
set -u
flags=$1
shift
st=0
found=0
for cc in gcc clang-14 clang; do
	command -v "$cc" >/dev/null || continue
	[ "$cc" = clang ] && command -v clang-14 >/dev/null && continue
	found=$((found + 1))
	for header in "$@"; do
		case $header in
		include/*) dirs=-Iinclude name=${header#include/} ;;
		*) dirs='-I. -Iinclude' name=$header ;;
		esac
		# The second inclusion shows that the guard works.
		# shellcheck disable=SC2086
		printf '#include "%s"\n#include "%s"\nint sg_alone;\n' \
			"$name" "$name" |
			$cc -fsyntax-only $flags -Wall -Wextra -Wpedantic \
				-Wstrict-prototypes -Werror $dirs -x c - || {
			echo "$header: does not compile alone with $cc"
			st=1
		}
		# The public ones are for C++ as well.
		case $cc$header in
		clang*include/*)
			# shellcheck disable=SC2086
			printf '#include "%s"\n' "$name" |
				$cc -fsyntax-only -std=c++11 -Wall -Wextra \
					-Werror $dirs -x c++ - || {
				echo "$header: does not compile as C++"
				st=1
			}
			;;
		esac
	done
done
[ "$found" -gt 0 ] || {
	echo "no compiler"
	exit 1
}
[ "$st" = 0 ] && echo "$# headers, $found compilers"
exit "$st"
