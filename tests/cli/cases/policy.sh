# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# policy: lint, test, list, show.

is_line() {
	if [ "$(sed -n "$2p" "$1")" = "$3" ]; then
		pass
	else
		fail "line $2 of $1 is not '$3'"
	fi
}

for name in default strict audit; do
	ran "lint $name" 0 policy lint "$name"
	out_has "$name: good"
	ran "test $name" 0 policy test "$name"
	out_has 'all good'
	ran "show $name" 0 policy show "$name"
	out_has 'schema: 1'
	cp out "$name.yaml"
done
ran 'list' 0 policy list
out_has 'default'
out_has 'strict'
ran 'explain a rule' 0 policy explain SG108
out_has 'SG108: YAML may build any object'
out_has '  action    reject, severity high'
out_has '  hint      use yaml.safe_load'
out_has '  is found in'
out_has "    - import yaml"
out_has "      yaml.load(open('a.yaml'))"
ran 'explain by a glob' 0 policy explain --policy strict 'SG70*' import.denied
out_has 'SG703: '
out_has 'import.denied: '
ran 'explain no such rule' 2 policy explain SG999
err_has "has no rule 'SG999'"
ran 'explain nothing' 2 policy explain
ran 'show no such' 2 policy show nosuch
ran 'show nothing' 2 policy show
ran 'lint nothing' 2 policy lint
ran 'lint no such file' 2 policy lint ./nosuch.yaml
ran 'a shipped policy as a file' 0 policy lint ./strict.yaml
ran 'quietly' 0 policy lint -q strict
out_is ''

cat >mine.yaml <<'END'
schema: 1
policy: mine
rules:
  - id: MY1
    title: no deep thoughts
    severity: low
    action: reject
    match: {call: math.factorial}
    message: "{name} is too much"
    hint: "think less"
    tests:
      hit: ["import math\nmath.factorial(5)"]
      pass: ["import math\nmath.sqrt(5)"]
END
echo 'from math import factorial as f; f(3)' >fact.py
ran 'a policy of one rule' 0 policy lint mine.yaml
ran 'its tests' 0 policy test mine.yaml
out_has '2 tests, all good'
ran 'it rejects' 1 check --policy mine.yaml fact.py
out_has 'fact.py:1:34: reject MY1: math.factorial is too much'
out_has '= hint: think less'
sed 's/sqrt/factorial/' mine.yaml >fails.yaml
ran 'a test that fails' 1 policy test fails.yaml
out_has 'FAILED MY1 pass[0]'
out_has '1 of 2 tests failed'
sed 's/severity/severty/' mine.yaml >typo.yaml
ran 'an unknown key' 1 policy lint typo.yaml
err_has 'typo.yaml:6:5:'
err_has "severity"
# the line itself, a caret below, and what may be meant
err_is "sandgate: typo.yaml:6:5: unknown key 'severty' in a rule; did you mean 'severity'? [policy.unknown-key]
    6 |     severty: low
      |     ^"
ran 'checking by a wrong policy' 2 check --policy typo.yaml fact.py
is_line err 2 '    6 |     severty: low'
is_line err 3 '      |     ^'
ran 'linting for machines' 1 policy lint --format json typo.yaml
out_is '{"policy":"typo.yaml","good":false,"problems":[{"level":"error","code":"policy.unknown-key","file":"typo.yaml","line":6,"column":5,"message":"unknown key '"'severty'"' in a rule","suggestion":"severity"}]}'
ran 'linting a good policy for machines' 0 policy lint --format json mine.yaml
out_has '"good":true'
out_has '"problems":[]'
ran 'no such format' 2 policy lint --format xml mine.yaml
err_has "no format 'xml'"
{
	printf 'schema: 1\nlists: {unused: [a]}\n'
	printf 'rules:\n  - {id: A, tags: [%0150d], match: {calls: f}}\n' 0
} >long.yaml
ran 'a long line is cut' 1 policy lint long.yaml
is_line err 3 "      | $(printf '%63s' '')^"
err_has '    4 | ...0000000000'
err_has '0], match: {calls: f}}'
printf 'schema: 1\nmode:\tenforce\nrules: [\t\033[31mx]\n' >tab.yaml
ran 'controls of a policy are no controls of the terminal' 1 policy lint tab.yaml
lacks err "$(printf '\033')"
printf 'schema: 1\nlists: {unused: [a]}\n' >unused.yaml
ran 'a warning with its line' 0 policy lint unused.yaml
out_is "unused.yaml:2:9: warning: the list 'unused' is not used [policy.unused-list]
    2 | lists: {unused: [a]}
      |         ^
unused.yaml: good, 0 rules, 1 warning"
ran 'testing a wrong policy' 1 policy test typo.yaml
printf '\000\001\002' >binary.yaml
ran 'binary' 1 policy lint binary.yaml
: >empty.yaml
ran 'empty' 1 policy lint empty.yaml
ran 'one good and one bad' 1 policy lint mine.yaml typo.yaml
out_has 'mine.yaml: good'

# Tools that look at more than one text.
cat >scripts.jsonl <<'END'
{"id": 1, "code": "import math\nmath.factorial(3)"}
{"id": 2, "code": "import math\nmath.sqrt(3)"}
{"id": 3, "other": "x"}
END
ran 'diff' 0 policy diff default mine.yaml --corpus scripts.jsonl
out_has '2 scripts, 1 verdicts change'
out_has 'scripts.jsonl#1:2'
err_has '1 rows without code'
ran 'diff of one policy' 2 policy diff default --corpus scripts.jsonl
ran 'diff without scripts' 2 policy diff default strict
ran 'diff of no such scripts' 2 policy diff default strict --corpus nosuch
ran 'coverage' 0 policy coverage mine.yaml
out_has '1 patterns, 0 not wholly exercised'
cat >half.yaml <<'END'
schema: 1
rules:
  - id: H1
    match: {any: [{call: math.sqrt}, {call: math.log}]}
    message: "{name}"
    tests: {hit: ["import math\nmath.log(1)"], pass: ["1"]}
END
ran 'half covered' 1 policy coverage half.yaml
out_has "half.yaml:4:20: H1: 'call' never holds in the tests"
ran 'bench' 0 policy bench mine.yaml --corpus scripts.jsonl
out_has '2 scripts'
out_has 'MY1'
ran 'schema' 0 policy schema
out_json 'd["title"] == "sandgate policy"'
ran 'show what is in force' 0 policy show mine.yaml
cp out shown.yaml
ran 'what is shown loads' 0 policy test shown.yaml
ran 'show the source' 0 policy show --source strict
out_has 'extends: [default]'
printf 'schema: 1   \r\n\n\n\npolicy: a\n\n' >untidy.yaml
ran 'fmt would change it' 1 policy fmt --check untidy.yaml
ran 'fmt' 0 policy fmt untidy.yaml
ran 'fmt is done' 0 policy fmt --check untidy.yaml
ran 'fmt nothing' 2 policy fmt
ran 'fmt of what is no document' 2 policy fmt binary.yaml
mkdir expect
printf 'import math\nmath.factorial(3)  # expect: MY1\n' >expect/a.py
ran 'scripts that expect' 0 policy test mine.yaml --corpus expect
out_has '1 scripts, 1 findings expected, 0 missed'
printf 'import math\nmath.factorial(3)\nmath.sqrt(3)  # expect: MY1\n' >expect/b.py
ran 'scripts that are wrong' 1 policy test mine.yaml --corpus expect
out_has 'expect/b.py:2: Noisy MY1'
out_has 'expect/b.py:3: Missing MY1'
