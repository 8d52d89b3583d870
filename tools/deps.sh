#!/bin/sh
# Installs what is missing (Debian, Ubuntu) and brings the grammar sources.
# Safe to run again: with all in place it needs neither root nor a network.
#
#	deps.sh		what building and `make check` want
#	deps.sh ci	what `make ci` wants beyond that
set -eu
cd "$(dirname "$0")/.."

want="gcc libc6-dev make pkg-config npm
libpcre2-dev libyaml-dev libseccomp-dev libutf8proc-dev libjansson-dev
libsodium-dev libmicrohttpd-dev check python3 python3-dev
python3-numpy python3-pandas python3-matplotlib python3-jsonschema
curl wrk"
if [ "${1:-}" = ci ]; then
	want="clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev
shellcheck mandoc git systemd"
fi

missing=
for p in $want; do
	[ "$p" = npm ] && command -v npm >/dev/null 2>&1 && continue
	state=$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null || :)
	[ "$state" = installed ] || missing="$missing $p"
done
if [ -n "$missing" ]; then
	command -v apt-get >/dev/null 2>&1 || {
		echo "there is no apt-get here; install these, or what your" \
			"system calls them:$missing" >&2
		exit 1
	}
	as=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 || {
			echo "must be root to install:$missing" >&2
			exit 1
		}
		as=sudo
	fi
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	echo "installing (this takes some minutes):$missing"
	# shellcheck disable=SC2086
	{
		$as apt-get update -qq &&
			$as env DEBIAN_FRONTEND=noninteractive \
				apt-get install -y -qq \
				--no-install-recommends $missing
	} </dev/null >"$log" 2>&1 || {
		tail -n 40 "$log" >&2
		echo "apt-get could not install them" >&2
		exit 1
	}
fi
[ "${1:-}" = ci ] && exit 0

# The lock names each package with its digest; no script of theirs is run.
# Node brings certificates of its own; whom the system trusts counts too.
system_cas=/etc/ssl/certs/ca-certificates.crt
[ -z "${NODE_EXTRA_CA_CERTS:-}" ] && [ -f "$system_cas" ] &&
	export NODE_EXTRA_CA_CERTS="$system_cas"
# fetch FOLDER WHAT: what FOLDER's lock names, unless it is there already.
fetch() {
	cmp -s "$1/package-lock.json" "$1/node_modules/.sandgate-lock" && return
	echo "fetching $2"
	(cd "$1" && npm ci --ignore-scripts --no-audit --no-fund \
		--loglevel=error)
	cp "$1/package-lock.json" "$1/node_modules/.sandgate-lock"
}
fetch third_party "the grammar sources"
fetch third_party/mcp "the clients that tests/mcp talks through"
fetch third_party/openapi "what tests/http reads the description and the page by"
