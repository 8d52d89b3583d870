# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2154
# explain: what the gate sees, and why.

cat >bad.py <<'END'
import os as o
run = getattr(o, 'sys' + 'tem')
run('ls')
x = [1, 2]
END
ran 'a bad script' 0 explain bad.py
out_has 'reject by policy default'
out_has 'import   os'
out_has 'call     os.system("ls")'
out_has 'through run <- getattr'
out_has '->'
ran 'one line' 0 explain --line 3 bad.py
out_has 'call     os.system("ls")'
lacks out 'import   os'
ran 'a line without facts' 0 explain --line 99 bad.py
out_is ''
cp bad.py in
ran 'standard input as JSON' 0 explain --json -
out_json 'any(f["kind"] == "call" and f["name"] == "os.system" and f["args"][0]["values"][0]["text"] == "ls" for f in d["facts"])'
out_json 'd["decision"] == "reject" and d["findings"][0]["line"] == 2'
rule=$("$SANDGATE" check --format json bad.py | python3 -c '
import json; print(json.load(open(0))["verdict"]["findings"][0]["rule"])')
ran 'a rule that matched' 0 explain --rule "$rule" bad.py
out_has "rule $rule (reject, "
out_has 'matched '
echo 'x = 1' >good.py
ran 'a rule that did not match' 0 explain --rule "$rule" good.py
out_has 'did not match'
out_has 'never asked'
ran 'no such rule' 2 explain --rule NO1 good.py
cat >rules.yaml <<'END'
schema: 1
policy: mine
rules:
  - id: X1
    title: two things at once
    message: "{name}"
    action: reject
    match:
      all:
        - call: open
        - arg: {0: {string: {regex: '^/'}}}
        - not: {inside: {node: FunctionDef}}
END
echo 'open("a/b")' >near.py
ran 'a rule that almost matched' 0 explain -p rules.yaml --rule X1 near.py
out_has 'did not match'
out_has '    call                             held (rules.yaml:10:11)'
out_has '    arg                              did not hold (rules.yaml:11:11)'
out_has '    not                              never asked (rules.yaml:12:11)'
printf 'def f(:\n' >syntax.py
ran 'a syntax error' 0 explain syntax.py
out_has 'reject syntax.error'
ran 'no such script' 2 explain nothere.py
ran 'two scripts' 2 explain bad.py good.py
ran 'a line that is none' 2 explain --line x bad.py
