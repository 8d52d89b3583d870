# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# docs/examples/ask.py, with a stand-in for the model.

if [ -n "$box" ]; then

mkdir bin
ln -s "$SANDGATE" bin/sandgate
start --unix sandgate.sock
python3 "$here/model.py" model.port >model.log 2>&1 &
pids="$pids $!"
tries=0
until [ -s model.port ] || [ "$tries" -gt 250 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
yes "the example asks, runs and answers" env PATH="$PWD/bin:$PATH" \
	OPENAI_BASE_URL="http://127.0.0.1:$(cat model.port)" \
	python3 "$root/docs/examples/ask.py" What divides 91?
what="the model was told why, and then what came out"
has yes.out 'os.system'
has yes.out 'ejected'
has yes.out '[7, 13]'
stop

fi
