#!/bin/sh
# Installs what is missing (Debian, Ubuntu) and brings the grammar sources.
# Safe to run again: with all in place it needs neither root nor a network.
set -eu
cd "$(dirname "$0")/.."

want="gcc libc6-dev make pkg-config npm
libpcre2-dev libyaml-dev libseccomp-dev libutf8proc-dev libjansson-dev
libsodium-dev check python3 python3-dev
python3-numpy python3-pandas python3-matplotlib python3-jsonschema"

missing=
for p in $want; do
	[ "$p" = npm ] && command -v npm >/dev/null 2>&1 && continue
	state=$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null || :)
	[ "$state" = installed ] || missing="$missing $p"
done
if [ -n "$missing" ]; then
	as=
	[ "$(id -u)" = 0 ] || as=sudo
	echo "installing:$missing"
	$as apt-get update -qq
	# shellcheck disable=SC2086
	$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends $missing
fi

if ! cmp -s third_party/package-lock.json \
	third_party/node_modules/.sandgate-lock; then
	(cd third_party && npm ci --ignore-scripts --no-audit --no-fund)
	cp third_party/package-lock.json third_party/node_modules/.sandgate-lock
fi
