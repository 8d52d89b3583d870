# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# filter: one line out for each line in, byte for byte but for the verdict.

bad='import os\nos.system(\"ls\")'

# same KEYS...: the output without "sandgate" is the input, line for line.
same() {
	what="$what: the rest is as it was"
	if python3 -c '
import sys
a = open("rows", "rb").read().split(b"\n")
b = open("out", "rb").read().split(b"\n")
assert len(a) == len(b), (len(a), len(b))
for x, y in zip(a, b):
    if not x:
        assert not y
        continue
    cut = y.rindex(b",\"sandgate\":{")
    tail = x[x.rindex(b"}"):]
    assert y[:cut] == x[:len(x) - len(tail)], (x, y)
    assert y.endswith(b"}" + tail), (x, y)' 2>err; then
		pass
	else
		fail 'changed'
	fi
}

# rows FILE: as standard input, kept for comparison.
rows() {
	cat >rows
	cp rows in
}

decisions() {
	python3 -c '
import json
print(*(json.loads(l)["sandgate"]["decision"] for l in open("out", encoding="utf-8", newline="\n")))' >out2
	mv out2 out
}

printf '{"id":1,"text":"print(1)"}\n{"id":2,"text":"%s"}\n' "$bad" | rows
ran 'two lines' 0 filter
same
decisions
out_is 'pass reject'

rows <<-END
	{ "n" : 1.50e+0 , "text" : "x = 1" , "big":123456789012345678901234567890 }
	{"text":"x = '\\u00e9\\ud83d\\ude00'","é":"\\/\\u0041"}
	{"text":"print(1)","deep":[[[{"a":[]}]]],"text2":null}
	END
ran 'numbers, escapes and blanks stay' 0 filter
same

printf '{"code":"print(1)"}\r\n{"code":"print(2)"}\r\n' | rows
ran 'CRLF' 0 filter --text-key code
same

printf '\357\273\277{"text":"print(1)"}\n' | rows
ran 'a byte order mark' 0 filter
decisions
out_is 'pass'

printf '{"text":"print(1)","x":"a\342\200\250b"}\n' | rows
ran 'U+2028' 0 filter
same

printf '{"text":"print(1)"}' | rows
ran 'no line end at the end' 0 filter
decisions
out_is 'pass'

printf '{"a":{"b/c":[{"d":"%s"},{"d":"x"}]}}\n' "$bad" | rows
ran 'a JSON pointer' 0 filter --text-key '/a/b~1c/0/d'
same
decisions
out_is 'reject'
ran 'a bad pointer' 2 filter --text-key '/a~2'

printf '{"text":"%s","sandgate":{"decision":"pass"}}\n' "$bad" | rows
ran 'an older verdict is replaced' 0 filter
decisions
out_is 'reject'

{
	printf '{"text":"print(1)"}\n'
	printf '\n'
	printf 'not json\n'
	printf '[1]\n'
	printf '{"text":1,"id":7}\n'
	printf '{"other":"x"}\n'
	printf '{"text":"a","text":"b"}\n'
	printf '{"text":"\377"}\n'
	printf '{"text":"a\000b"}\n'
	printf '{"text":"print(\\"a\\u0000b\\")"}\n'
	printf '{"text":"\\ud800"}\n'
	printf '{"text":"x"} trailing\n'
	printf '{"text":"print(2)"}\n'
} | rows
ran 'bad lines' 0 filter
err_has '9 of 13 lines could not be judged'
err_has 'the first is line 2'
cp out answers
what='bad lines'
if [ "$(wc -l <answers)" -eq 13 ]; then pass; else fail 'not 13 lines'; fi
decisions
out_is 'pass reject reject reject reject reject reject reject reject reject reject reject pass'
yes 'errors have code and line, and keep their fields' python3 -c '
import json
rows = [json.loads(l) for l in open("answers", encoding="utf-8")]
codes = [r["sandgate"].get("error", {}).get("code") for r in rows]
assert codes == [None, "row.syntax", "row.syntax", "row.object", "row.type",
    "row.missing", "row.duplicate", "row.utf8", "row.syntax", None, None,
    "row.syntax", None], codes
assert all(r["sandgate"]["error"]["line"] == i + 1
    for i, r in enumerate(rows) if "error" in r["sandgate"])
assert rows[4]["id"] == 7 and rows[5]["other"] == "x"'

printf '{"id":1,"text":"print(1)"}\n{"id":2,"text":"%s"}\nbad\n' "$bad" >three
cp three in
ran 'keep allowed' 0 filter --keep allowed
decisions
out_is 'pass'
cp three in
ran 'keep rejected' 0 filter --keep rejected
decisions
out_is 'reject reject'
ran 'keep what?' 2 filter --keep some
cp three in
ran 'verdicts only' 0 filter --verdict-only
yes 'each has its line' python3 -c '
import json
rows = [json.loads(l) for l in open("out")]
assert [r["line"] for r in rows] == [1, 2, 3]
assert all(set(r) == {"line", "sandgate"} for r in rows)'
cp three in
ran 'summary' 0 filter --summary
err_is '{"lines":3,"pass":1,"annotate":0,"reject":2,"errors":1}'
ran 'no lines' 0 filter
out_is ''
ran 'an argument too many' 2 filter rows.jsonl
err_has 'standard input'

python3 -c '
import json
for i in range(3000):
    print(json.dumps({"id": i, "text": "x = %d\nprint(x)\n" % i if i % 7
        else "import os; os.system(%r)" % i}))' >many
"$SANDGATE" filter <many >one 2>err
"$SANDGATE" filter -j 4 <many >four 2>err
yes 'threads keep the order' cmp one four
what='as many lines as there were'
if [ "$(wc -l <one)" -eq 3000 ]; then pass; else fail 'lines lost'; fi

what='a reader that goes away'
{ rc=0; "$SANDGATE" filter <many 2>err || rc=$?; echo $rc >rc; } | head -n 1 >out
# The pipe may take all lines before its reader goes.
case $(cat rc) in 141|0) pass ;; *) fail "exit status $(cat rc)" ;; esac
err_is ''
cp three in
full 'a full disk' 2 filter

what='a long line'
python3 -c '
import json
print(json.dumps({"id": 1, "text": "x", "pad": "y" * (66 << 20)}))
print(json.dumps({"id": 2, "text": "x = 1"}))
print(json.dumps({"id": 3, "text": "x = 1", "pad": "y" * (60 << 20)}))
' | "$SANDGATE" filter 2>err |
	python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin]
assert rows[0]["sandgate"]["error"]["code"] == "row.long"
assert rows[1]["sandgate"]["decision"] == "pass"
assert rows[2]["id"] == 3 and len(rows[2]["pad"]) == 60 << 20
assert rows[2]["sandgate"]["decision"] == "pass"' 2>>err && pass || fail 'lines lost'

what='a line is answered before the next one is sent'
python3 -c '
import json, os, subprocess, sys
p = subprocess.Popen([os.environ["SANDGATE"], "filter"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for i in range(3):
    p.stdin.write(json.dumps({"id": i, "text": "x = 1"}).encode() + b"\n")
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["id"] == i
p.stdin.close()
assert p.wait() == 0' 2>err && pass || fail 'no answer'

what='interrupted'
python3 -c '
import json, os, signal, subprocess
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
    p = subprocess.Popen([os.environ["SANDGATE"], "filter"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdin.write(b"{\"text\":\"x = 1\"}\n")
    p.stdin.flush()
    assert json.loads(p.stdout.readline())
    p.send_signal(number)
    out, err = p.communicate(timeout=10)
    assert p.returncode == 75, p.returncode
    assert out == b"" and b"interrupted after line 1" in err' 2>err && pass || fail 'not 75'
