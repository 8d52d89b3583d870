# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# Sockets: ours, those that are left over, and the service manager's.

start --listen 127.0.0.1:0 --listen '[::1]:0' --unix a.sock --unix b.sock \
	--unix-mode 0660
check "$(grep -c 'listening on' log)" = 4
six=$(sed -n 's|.*listening on \(http://\[::1\]:[0-9]*\)$|\1|p' log)
ask "IPv6" 200 -g "$six/healthz"
ask "one Unix socket" 200 --unix-socket a.sock http://a/healthz
ask "and another" 200 --unix-socket b.sock http://a/healthz
what="their mode"
check "$(stat -c %a b.sock)" = 660
refused "a port that is taken" 2 --listen "127.0.0.1:$port"
has log 'Address already in use'
refused "a path that is taken" 2 --unix a.sock
has log 'somebody listens at'
ask "which changes nothing" 200 --unix-socket a.sock http://a/healthz
kill -KILL "$pid"
ended
start --unix a.sock
ask "it is replaced" 200 --unix-socket a.sock http://a/healthz
stop
echo text >plain
refused "a path that is no socket" 2 --unix plain
has log 'is no socket'
what="which stays"
check "$(cat plain)" = text
refused "a path that is too long" 2 --unix "$(printf '%0108d' 0)"
for bad in 127.0.0.1 127.0.0.1: :65536 127.0.0.1:8x '[::1:8080' ::1:8080 \
	nobody.invalid:1; do
	refused "no address: $bad" 2 --listen "$bad"
done
refused "no mode" 2 --unix c.sock --unix-mode 9
refused "no argument" 2 now
refused "no such policy" 2 --policy nothing --listen 127.0.0.1:0
refused "a log that cannot be" 2 --audit /nowhere/log --listen 127.0.0.1:0
refused "no such interpreter" 2 --python /nowhere/python --listen 127.0.0.1:0

# The protocol of socket activation, with its checks of readiness.
yes "activation by a Unix socket" python3 "$here/activate.py" unix "$SANDGATE"
yes "activation by TCP" python3 "$here/activate.py" tcp "$SANDGATE"
yes "what is asked while one server follows another" \
	python3 "$here/activate.py" restart "$SANDGATE"
yes "sockets that are not ours" python3 "$here/activate.py" others "$SANDGATE"
yes "sockets beyond this machine" python3 "$here/activate.py" wide "$SANDGATE"
if command -v systemd-socket-activate >/dev/null 2>&1; then
	systemd-socket-activate -l "$PWD/act.sock" "$SANDGATE" serve >out \
		2>log &
	pid=$!
	pids="$pids $pid"
	sleep 0.3
	ask "systemd's own launcher" 200 --unix-socket act.sock \
		http://a/healthz
	stop
fi
