#!/bin/sh
# Prints makefile lines that say which of the flags we like a compiler takes.
#
#	probe-cc.sh CC
#
# The Makefile keeps the answer in its build folder, one file a compiler.
set -eu
cc=$1

# Each group is tried as a whole first: two compilations when all is well.
takes() {
	# shellcheck disable=SC2086
	echo 'int sg_probe;' |
		$cc -std=c11 -Werror "$@" -x c -c - -o /dev/null 2>/dev/null
}

group() {
	name=$1
	shift
	if takes "$@"; then
		printf '%s := %s\n' "$name" "$*"
		return
	fi
	good=
	for flag in "$@"; do
		takes "$flag" && good="$good $flag"
	done
	printf '%s :=%s\n' "$name" "$good"
}

group CC_WARN -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wformat=2 \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wwrite-strings -Wpointer-arith -Wcast-qual -Wcast-align \
	-Wswitch-enum -Wconversion -Wimplicit-fallthrough \
	-Wdouble-promotion -Wlogical-op -Wduplicated-cond \
	-Wduplicated-branches -Wjump-misses-init
group CC_HARDEN -fstack-protector-strong -fstack-clash-protection \
	-fcf-protection=full -ftrivial-auto-var-init=zero \
	-fzero-call-used-regs=used-gpr -fno-strict-overflow \
	-fno-delete-null-pointer-checks
group CC_PIC -fPIC -fno-semantic-interposition
group CC_ANALYZER -fanalyzer
