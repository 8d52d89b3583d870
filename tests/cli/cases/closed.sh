# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2154
# Failing closed: each stage made to fail ends in a rejection or a refusal.

echo 'print(1)' >good.py

# Time.
cat >hurry.yaml <<'END'
schema: 1
policy: hurry
limits: {time_ms: 1}
END
python3 -c '
for i in range(20000):
    print("v%d = [v%d for x in range(%d)]" % (i + 1, i, i))' >long.py
ran 'out of time' 1 check --policy hurry.yaml --format concise long.py
out_has 'limit.time'
# Size.
cat >small.yaml <<'END'
schema: 1
policy: small
limits: {bytes: 8}
END
ran 'too many bytes' 1 check --policy small.yaml --format concise good.py
out_has 'limit.bytes'
ran 'and nothing is run' 126 run --policy small.yaml good.py
printf 'print(1)' >eight.py
ran 'just as many as allowed' 0 check --policy small.yaml eight.py
# Depth.
python3 -c 'print("(" * 5000 + ")" * 5000)' >deep.py
ran 'too deep' 1 check --format concise deep.py

# Memory, descriptors, file sizes, processes.  The sanitizers need memory of
# their own.
if [ "${BUILD##*/}" = rel ]; then
	what='every limit'
	if python3 "$here/closed.py" "$SANDGATE" >out 2>err; then
		n=$(tail -n 1 out | cut -d' ' -f1)
		npassed=$((npassed + n))
	else
		fail 'something passed'
	fi
fi
