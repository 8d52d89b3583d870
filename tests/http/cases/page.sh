# shellcheck shell=sh disable=SC2034,SC2154
# The page for people, run as browsers run it.

node=$root/third_party/mcp/node_modules/.bin/node
[ -x "$node" ] || node=node
[ -n "$box" ] && {
	start --listen 127.0.0.1:0
	yes "the page runs and checks ('make deps' brings jsdom)" \
		timeout 300 "$node" "$here/page.cjs" "$url/"
	stop

	printf 'a-token-of-the-page\n' >token
	chmod 600 token
	start --listen 127.0.0.1:0 --token-file token --workers 1 --queue 1
	yes "the page with a token, and while there is too much to do" \
		timeout 300 "$node" "$here/page.cjs" "$url/" a-token-of-the-page
	stop
}
