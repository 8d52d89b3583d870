# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# check: verdicts, formats, and what can't be judged.

echo 'print(2**10)' >good.py
printf 'import os\nos.system("ls")\n' >bad.py
printf 'def f(:\n' >syntax.py
printf 'x = 1 # \rimport os; os.system("ls")\n' >cr.py
printf '# coding: utf-7\nprint(1)\n' >cookie.py
printf 'print("a\000b")\n' >nul.py
printf 'print("\377")\n' >latin.py
printf '\357\273\277print(1)\r\n' >bom.py
: >empty.py

ran 'a good script' 0 check good.py
out_is 'good.py: pass'
err_is ''
ran 'a good script, quietly' 0 check -q good.py
out_is ''
ran 'an empty script' 0 check empty.py
ran 'byte order mark and CRLF' 0 check bom.py
ran 'a bad script' 1 check bad.py
out_has 'bad.py:2:1: reject SG'
out_has '    2 | os.system("ls")'
out_has '= hint: '
out_has 'bad.py: reject ('
ran 'good and bad' 1 check good.py bad.py
out_has 'good.py: pass'
ran 'concise' 1 check --format concise bad.py
lacks out '|'
ran 'a syntax error' 1 check syntax.py
out_has 'syntax.py:1:'
out_has 'reject syntax.error'
ran 'code behind a lone CR' 1 check cr.py
out_has 'cr.py:2:12: reject SG'
ran 'a coding cookie' 1 check cookie.py
ran 'a NUL byte' 1 check nul.py
ran 'not UTF-8' 1 check latin.py

cp bad.py in
ran 'standard input' 1 check -
out_has '<stdin>:2:1: reject SG'
cp good.py in
ran 'standard input, passing' 0 check -
ran 'a name that begins with a dash' 0 check -- ./good.py

ran 'no such file' 2 check nothere.py
err_has 'nothere.py'
ran 'a folder' 2 check .
ran 'a missing file outweighs a bad one' 2 check bad.py nothere.py
out_has 'bad.py: reject'
ran 'no such policy' 2 check --policy nosuch good.py
ran 'no such policy file' 2 check --policy ./nosuch.yaml good.py
err_has 'nosuch.yaml'
echo 'schema: [' >wrong.yaml
ran 'a wrong policy' 2 check --policy wrong.yaml good.py
err_has 'wrong.yaml:'
if [ "$(id -u)" != 0 ]; then
	cp good.py secret.py
	chmod 0 secret.py
	ran 'an unreadable file' 2 check secret.py
fi

ran 'JSON' 0 check --format json good.py
out_json 'd["status"] == "ok" and d["executed"] is False'
out_json 'd["verdict"]["decision"] == "pass" and d["file"] == "good.py"'
ran 'JSON, the short way' 0 check --json good.py
out_json 'd["status"] == "ok"'
ran 'JSON of a bad script' 1 check --format json bad.py
out_json 'd["status"] == "rejected"'
out_json 'd["verdict"]["findings"][0]["line"] == 2'
out_json 'd["verdict"]["findings"][0]["hint"]'
ran 'JSON of a missing file' 2 check --format json nothere.py
out_json 'd["status"] == "invalid" and d["verdict"] is None'
ran 'JSON of two files is two lines' 1 check --format json good.py bad.py
yes 'each line is a document' python3 -c '
import json
lines = open("out").read().splitlines()
assert [json.loads(l)["status"] for l in lines] == ["ok", "rejected"]'

ran 'strict refuses what default allows' 1 check --policy strict bad.py
echo 'import os' >os.py
ran 'strict refuses import os' 1 check --policy strict os.py
ran 'audit only annotates' 0 check --policy audit bad.py
out_has 'bad.py: annotate'
ran 'audit still refuses what is no Python' 1 check --policy audit syntax.py

printf 'print("\033[31m\342\200\256")\nimport os\nos.system("\033]0;x\007")\n' \
	>escape.py
ran 'controls of a script do not reach the terminal' 1 check escape.py
out_has '\x1b]0;x\x07'
yes 'no escape in the output' sh -c '! grep -q "$(printf "\033")" out'

full 'a full disk' 2 check bad.py

rm -f log
ran 'recorded when a log is named' 1 check --audit log bad.py
yes 'there is one record' sh -c '[ "$(wc -l <log)" = 1 ]'
ran 'kept by digest' 0 check --audit log --audit-store-code kept good.py
yes 'the script is there' sh -c 'cmp good.py kept/$(sha256sum <good.py | cut -c1-64).py'
