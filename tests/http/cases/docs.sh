# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# What the server says of itself is true.

start --listen 127.0.0.1:0
ask "the description" 200 "$url/openapi.json"
cp body openapi.json
# The one that is pinned, or whatever there is.
node=$root/third_party/mcp/node_modules/.bin/node
[ -x "$node" ] || node=node
validator=$root/third_party/openapi/node_modules/@seriousme
yes "it is OpenAPI ('make deps' brings the validator)" "$node" \
	"$validator/openapi-schema-validator/bin/validate-api-cli.js" \
	openapi.json
what="the validator says so"
has yes.out '"valid": true'
ask "counters" 200 "$url/metrics"
cp body metrics
yes "paths, methods, examples and replies are as described" \
	python3 "$here/described.py" openapi.json metrics "$url" "${box:-no}"
ask "counters, with something counted" 200 "$url/metrics"
cp body metrics
yes "Prometheus can read the counters" python3 "$here/exposition.py" metrics
if command -v promtool >/dev/null 2>&1; then
	what="promtool agrees"
	if promtool check metrics <metrics >promtool.out 2>&1 &&
		[ ! -s promtool.out ]; then
		pass
	else
		fail "$(head -n 5 promtool.out)"
	fi
fi
if [ -n "$box" ]; then
	yes "one shape: command, HTTP and MCP" \
		python3 "$here/shape.py" "$SANDGATE" "$url"
fi
stop
