# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# Who may use the server: tokens, names, pages.

printf '# for tests\n\n0123456789abcdef\n  fedcba9876543210zz  \n' >tokens
chmod 600 tokens
good='Authorization: Bearer 0123456789abcdef'

start --listen 127.0.0.1:0 --token-file tokens --allow-host box.example \
	--allow-origin https://chat.example
ask "alive without a token" 200 "$url/healthz"
ask "ready without a token" 200 "$url/readyz"
ask "the page without a token" 200 "$url/"
for path in /v1/policy /v1/packages /metrics /openapi.json /version; do
	ask "no token: $path" 401 "$url$path"
	problem no-token
	has head 'WWW-Authenticate: Bearer'
done
for path in /v1/run /v1/check /mcp; do
	post "no token: $path" 401 "$path" '{"code":"1"}'
done
ask "no token, and no such path" 404 "$url/nothing"
ask "a token" 200 -H "$good" "$url/version"
ask "the other one" 200 -H 'authorization: bearer fedcba9876543210zz' \
	"$url/version"
ask "by its other name" 200 -H 'X-Api-Key: 0123456789abcdef' "$url/version"
for bad in 'Bearer 0123456789abcdeF' 'Bearer 0123456789abcde' \
	'Bearer 0123456789abcdef0' 'Bearer ' 'Basic 0123456789abcdef' \
	'0123456789abcdef' 'Bearer # for tests'; do
	ask "not a token: '$bad'" 401 -H "Authorization: $bad" "$url/version"
done
ask "an empty key" 401 -H 'X-Api-Key;' "$url/version"
ask "a check with a token" 200 -H "$good" --json '{"code":"1"}' "$url/v1/check"

# Tokens change without an end.
echo 'another-token-of-mine' >tokens
kill -HUP "$pid"
await 'is in force'
sleep 0.1
ask "a new token" 200 -H 'X-Api-Key: another-token-of-mine' "$url/version"
ask "the old one" 401 -H "$good" "$url/version"
echo 'short' >tokens
kill -HUP "$pid"
await 'the tokens stay'
ask "a bad file changes nothing" 200 -H 'X-Api-Key: another-token-of-mine' \
	"$url/version"
good='X-Api-Key: another-token-of-mine'

for host in localhost LocalHost:1 127.0.0.1 '[::1]:80' 10.1.2.3 box.example \
	BOX.example:8080; do
	ask "host $host" 200 -H "$good" -H "Host: $host" "$url/version"
done
for host in evil.example localhost.evil.example 127.0.0.1.evil.example \
	'box.example.' 'localhost:x' '[::1' '[localhost]:80x' 1.2.3 ''; do
	ask "host '$host'" 403 -H "$good" -H "Host: $host" "$url/version"
done
problem bad-host
ask "another page" 403 -H "$good" -H 'Origin: https://evil.example' \
	"$url/version"
problem bad-origin
lacks head 'Access-Control'
ask "no page" 403 -H "$good" -H 'Origin: null' "$url/version"
ask "our page" 200 -H "$good" -H "Origin: $url" "$url/version"
lacks head 'Access-Control'
ask "a page that may" 200 -H "$good" -H 'Origin: https://chat.example' \
	"$url/version"
has head 'Access-Control-Allow-Origin: https://chat.example'
has head 'Vary: Origin'
ask "it may ask before" 204 -X OPTIONS -H 'Origin: https://chat.example' \
	-H 'Access-Control-Request-Method: POST' "$url/v1/run"
has head 'Access-Control-Allow-Headers: Authorization, Content-Type'
has head 'Access-Control-Allow-Methods: POST, OPTIONS'
ask "it reads errors, too" 401 -H 'Origin: https://chat.example' "$url/version"
has head 'Access-Control-Allow-Origin: https://chat.example'
ask "another may not ask before" 403 -X OPTIONS \
	-H 'Origin: https://evil.example' "$url/v1/run"
stop
lacks log 'another-token-of-mine'

# What does not start.
printf '0123456789abcdef\n' >tokens
refused "all addresses without a token" 2 --listen :0
has log "'--token-file' is needed"
refused "any address without a token" 2 --listen 0.0.0.0:0
refused "IPv6 without a token" 2 --listen '[::]:0'
refused "all pages without a token" 2 --listen 127.0.0.1:0 --allow-origin '*'
has log 'any page could run code'
for origin in chat.example https://chat.example/ https://chat.example/app \
	https:// ://x ''; do
	refused "what is no origin: $origin" 2 --listen 127.0.0.1:0 \
		--allow-origin "$origin"
	has log "'$origin' is no origin"
done
for name in box.example:80 http://box.example ''; do
	refused "what is no name: $name" 2 --listen 127.0.0.1:0 \
		--allow-host "$name"
	has log "'$name' is no name"
done
chmod 644 tokens
refused "a token that everybody can read" 2 --token-file tokens
has log 'everybody can read it'
chmod 600 tokens
: >empty
chmod 600 empty
refused "no token in the file" 2 --token-file empty
has log 'no token in it'
refused "no file of tokens" 2 --token-file nothing
printf '0123456789abcde\n' >tokens
refused "a token of 15 characters" 2 --token-file tokens
has log 'line 1: a token has 16 to 512 characters'
printf '\n0123456789abc\tef\n' >tokens
refused "a token with a tab" 2 --token-file tokens
has log 'line 2'
printf '%0512d\n' 0 >tokens
start --listen 0.0.0.0:0 --token-file tokens --allow-origin '*'
ask "beyond this machine, with a token" 200 \
	-H "Authorization: Bearer $(cat tokens)" "$url/version"
ask "and not without" 401 "$url/version"
stop
